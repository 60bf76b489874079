import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ImageSettings } from "../../../components/windows/image/builder/built-image.ts";
import { kvmProbeRom } from "../../../preflight/kvm-probe-rom.ts";
import { probeDocker } from "../../../preflight/probe-docker.ts";
import { probeImage } from "../../../preflight/probe-image.ts";
import { probeInotify } from "../../../preflight/probe-inotify.ts";
import { memoryIn } from "../../../preflight/probe-memory.ts";
import { routeRanges } from "../../../preflight/probe-network.ts";
import { probeTools } from "../../../preflight/probe-tools.ts";

/** An image that is still to be made: there is no disk yet to look at. */
const isoImage = {
  kind: "iso",
  path: "/srv/windows.iso",
  edition: "standard-core",
  language: "en-US",
  firmware: "bios",
  drivers: {},
  openSsh: {},
  update: {},
} as const;

/** What the settings have to say of an image. */
function asking(image: ImageSettings["windows"]["image"]): ImageSettings {
  return {
    windows: { version: "2022", image, containerdVersion: "2.3.4", checksums: {} },
    cluster: { kubernetesVersion: "1.36.4" },
    cni: { kind: "calico", calico: { version: "3.32.1" } },
  };
}

describe("probes", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kindows-probe-"));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  describe("Docker", () => {
    let server: Server | undefined;
    afterEach(() => {
      server?.close();
      server?.closeAllConnections();
      server = undefined;
    });

    /** An engine at a socket that gives `answers` by path; others are not found. */
    async function engine(answers: Readonly<Record<string, unknown>>): Promise<string> {
      const socket = path.join(folder, "docker.sock");
      const started = createServer((request, response) => {
        const answer = answers[request.url ?? ""];
        response.statusCode = answer === undefined ? 404 : 200;
        response.end(
          typeof answer === "string"
            ? answer
            : JSON.stringify(answer ?? { message: "page not found" }),
        );
      });
      server = started;
      await new Promise<void>((resolve) => started.listen(socket, resolve));
      return `unix://${socket}`;
    }

    const answers = {
      "/info": {
        ServerVersion: "28.5.1",
        DockerRootDir: "/data/docker",
        SecurityOptions: ["name=seccomp,profile=builtin", "name=rootless"],
      },
      "/networks": [
        {
          Name: "bridge",
          Id: "618b5b78ffdec0f0",
          Driver: "bridge",
          IPAM: { Config: [{ Subnet: "172.17.0.0/16" }] },
          Options: { "com.docker.network.bridge.name": "docker0" },
        },
        {
          Name: "shop",
          Id: "0123456789abcdef",
          Driver: "bridge",
          IPAM: { Config: [{ Subnet: "172.18.0.0/16" }, { Subnet: "fc00::/64" }] },
          Options: {},
        },
        { Name: "none", Id: "2755e06e7f28", Driver: "null", IPAM: { Config: null }, Options: null },
      ],
      "/containers/json?all=true": [
        { Names: ["/x-control-plane"], Labels: { "io.x-k8s.kind.cluster": "x" }, State: "running" },
        { Names: ["/db"], Labels: null, State: "exited" },
      ],
    };

    it("tells version, folder, networks with their bridges, and containers with their cluster", async () => {
      assert.deepEqual(await probeDocker(await engine(answers)), {
        reachable: true,
        version: "28.5.1",
        rootless: true,
        rootFolder: "/data/docker",
        networks: [
          { name: "bridge", cidrs: ["172.17.0.0/16"], bridge: "docker0" },
          { name: "shop", cidrs: ["172.18.0.0/16", "fc00::/64"], bridge: "br-0123456789ab" },
          { name: "none", cidrs: [], bridge: undefined },
        ],
        containers: [
          { name: "x-control-plane", kindCluster: "x", running: true },
          { name: "db", kindCluster: undefined, running: false },
        ],
      });
    });

    it("without a socket is not reachable", async () => {
      const socket = path.join(folder, "none.sock");
      assert.deepEqual(await probeDocker(`unix://${socket}`), {
        reachable: false,
        error: `connect ENOENT ${socket}`,
      });
    });

    it("on another host is not reachable", async () => {
      assert.deepEqual(await probeDocker("tcp://192.0.2.7:2375"), {
        reachable: false,
        error: "DOCKER_HOST is tcp://192.0.2.7:2375, which is not a socket of this host",
      });
    });

    it("that refuses a question is not reachable, with its own words", async () => {
      const found = await probeDocker(await engine({ ...answers, "/networks": undefined }));
      assert.deepEqual(found, {
        reachable: false,
        error: '/networks answered 404: {"message":"page not found"}',
      });
    });

    it("that answers something else is not reachable", async () => {
      const found = await probeDocker(await engine({ ...answers, "/info": "<html>" }));
      assert.ok(!found.reachable);
      assert.match(found.error, /^\/info at .* did not answer in JSON$/);
    });
  });

  it("routes are told by range, without the default route", () => {
    const table = [
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
      "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
      "docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0",
      "tun0\t0090A8C0\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0",
      "eth0\t0102A8C0\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0",
    ];
    assert.deepEqual(routeRanges(`${table.join("\n")}\n`), [
      { cidr: "172.17.0.0/16", interface: "docker0" },
      { cidr: "192.168.144.0/20", interface: "tun0" },
      { cidr: "192.168.2.1/32", interface: "eth0" },
    ]);
  });

  it("memory is told in MiB", () => {
    const table =
      "MemTotal:       24683120 kB\nMemFree:  3107000 kB\nMemAvailable:   21249004 kB\n";
    assert.deepEqual(memoryIn(table), { availableMiB: 20750, totalMiB: 24104 });
    assert.throws(() => memoryIn("MemTotal: 1 kB\n"), /no line MemAvailable/);
  });

  it("tools are missing unless they can be run", async () => {
    assert.deepEqual(await probeTools(folder), { missing: ["mkisofs", "xsltproc"] });
    await writeFile(path.join(folder, "mkisofs"), "");
    await writeFile(path.join(folder, "xsltproc"), "");
    await chmod(path.join(folder, "xsltproc"), 0o755);
    assert.deepEqual(await probeTools(`/nowhere:${folder}`), { missing: ["mkisofs"] });
  });

  describe("image", () => {
    it("is there, with the size a machine sees", async () => {
      const file = path.join(folder, "image");
      const header = Buffer.alloc(104);
      header.write("QFI\xfb\0\0\0\x03", "latin1");
      header.writeBigUInt64BE(15_728_640_000n, 24);
      await writeFile(file, header);
      assert.deepEqual(await probeImage(asking({ kind: "disk", path: file })), {
        virtualGiB: 15_728_640_000 / 1024 ** 3,
      });
    });

    it("is a VHD or VHDX that nobody has converted", async () => {
      const file = path.join(folder, "image");
      await writeFile(file, `${"x".repeat(1024)}conectix${"x".repeat(504)}`);
      assert.equal(await probeImage(asking({ kind: "disk", path: file })), "not converted");
      await writeFile(file, "vhdxfile and so on");
      assert.equal(await probeImage(asking({ kind: "disk", path: file })), "not converted");
    });

    it("is no disk", async () => {
      const file = path.join(folder, "image");
      await writeFile(file, "conectix");
      assert.equal(await probeImage(asking({ kind: "disk", path: file })), "no disk");
    });

    it("is missing, unreadable, not made yet", async () => {
      assert.equal(
        await probeImage(asking({ kind: "disk", path: path.join(folder, "none") })),
        "missing",
      );
      assert.equal(await probeImage(asking({ kind: "disk", path: folder })), "unreadable");
      assert.equal(await probeImage(asking(isoImage)), "missing");
    });

    it("of no bytes is no disk", async () => {
      const file = path.join(folder, "empty");
      await writeFile(file, "");
      assert.equal(await probeImage(asking({ kind: "disk", path: file })), "no disk");
    });
  });

  it("the KVM probe's ROM jumps from the reset vector to its code, and there to where code is", () => {
    const rom = kvmProbeRom();
    assert.equal(rom.length, 65_536);
    assert.equal((0xfff0 + 3 + rom.readInt16LE(0xfff1)) & 0xffff, 0);
    const farJumps = { 0x10: 2, 0x63: 1 };
    for (const [at, opcodeLength] of Object.entries(farJumps)) {
      const target = rom.readUInt32LE(Number(at) + opcodeLength);
      assert.equal(target & ~0xffff, 0xf0000);
      assert.equal(target & 0xffff, Number(at) + opcodeLength + 6, "the next instruction");
    }
    assert.equal(rom.subarray(0x6f, 0x74).toString("hex"), "48ffc975fb", "the loop");
  });

  describe("inotify", () => {
    async function process(pid: string, uid: number, files: readonly string[]): Promise<void> {
      const fd = path.join(folder, pid, "fd");
      await mkdir(fd, { recursive: true });
      await writeFile(path.join(folder, pid, "status"), `Name:\tx\nUid:\t${uid}\t0\t0\t0\n`);
      await Promise.all(files.map(async (file, n) => symlink(file, path.join(fd, String(n)))));
    }

    it("counts root's instances only, and what can be seen", async () => {
      const limits = path.join(folder, "sys/fs/inotify");
      await mkdir(limits, { recursive: true });
      await writeFile(path.join(limits, "max_user_instances"), "128\n");
      await process("1", 0, ["anon_inode:inotify", "/dev/null", "anon_inode:inotify"]);
      await process("22", 0, ["anon_inode:[eventpoll]"]);
      await process("333", 1000, ["anon_inode:inotify"]);
      await mkdir(path.join(folder, "4444"));
      await mkdir(path.join(folder, "self"));
      assert.deepEqual(await probeInotify(folder), { limit: 128, used: 2 });
    });
  });
});
