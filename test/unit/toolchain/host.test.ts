import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { loadBalancerImage } from "../../../images/load-balancer/artifact.ts";
import { nodeImage } from "../../../images/node/artifact.ts";
import { bakedRehearsalImage } from "../../../rehearsal/bake/artifact.ts";
import { buildOrder } from "../../../toolchain/ensure.ts";
import {
  boundingSetHasSysResource,
  classifyRefusal,
  type DaemonState,
  ensureDaemons,
  ensureDocker,
  wrappedRuntime,
} from "../../../toolchain/daemons.ts";
import {
  ensureHostPackages,
  hostPackages,
  installText,
  packagesToInstall,
  startCommand,
  type PackageHost,
} from "../../../toolchain/host-packages.ts";
import { requiredPackages } from "../../../toolchain/host-requirements.ts";
import { runProgram, type ProgramEnd } from "../../../host/run-program.ts";
import { isLocal } from "../../../host/virsh.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";

function host(isRoot: boolean, executables: string): PackageHost {
  const there = new Map(executables.split(" ").map((name) => [name, `/usr/bin/${name}`]));
  return { isRoot, find: (name) => Promise.resolve(there.get(name)) };
}
const debian = host(true, "apt-get jq");

describe("host packages", () => {
  const cases: Readonly<
    Record<string, readonly [names: string[], PackageHost, string[] | RegExp]>
  > = {
    "all there, from whatever source": [["docker.io", "jq"], host(false, "dockerd jq"), []],
    "none asked for": [[], host(false, ""), []],
    "a docker client without a daemon is no Docker": [
      ["docker.io"],
      host(true, "apt-get docker"),
      ["docker.io"],
    ],
    "only what is missing, each once, in a stable order": [
      ["xsltproc", "jq", "docker.io", "xsltproc"],
      debian,
      ["docker.io", "xsltproc"],
    ],
    "not root on Debian": [
      ["jq"],
      host(false, "apt-get"),
      /as root it is done for you.*\n {2}sudo apt-get install --no-install-recommends jq$/,
    ],
    "Fedora, even as root": [
      ["docker.io", "qemu-system-x86"],
      host(true, "dnf"),
      /run this again:\n {2}sudo dnf install moby-engine qemu-system-x86$/,
    ],
    "Arch: two packages that are one there": [
      ["libvirt-daemon-system", "libvirt-clients"],
      host(true, "pacman"),
      /\n {2}sudo pacman -S --needed libvirt$/,
    ],
    openSUSE: [
      ["xsltproc", "genisoimage"],
      host(true, "zypper"),
      /\n {2}sudo zypper install mkisofs libxslt-tools$/,
    ],
    "no package manager that is known: the programs themselves": [
      ["qemu-utils", "genisoimage"],
      host(true, ""),
      /these programs are missing.*: mkisofs, qemu-img$/,
    ],
    "one without programs: who asks has looked for its files": [["jq", "ovmf"], debian, ["ovmf"]],
    "one without programs, by its name where no package manager is known": [
      ["ovmf"],
      host(true, ""),
      /these programs are missing.*: ovmf$/,
    ],
    "apt-get goes before the others": [["jq"], host(true, "zypper dnf apt-get"), ["jq"]],
  };
  eachCase("%s", cases, async ([names, on, plan]) => {
    const found = packagesToInstall(names, on);
    if (plan instanceof RegExp) await assert.rejects(found, plan);
    else assert.deepEqual(await found, plan);
  });

  it("are installed by one process at a time, which may leave the next one nothing to do", async () => {
    const folder = newFolder();
    const file = (name: string): string => path.join(folder, name);
    // Like the real one, it refuses the lists that another one is updating.
    const aptGet = `#!/bin/sh
cd ${folder} && mkdir lists || exit 100
sleep 0.2
echo "$3" >> done
[ "$3" = update ] || { shift 5; touch "$@"; }
rmdir lists
`;
    writeFileSync(file("apt-get"), aptGet, { mode: 0o755 });
    const on: PackageHost = {
      isRoot: true,
      find: (name) => Promise.resolve(existsSync(file(name)) ? file(name) : undefined),
    };
    const { PATH, KINDOWS_CACHE = "" } = process.env;
    Object.assign(process.env, { PATH: `${folder}:${PATH ?? ""}`, KINDOWS_CACHE: file("cache") });
    const said: string[] = [];
    try {
      const asked = [["jq"], ["jq"], ["jq", "curl"]];
      await Promise.all(
        asked.map((names) => ensureHostPackages(names, (line) => said.push(line), on)),
      );
    } finally {
      Object.assign(process.env, { PATH, KINDOWS_CACHE });
    }
    assert.ok(existsSync(file("jq")) && existsSync(file("curl")));
    assert.doesNotMatch(said.join("\n"), /could not be updated/);
    assert.match(said.join("\n"), /^process \d+ is installing host packages, waiting$/m);
    const runs = readFileSync(file("done"), "utf8").trim().split("\n");
    assert.deepEqual(runs.slice(0, 2), ["update", "install"]);
    assert.ok(runs.length <= 4, runs.join(" "));
  });

  it("starts several libvirt daemons on Fedora, and one elsewhere", () => {
    assert.equal(startCommand("libvirt", "apt-get"), "sudo systemctl enable --now libvirtd");
    assert.match(startCommand("libvirt", "dnf"), /virtqemud\.socket .*virtproxyd\.socket$/);
    assert.equal(startCommand("docker", "dnf"), "sudo systemctl enable --now docker");
  });

  it("fails for a package that is not in the table", async () => {
    await assert.rejects(packagesToInstall(["libfoo"], host(true, "apt-get")), /libfoo is not in/);
    assert.throws(() => installText("dnf", ["libfoo"]), /libfoo is not in/);
  });

  it("every artifact requires only packages of the table", () => {
    const known = hostPackages.map(([debian]) => debian);
    const asked = [bakedRehearsalImage, nodeImage, loadBalancerImage, wrappedRuntime].flatMap(
      (each) => buildOrder([each]).flatMap((artifact) => artifact.hostPackages),
    );
    assert.ok(asked.includes("debootstrap"));
    const unknown = asked.filter((name) => !known.includes(name));
    assert.deepEqual(unknown, []);
  });

  it("the table has each package once, with its executable", () => {
    assert.equal(new Set(hostPackages.map(([debian]) => debian)).size, hostPackages.length);
    assert.deepEqual(
      hostPackages.flatMap(([debian, gives]) => (gives === undefined ? [debian] : [])),
      // `uefiPackages` looks for the firmware's files, and test/powershell for a PowerShell that runs under Wine.
      ["ovmf", "wine64"],
    );
  });

  describe("that a lab needs", () => {
    const running: DaemonState = { kind: "running" };
    const silent: DaemonState = { kind: "silent", reason: "" };
    const needed = (docker: DaemonState, libvirt: DaemonState, uri = "qemu:///system") =>
      requiredPackages({ hypervisor: { uri } }, { docker, libvirt });

    it("bare host: both daemons", () => {
      const packages = needed(silent, silent);
      for (const name of ["docker.io", "libvirt-daemon-system", "qemu-system-x86", "xsltproc"]) {
        assert.ok(packages.includes(name), name);
      }
    });
    it("daemons that answer, or refuse this user, are there", () => {
      for (const state of [running, { kind: "denied", reason: "" } as const]) {
        const packages = needed(state, state);
        assert.ok(!packages.includes("docker.io"));
        assert.ok(!packages.includes("libvirt-daemon-system"));
        assert.ok(packages.includes("qemu-system-x86"));
      }
    });
    it("a user whom both daemons refuse sees both groups to join", async () => {
      const docker = classifyRefusal("permission denied", "docker");
      const libvirt = classifyRefusal("permission denied", "libvirt");
      const options = { progress: () => undefined };
      await assert.rejects(ensureDaemons("qemu:///system", { docker, libvirt }, options), {
        message: /usermod -aG docker [^]+usermod -aG libvirt /,
      });
    });
    it("machines on another host: no hypervisor here", () => {
      const packages = needed(running, silent, "qemu+ssh://root@host/system");
      assert.deepEqual(packages, ["libvirt-clients", "xsltproc", "genisoimage"]);
    });
  });

  const uris = {
    "qemu:///system": true,
    "qemu:///session": true,
    "qemu+unix:///system": true,
    "qemu+unix:///system?socket=/run/x": true,
    "qemu+ssh://root@host/system": false,
    "qemu://host/system": false,
    "qemu+tls://h:1/system": false,
  };
  eachCase("%s is this host, or another", uris, (here, uri) => assert.equal(isLocal(uri), here));
});

