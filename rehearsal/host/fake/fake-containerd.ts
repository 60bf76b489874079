import type { ProgramResult } from "../programs.ts";

/** The parts of containerd 2.4's `config default` that a step looks at, and a neighbour it must leave alone. */
const defaultConfig = `version = 4
root = 'C:\\ProgramData\\containerd\\root'
state = 'C:\\ProgramData\\containerd\\state'

[plugins]
  [plugins.'io.containerd.cri.v1.images']
    snapshotter = 'windows'

    [plugins.'io.containerd.cri.v1.images'.pinned_images]
      sandbox = 'registry.k8s.io/pause:3.10.2'

    [plugins.'io.containerd.cri.v1.images'.registry]
      config_path = ''

  [plugins.'io.containerd.cri.v1.runtime']
    enable_selinux = false

    [plugins.'io.containerd.cri.v1.runtime'.cni]
      bin_dir = ''
      bin_dirs = ['C:\\Program Files\\containerd\\cni\\bin']
      conf_dir = 'C:\\Program Files\\containerd\\cni\\conf'

  [plugins.'io.containerd.image-verifier.v1.bindir']
    bin_dir = 'C:\\ProgramData\\containerd\\opt\\image-verifier\\bin'
`;

/** Runs `containerd.exe --version` or `containerd.exe config default`. */
export function runFakeContainerd(version: string, args: readonly string[]): ProgramResult {
  const command = args.join(" ");
  if (command === "--version") {
    const stdout = `containerd github.com/containerd/containerd/v2 v${version} fake\n`;
    return { exitCode: 0, stdout, stderr: "" };
  }
  if (command === "config default") return { exitCode: 0, stdout: defaultConfig, stderr: "" };
  return { exitCode: 1, stdout: "", stderr: `fake containerd.exe does not know '${command}'\n` };
}
