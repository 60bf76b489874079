import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";

import { loadBalancerImage } from "../../../components/controlplane/load-balancer-image/artifact.ts";
import { nodeImage } from "../../../components/controlplane/node-image/artifact.ts";
import { bakedRehearsalImage } from "../../../rehearsal/bake/artifact.ts";
import { buildOrder } from "../../../toolchain/build-order.ts";
import { boundingSetHasSysResource } from "../../../toolchain/capabilities.ts";
import { dockerdArguments, wrappedRuntime } from "../../../toolchain/container-runtime.ts";
import { classifyRefusal } from "../../../toolchain/daemon-state.ts";
import type { DaemonState } from "../../../toolchain/daemon-state.ts";
import { hostPackages } from "../../../toolchain/host-package-table.ts";
import { installCommand, planPackages } from "../../../toolchain/host-packages.ts";
import type { Host, Plan } from "../../../toolchain/host-packages.ts";
import { isLocal, requiredPackages } from "../../../toolchain/host-requirements.ts";
import { waitUntil } from "../../../toolchain/wait-until.ts";

/** A host with these executables. */
function host(isRoot: boolean, executables: string): Host {
  return {
    isRoot,
    find: (name) =>
      Promise.resolve(executables.split(" ").includes(name) ? `/usr/bin/${name}` : undefined),
  };
}