describe("container runtime", () => {
  const masks: readonly (readonly [string, boolean])[] = [
    ["CapBnd:\t000001ffffffffff", true],
    ["CapBnd:\t000001fffeffffff", false],
    ["CapBnd:\t0000000001000000", true],
    ["CapBnd:\t0000000000000000", false],
    ["CapPrm:\t000001ffffffffff\nCapBnd:\t00000000a80425fb\n", false],
  ];
  for (const [status, has] of masks) {
    it(`${JSON.stringify(status)} ${has ? "has" : "lacks"} CAP_SYS_RESOURCE`, () =>
      assert.equal(boundingSetHasSysResource(`Name:\tx\n${status}`), has));
  }
  it("refuses a status without the set", () =>
    assert.throws(() => boundingSetHasSysResource("Name:\tx\n"), /no CapBnd line/));

  describe("wrapped", () => {
    const wrapper = path.resolve("toolchain/runc-without-sys-resource.sh");
    /** Runs it beside a runc that does this. */
    const run = (folder: string, runc: string, args: readonly string[]) => {
      writeFileSync(path.join(folder, "runc"), `#!/bin/sh\n${runc}\n`, { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env.PATH ?? ""}` };
      return execa("sh", [wrapper, ...args], { cwd: folder, env, reject: false });
    };

    const both = ["CAP_CHOWN", "CAP_SYS_RESOURCE"];
    const chown = ["CAP_CHOWN"];
    const create = (bounding: readonly string[], inheritable = bounding): object => ({
      process: { args: both, capabilities: { bounding, inheritable, ambient: [] } },
      root: {},
    });
    const cases: Readonly<Record<string, readonly [before: object, after: object]>> = {
      // Takes it out of every set, and of nothing else.
      "--root /r create --bundle . id": [create(both), create(chown)],
      "exec --process process.json id": [
        { args: ["sh"], capabilities: { effective: both } },
        { args: ["sh"], capabilities: { effective: chown } },
      ],
      // A process without capabilities stays as it is.
      "exec -p process.json id": [
        { args: ["CAP_SYS_RESOURCE"], capabilities: null },
        { args: ["CAP_SYS_RESOURCE"], capabilities: null },
      ],
      // Other commands touch no file.
      "delete --force process.json": [
        { capabilities: { effective: both } },
        { capabilities: { effective: both } },
      ],
    };
    eachCase("%s", cases, async ([before, after], args) => {
      const folder = newFolder();
      const place = path.join(folder, args.includes("create") ? "config.json" : "process.json");
      writeFileSync(place, JSON.stringify(before));
      const { stdout } = await run(folder, 'echo "runc $*"', args.split(" "));
      assert.equal(stdout, `runc ${args}`);
      assert.deepEqual(JSON.parse(readFileSync(place, "utf8")), after);
    });
    it("gives runc's own exit code", async () =>
      assert.equal((await run(newFolder(), "exit 42", ["state", "id"])).exitCode, 42));
  });
});

describe("daemons that do not answer", () => {
  const libvirt = "error: failed to connect to the hypervisor\nerror: Failed to connect socket";
  const cases: Readonly<Record<string, readonly [string, DaemonState["kind"], RegExp]>> = {
    "Docker not started": [
      "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n",
      "silent",
      /^Cannot connect to the Docker daemon/,
    ],
    "Docker of another group": [
      "Got permission denied while trying to connect to the Docker daemon socket: dial unix: permission denied\n",
      "denied",
      /usermod -aG docker \$USER/,
    ],
    "libvirt not started": [
      `${libvirt} to '/var/run/libvirt/libvirt-sock': No such file or directory\n`,
      "silent",
      /^error: Failed to connect socket to/,
    ],
    "libvirt of another group": [
      `${libvirt}: Permission denied\n`,
      "denied",
      /Permission denied.*usermod -aG docker \$USER/,
    ],
    "libvirt behind polkit": [
      "error: failed to connect\nerror: authentication unavailable: no polkit agent available\n",
      "denied",
      /polkit/,
    ],
    "no message at all": ["\n", "silent", /without a message/],
  };
  it("end the wait if they exit, with the end of their log", async function () {
    if (process.getuid?.() !== 0 || existsSync("/run/systemd/system")) this.skip();
    const folder = newFolder();
    const { PATH, KINDOWS_CACHE = "" } = process.env;
    const daemon = "#!/bin/sh\necho no room; exit 3\n";
    writeFileSync(path.join(folder, "dockerd"), daemon, { mode: 0o755 });
    Object.assign(process.env, { PATH: folder, KINDOWS_CACHE: path.join(folder, "cache") });
    try {
      const started = ensureDocker({ kind: "silent", reason: "" }, { progress: () => undefined });
      const end = /dockerd has ended \(3\); last seen: .* not installed\n.*\.log:\nno room$/;
      await assert.rejects(started, end);
    } finally {
      Object.assign(process.env, { PATH, KINDOWS_CACHE });
    }
  });

  eachCase("%s", cases, ([stderr, kind, reason]) => {
    const state = classifyRefusal(stderr, "docker");
    assert.equal(state.kind, kind);
    assert.match(state.kind === "running" ? "" : state.reason, reason);
  });
});

describe("a program of the host", () => {
  const [words, late] = ["error: no such domain", "no answer within 0.2 s"];
  const cases: Readonly<Record<string, readonly [line: string, seconds: number, ProgramEnd]>> = {
    "ends well, in English, with nothing to read": [
      'cat; echo "$LC_ALL"; echo note >&2',
      600,
      { how: "well", exitCode: 0, stdout: "C", stderr: "note", reason: "" },
    ],
    "ends badly, with its last words": [
      `echo half; echo '${words}' >&2; exit 1`,
      600,
      { how: "badly", exitCode: 1, stdout: "half", stderr: words, reason: words },
    ],
    "is stopped at the end of its time": [
      "exec sleep 3600",
      0.2,
      { how: "late", exitCode: undefined, stdout: "", stderr: "", reason: late },
    ],
  };
  eachCase("%s", cases, async ([line, seconds, end]) =>
    assert.deepEqual(await runProgram("sh", ["-c", line], seconds), end),
  );

  it("may not be run, or is not installed", async () => {
    const file = path.join(newFolder(), "program");
    writeFileSync(file, "", { mode: 0o600 });
    const missing = { [file]: "can't be run by this user", "no-such-program": "is not installed" };
    for (const [program, why] of Object.entries(missing)) {
      const { how, reason } = await runProgram(program, [], 600);
      assert.deepEqual([how, reason], ["missing", `the program ${program} ${why}`]);
    }
  });

  it("is named if it fails without a message", async () => {
    const { how, reason } = await runProgram("sh", ["-c", "exit 3"], 600);
    assert.match(`${how}: ${reason}`, /^badly: .*exit code 3/);
  });
});
