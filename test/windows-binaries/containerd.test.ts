import assert from "node:assert/strict";
import { containerdVersions } from "../../host/versions.ts";
import { WineMachine } from "./wine-machine.ts";

const folder = "C:\\Program Files\\containerd";
const program = `${folder}\\containerd.exe`;
const configPath = `${folder}\\config.toml`;
const logPath = "C:\\var\\log\\containerd\\containerd.log";

/** Value of a key in a section of a TOML text, as it stands there; undefined where there is none. */
function valueOf(toml: string, section: string, key: string): string | undefined {
  const lines = toml.split(/\r?\n/).map((line) => line.trim());
  const start = lines.indexOf(`[${section}]`);
  if (start < 0) return undefined;
  const rest = lines.slice(start + 1);
  const next = rest.findIndex((line) => line.startsWith("["));
  const body = next < 0 ? rest : rest.slice(0, next);
  return body.find((line) => line.startsWith(`${key} = `))?.slice(key.length + 3);
}

for (const version of containerdVersions) {
  describe(`containerd.exe ${version}, with what Install-Containerd writes`, () => {
    let machine: WineMachine;

    before(async () => {
      machine = await WineMachine.start(version);
      await machine.installContainerd(
        ...["-RegistryMirrors", "docker.io=https://mirror.example.com"],
        ...["-CniBinDirectory", "C:/opt/cni/bin", "-CniConfDirectory", "C:/etc/cni/net.d"],
      );
    });
    after(() => machine.stop());

    const dump = async (path: string): ReturnType<WineMachine["run"]> =>
      machine.run(program, ["--config", path, "config", "dump"]);

    it("reads the sandbox image, the CNI folders and the mirrors' folder as intended", async () => {
      const { exitCode, stdout, stderr } = await dump(configPath);
      assert.equal(exitCode, 0, stderr);
      const images = "plugins.'io.containerd.cri.v1.images'";
      const cni = "plugins.'io.containerd.cri.v1.runtime'.cni";
      const taken = [
        valueOf(stdout, `${images}.pinned_images`, "sandbox"),
        valueOf(stdout, `${images}.registry`, "config_path"),
        valueOf(stdout, cni, "bin_dirs"),
        valueOf(stdout, cni, "conf_dir"),
      ];
      assert.deepEqual(taken, [
        "'registry.k8s.io/pause:3.10.2'",
        "'C:/Program Files/containerd/certs.d'",
        "['C:/opt/cni/bin']",
        "'C:/etc/cni/net.d'",
      ]);
    });

    it("changes nothing else: all other lines are containerd's own defaults", async () => {
      const changed = (await dump(configPath)).stdout.split(/\r?\n/);
      const own = (await machine.run(program, ["config", "default"])).stdout.split(/\r?\n/);
      // Both are what containerd writes of what it understood, in the same order.
      assert.equal(changed.length, own.length);
      const keys = changed.filter((line, index) => line !== own[index]).map((line) => line.trim());
      assert.deepEqual(
        keys.map((line) => line.split(" = ")[0]).sort(),
        ["bin_dirs", "conf_dir", "config_path"],
        "the pause image is containerd's own default",
      );
    });

    it("serves, the CRI plugin with these folders among what it has loaded", async () => {
      assert.equal(await machine.windows.services.isRunning("containerd"), true);
      const log = await machine.read(logPath);
      assert.match(log, /msg="containerd successfully booted/);
      assert.match(log, /msg="loading plugin" id=io\.containerd\.grpc\.v1\.cri /);
      const started =
        /msg="starting cri plugin" config=("(?:[^"\\]|\\.)*")/.exec(log)?.[1] ?? '"{}"';
      const config = JSON.parse(JSON.parse(started) as string) as {
        cni?: { binDirs: string[]; confDir: string };
        containerdRootDir?: string;
      };
      assert.deepEqual(
        [config.cni?.binDirs, config.cni?.confDir],
        [["C:/opt/cni/bin"], "C:/etc/cni/net.d"],
      );
      assert.equal(config.containerdRootDir, "C:\\ProgramData\\containerd\\root");
      // It has looked into the folder, which the pod network fills later.
      assert.match(log, /no network config found in C:\/etc\/cni\/net\.d/);
      assert.doesNotMatch(log, /level=(error|fatal)/);
    });
  });
}