describe("host packages", () => {
  const install = (...packages: readonly string[]): Plan => ({ kind: "install", packages });
  const nothing: Plan = { kind: "nothing" };
  const cases: readonly {
    readonly what: string;
    readonly names: readonly string[];
    readonly on: Host;
    readonly plan: Plan | RegExp;
  }[] = [
    {
      what: "all there, from whatever source",
      names: ["docker.io", "jq"],
      on: host(false, "dockerd jq"),
      plan: nothing,
    },
    { what: "none asked for", names: [], on: host(false, ""), plan: nothing },
    {
      what: "a docker client without a daemon is no Docker",
      names: ["docker.io"],
      on: host(true, "apt-get docker"),
      plan: install("docker.io"),
    },
    {
      what: "only what is missing, each once, in a stable order",
      names: ["xsltproc", "jq", "docker.io", "xsltproc"],
      on: host(true, "apt-get jq"),
      plan: install("docker.io", "xsltproc"),
    },
    {
      what: "not root on Debian",
      names: ["jq"],
      on: host(false, "apt-get"),
      plan: /as root it is done for you.*\n {2}sudo apt-get install --no-install-recommends jq$/,
    },
    {
      what: "Fedora, even as root",
      names: ["docker.io", "qemu-system-x86"],
      on: host(true, "dnf"),
      plan: /run this again:\n {2}sudo dnf install moby-engine qemu-system-x86-core$/,
    },
    {
      what: "Arch: two packages that are one there",
      names: ["libvirt-daemon-system", "libvirt-clients"],
      on: host(true, "pacman"),
      plan: /\n {2}sudo pacman -S --needed libvirt$/,
    },
    {
      what: "openSUSE",
      names: ["xsltproc", "genisoimage"],
      on: host(true, "zypper"),
      plan: /\n {2}sudo zypper install mkisofs libxslt-tools$/,
    },
    {
      what: "no package manager that is known: the programs themselves",
      names: ["qemu-utils", "genisoimage"],
      on: host(true, ""),
      plan: /these programs are missing.*: mkisofs, qemu-img$/,
    },
    {
      what: "one without programs: who asks has looked for its files",
      names: ["jq", "ovmf"],
      on: host(true, "apt-get jq"),
      plan: install("ovmf"),
    },
    {
      what: "one without programs, by its name where no package manager is known",
      names: ["ovmf"],
      on: host(true, ""),
      plan: /these programs are missing.*: ovmf$/,
    },
    {
      what: "apt-get goes before the others",
      names: ["jq"],
      on: host(true, "zypper dnf apt-get"),
      plan: install("jq"),
    },
  ];
  for (const { what, names, on, plan } of cases) {
    it(what, async () => {
      const found = await planPackages(names, on);
      if (plan instanceof RegExp) {
        assert.match(found.kind === "tell" ? found.message : `wrong plan: ${found.kind}`, plan);
      } else {
        assert.deepEqual(found, plan);
      }
    });
  }

  it("one that is not in the table is a mistake of ours", async () => {
    await assert.rejects(planPackages(["libfoo"], host(true, "apt-get")), /libfoo is not in/);
    assert.throws(() => installCommand("dnf", ["libfoo"]), /libfoo is not in/);
  });

  it("every artifact asks only for packages of the table", () => {
    const known = hostPackages.map((each) => each.debian);
    const asked = [bakedRehearsalImage, nodeImage, loadBalancerImage, wrappedRuntime].flatMap(
      (each) => buildOrder([each]).flatMap((artifact) => artifact.hostPackages),
    );
    assert.ok(asked.includes("debootstrap"));
    assert.deepEqual(
      asked.filter((name) => !known.includes(name)),
      [],
    );
  });

  it("the table has each package once, and a sign of it", () => {
    assert.equal(new Set(hostPackages.map((each) => each.debian)).size, hostPackages.length);
    assert.deepEqual(
      hostPackages.filter((each) => each.gives.length === 0).map(({ debian }) => debian),
      // Firmware: `uefiPackages` looks for its files.
      ["ovmf"],
    );
  });

  describe("that a lab needs", () => {
    const running: DaemonState = { kind: "running" };
    const silent: DaemonState = { kind: "silent", reason: "" };
    const denied: DaemonState = { kind: "denied", reason: "" };
    const needed = (uri: string, docker: DaemonState, libvirt: DaemonState): readonly string[] =>
      requiredPackages({ hypervisor: { uri } }, { docker, libvirt });

    it("bare host: both daemons", () => {
      const packages = needed("qemu:///system", silent, silent);
      for (const name of ["docker.io", "libvirt-daemon-system", "qemu-system-x86", "xsltproc"]) {
        assert.ok(packages.includes(name), name);
      }
    });
    it("daemons that answer, or refuse this user, are there", () => {
      for (const state of [running, denied]) {
        const packages = needed("qemu:///system", state, state);
        assert.ok(!packages.includes("docker.io"));
        assert.ok(!packages.includes("libvirt-daemon-system"));
        assert.ok(packages.includes("qemu-system-x86"));
      }
    });
    it("machines elsewhere: no hypervisor here", () =>
      assert.deepEqual(needed("qemu+ssh://root@host/system", running, silent), [
        "libvirt-clients",
        "xsltproc",
        "genisoimage",
      ]));
  });

  const uris: readonly (readonly [string, boolean])[] = [
    ["qemu:///system", true],
    ["qemu:///session", true],
    ["qemu+unix:///system", true],
    ["qemu+unix:///system?socket=/run/x", true],
    ["qemu+ssh://root@host/system", false],
    ["qemu://host/system", false],
    ["qemu+tls://host:16514/system", false],
  ];
  for (const [uri, local] of uris) {
    it(`${uri} is ${local ? "this host" : "another host"}`, () =>
      assert.equal(isLocal(uri), local));
  }
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

  it("is Docker's own where nothing is missing", () =>
    assert.deepEqual(dockerdArguments(undefined), []));
  it("is the wrapped one where the capability is missing", () =>
    assert.deepEqual(dockerdArguments("/cache/x/runc"), [
      ...["--add-runtime", "kindows-runc=/cache/x/runc"],
      ...["--default-runtime", "kindows-runc"],
    ]));

  describe("wrapped", () => {
    const wrapper = path.join(
      import.meta.dirname,
      "../../../toolchain/runc-without-sys-resource.sh",
    );
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(path.join(os.tmpdir(), "kindows-runc-"));
      writeFileSync(path.join(folder, "runc"), '#!/bin/sh\necho "runc $*"\n');
      chmodSync(path.join(folder, "runc"), 0o755);
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const both = ["CAP_CHOWN", "CAP_SYS_RESOURCE"];
    const cases: readonly {
      readonly what: string;
      readonly args: readonly string[];
      readonly file: string;
      readonly before: object;
      readonly after: object;
    }[] = [
      {
        what: "create: takes it out of every set, and of nothing else",
        args: ["--root", "/r", "create", "--bundle", ".", "id"],
        file: "config.json",
        before: {
          process: { args: both, capabilities: { bounding: both, inheritable: both, ambient: [] } },
          root: {},
        },
        after: {
          process: {
            args: both,
            capabilities: { bounding: ["CAP_CHOWN"], inheritable: ["CAP_CHOWN"], ambient: [] },
          },
          root: {},
        },
      },
      {
        what: "exec: the same in the process file",
        args: ["exec", "--process", "process.json", "id"],
        file: "process.json",
        before: { args: ["sh"], capabilities: { effective: both } },
        after: { args: ["sh"], capabilities: { effective: ["CAP_CHOWN"] } },
      },
      {
        what: "exec: a process without capabilities stays as it is",
        args: ["exec", "-p", "process.json", "id"],
        file: "process.json",
        before: { args: ["CAP_SYS_RESOURCE"], capabilities: null },
        after: { args: ["CAP_SYS_RESOURCE"], capabilities: null },
      },
      {
        what: "other commands touch no file",
        args: ["delete", "--force", "process.json"],
        file: "process.json",
        before: { capabilities: { effective: both } },
        after: { capabilities: { effective: both } },
      },
    ];
    for (const { what, args, file, before, after } of cases) {
      it(what, async () => {
        const place = path.join(folder, file);
        writeFileSync(place, JSON.stringify(before));
        const { stdout } = await execa("sh", [wrapper, ...args], {
          cwd: folder,
          env: { PATH: `${folder}:${process.env.PATH ?? ""}` },
        });
        assert.equal(stdout, `runc ${args.join(" ")}`);
        assert.deepEqual(JSON.parse(readFileSync(place, "utf8")), after);
      });
    }
    it("gives runc's own exit code", async () => {
      writeFileSync(path.join(folder, "runc"), "#!/bin/sh\nexit 42\n");
      const result = await execa("sh", [wrapper, "state", "id"], {
        env: { PATH: `${folder}:${process.env.PATH ?? ""}` },
        reject: false,
      });
      assert.equal(result.exitCode, 42);
    });
  });
});

