import assert from "node:assert/strict";
import { parseHosts } from "../../../rehearsal/host/hosts-file.ts";
import { workingProgram } from "../../../rehearsal/host/service-command.ts";
import { editContainerdConfig } from "../../../rehearsal/host/steps/containerd-config.ts";

describe("The hosts file", () => {
  it("is read as Windows reads it", () => {
    const text = "# 1.2.3.4 no\r\n10.0.0.1  a b # c\r\n\r\nnonsense x\r\n10.0.0.2\r\n::1 six\n";
    assert.deepEqual(parseHosts(text), [
      { address: "10.0.0.1", names: ["a", "b"] },
      { address: "::1", names: ["six"] },
    ]);
  });
});

describe("A service's command line", () => {
  const lines: readonly (readonly [
    line: string,
    exe: string,
    args: readonly string[],
    logFile: string | undefined,
  ])[] = [
    ["C:\\x.exe", "C:\\x.exe", [], undefined],
    ['"C:\\P F\\x.exe" --run-service --a "b c"', "C:\\P F\\x.exe", ["--a", "b c"], undefined],
    [
      "C:\\k\\kube-log-runner.exe --log-file=C:/l.log --log-file-size=1 C:\\k\\kubelet.exe --windows-service --v=2 --x=",
      "C:\\k\\kubelet.exe",
      ["--v=2", "--x="],
      "C:/l.log",
    ],
    ["C:\\k\\kubelet.exe --windows-service=true", "C:\\k\\kubelet.exe", [], undefined],
  ];
  for (const [line, exe, args, logFile] of lines) {
    it(`runs ${exe} for ${line}`, () => {
      const program = workingProgram(line);
      assert.deepEqual([program.exe, program.args, program.logFile], [exe, args, logFile]);
    });
  }

  it("needs kube-log-runner itself, too", () => {
    const { files } = workingProgram("C:\\k\\kube-log-runner.exe C:\\k\\kubelet.exe");
    assert.deepEqual(files, ["C:\\k\\kube-log-runner.exe", "C:\\k\\kubelet.exe"]);
  });

  it("must name a program", () => {
    assert.throws(() => workingProgram("kube-log-runner.exe --log-file=x"), /names no program/);
  });
});

describe("containerd's configuration", () => {
  const settings = {
    pauseImage: "p:1",
    cniBinDirectory: "C:/opt/cni/bin",
    cniConfDirectory: "C:/etc/cni/net.d",
    registryFolder: undefined,
  };

  it("changes three values, each in its own section", () => {
    const text = [
      "[plugins.'io.containerd.cri.v1.images'.pinned_images]",
      "  sandbox = 'x'",
      "  [plugins.'io.containerd.cri.v1.runtime'.cni]",
      "    bin_dir = 'old'",
      "    bin_dirs = ['x']",
      "    conf_dir = 'x'",
      "[plugins.'io.containerd.image-verifier.v1.bindir']",
      "  bin_dir = 'verifier'",
      "  bin_dirs = ['verifier']",
    ].join("\r\n");
    assert.deepEqual(editContainerdConfig(text, settings), {
      text: [
        "[plugins.'io.containerd.cri.v1.images'.pinned_images]",
        "  sandbox = 'p:1'",
        "  [plugins.'io.containerd.cri.v1.runtime'.cni]",
        "    bin_dir = 'old'",
        "    bin_dirs = ['C:/opt/cni/bin']",
        "    conf_dir = 'C:/etc/cni/net.d'",
        "[plugins.'io.containerd.image-verifier.v1.bindir']",
        "  bin_dir = 'verifier'",
        "  bin_dirs = ['verifier']",
      ].join("\n"),
    });
  });

  it("points to the registries' mirrors where there are any, in the images' section only", () => {
    const section = "[plugins.'io.containerd.cri.v1.images'.registry]";
    const others = [
      "[plugins.'io.containerd.cri.v1.images'.pinned_images]",
      "sandbox = 'p:1'",
      "[plugins.'io.containerd.cri.v1.runtime'.cni]",
      "bin_dirs = ['C:/opt/cni/bin']",
      "conf_dir = 'C:/etc/cni/net.d'",
      "[plugins.'io.containerd.transfer.v1.local']",
      "config_path = 'other'",
    ];
    const text = [...others, section, "config_path = ''"].join("\n");
    assert.deepEqual(editContainerdConfig(text, settings), { text });
    assert.deepEqual(editContainerdConfig(text, { ...settings, registryFolder: "C:/certs.d" }), {
      text: [...others, section, "config_path = 'C:/certs.d'"].join("\n"),
    });
    assert.deepEqual(
      editContainerdConfig(others.join("\n"), { ...settings, registryFolder: "C:/certs.d" }),
      { missing: ["plugins.'io.containerd.cri.v1.images'.registry/config_path"] },
    );
  });

  it("names what a default configuration lacks", () => {
    const answer = editContainerdConfig("[plugins.'io.containerd.grpc.v1.cri'.cni]", settings);
    assert("missing" in answer);
    assert.equal(answer.missing.length, 3);
  });
});