describe("daemons that do not answer", () => {
  const cases: readonly (readonly [string, string, DaemonState["kind"], RegExp])[] = [
    [
      "Docker not started",
      "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n",
      "silent",
      /^Cannot connect to the Docker daemon/,
    ],
    [
      "Docker of another group",
      "Got permission denied while trying to connect to the Docker daemon socket: dial unix: permission denied\n",
      "denied",
      /join the group docker/,
    ],
    [
      "libvirt not started",
      "error: failed to connect to the hypervisor\nerror: Failed to connect socket to '/var/run/libvirt/libvirt-sock': No such file or directory\n",
      "silent",
      /^error: failed to connect to the hypervisor/,
    ],
    [
      "libvirt of another group",
      "error: failed to connect to the hypervisor\nerror: Failed to connect socket: Permission denied\n",
      "denied",
      /Permission denied.*join the group docker/,
    ],
    [
      "libvirt behind polkit",
      "error: failed to connect\nerror: authentication unavailable: no polkit agent available\n",
      "denied",
      /polkit/,
    ],
    ["no word at all", "\n", "silent", /without a word/],
  ];
  for (const [what, stderr, kind, reason] of cases) {
    it(what, () => {
      const state = classifyRefusal(stderr, "docker");
      assert.equal(state.kind, kind);
      assert.match(state.kind === "running" ? "" : state.reason, reason);
    });
  }
});

describe("a bounded wait", () => {
  it("ends as soon as nothing is left to wait for", async () => {
    const seen = ["one", "two", undefined];
    const options = { what: "it", timeoutSeconds: 600, pollMilliseconds: 1 };
    await waitUntil(options, () => Promise.resolve(seen.shift()));
    assert.deepEqual(seen, []);
  });
  it("says what it waited for and what it saw last", async () => {
    let looks = 0;
    const options = { what: "Docker to answer", timeoutSeconds: 0.02, pollMilliseconds: 5 };
    await assert.rejects(
      waitUntil(options, () => Promise.resolve(`look ${++looks}`)),
      (error: Error) =>
        error.message === `waited 0.02 s for Docker to answer; last seen: look ${looks}`,
    );
    assert.ok(looks > 1);
  });
});
