import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import path from "node:path";
import type { ImageSettings } from "../../../../images/windows/builder/built-image.ts";
import { cluster } from "../../../../config/sections/cluster.ts";
import { cni } from "../../../../config/sections/cni.ts";
import { objectsIn } from "../../../../components/machine/libvirt/libvirt-facts.ts";
import {
  denialsIn,
  gatherConfinement,
} from "../../../../components/machine/libvirt/confinement.ts";
import type { DockerEndpoint } from "../../../../host/docker-engine.ts";
import { gatherDocker } from "../../../../components/controlplane/docker-readiness.ts";
import { gatherImageArchives } from "../../../../components/image-archives/readiness.ts";
import { availableIn, bridgeIn } from "../../../../components/machine/libvirt/readiness.ts";
import { gatherImage } from "../../../../stacks/image-readiness.ts";
import { gatherInotify, memoryIn } from "../../../../stacks/room.ts";
import { missingTools } from "../../../../stacks/host-facts.ts";
import { gatherListener } from "../../../../components/network/host-services.ts";
import { rangesOf } from "../../../../components/network/segment-readiness.ts";
import { Cache } from "../../../../toolchain/cache.ts";
import { eachCase } from "../../each-case.ts";
import { archiveOf, dockerFiles } from "../../image-archives/write-archive.ts";
import { noGivenFiles } from "../../../../config/given-files.ts";
import { newFolder } from "../../new-folder.ts";

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

/** Looks at an image that the settings ask for. */
function gathered(image: ImageSettings["windows"]["image"]): ReturnType<typeof gatherImage> {
  return gatherImage({
    windows: { version: "2022", image, containerdVersion: "2.3.4", checksums: {} },
    cluster: { kubernetesVersion: "1.36.4" },
    cni: cni.parse({}),
    given: noGivenFiles,
  });
}

describe("gathered facts", () => {
  let folder: string;
  beforeEach(() => (folder = newFolder()));

  it("of archives of images are their size, or what is wrong with them", async () => {
    const gather = (...imageArchives: readonly string[]) =>
      gatherImageArchives(
        { cluster: cluster.parse({ imageArchives }) },
        new Cache(path.join(folder, "cache")),
      );
    const image = { names: ["quay.io/calico/node:v3.32.1"], layer: "1".repeat(2 ** 20) };
    const { gib, problems } = await gather(await archiveOf(dockerFiles([image]), "gzip"));
    assert.ok(gib > 1 / 1024 && gib < 1.1 / 1024, String(gib));
    assert.deepEqual(problems, []);
    const broken = await gather("/nowhere/a.tar");
    assert.deepEqual(
      [broken.gib, ...broken.problems.map(({ subject }) => subject)],
      [0, 'kindows:cluster.imageArchives[0]: "/nowhere/a.tar"'],
    );
  });

  describe("Docker", () => {
    let server: Server | undefined;
    afterEach(() => {
      server?.close();
      server?.closeAllConnections();
    });

    /** An engine at a socket that gives `answers` by path; others are not found. */
    async function engine(answers: Readonly<Record<string, unknown>>): Promise<string> {
      const socket = path.join(folder, "docker.sock");
      server = createServer((request, response) => {
        const answer = answers[request.url ?? ""];
        response.statusCode = answer === undefined ? 404 : 200;
        const text = JSON.stringify(answer ?? { message: "page not found" });
        response.end(typeof answer === "string" ? answer : text);
      }).listen(socket);
      await once(server, "listening");
      return `unix://${socket}`;
    }

    const at = (host: string): DockerEndpoint => ({ host, by: "DOCKER_HOST" });
    const network = (Name: string, Id: string, subnets: readonly string[], Options = {}) => ({
      Name,
      Id,
      Driver: "bridge",
      Options,
      IPAM: { Config: subnets.map((Subnet) => ({ Subnet })) },
    });
    const answers = {
      "/info": {
        ServerVersion: "28.5.1",
        DockerRootDir: "/data/docker",
        SecurityOptions: ["name=seccomp,profile=builtin", "name=rootless"],
      },
      "/networks": [
        network("bridge", "618b5b78ffdec0f0", ["172.17.0.0/16"], {
          "com.docker.network.bridge.name": "docker0",
        }),
        network("shop", "0123456789abcdef", ["172.18.0.0/16", "fc00::/64"]),
        { Name: "none", Id: "2755e06e7f28", Driver: "null", IPAM: { Config: null }, Options: null },
      ],
      "/containers/json?all=true": [
        { Names: ["/x-control-plane"], Labels: { "io.x-k8s.kind.cluster": "x" }, State: "running" },
        { Names: ["/db"], Labels: null, State: "exited", Ports: [] },
        {
          Names: ["/kindows-x-registry"],
          Labels: { "kindows.registry-of": "kindows-x" },
          State: "running",
          Ports: [{ PublicPort: 5001 }, { PrivatePort: 5000 }],
        },
      ],
    };

    it("tells version, folder, networks with their bridges, and containers with their cluster", async () =>
      assert.deepEqual(await gatherDocker(at(await engine(answers))), {
        reachable: true,
        endpoint: at(`unix://${path.join(folder, "docker.sock")}`),
        version: "28.5.1",
        rootless: true,
        rootFolder: "/data/docker",
        networks: [
          { name: "bridge", cidrs: ["172.17.0.0/16"], bridge: "docker0" },
          { name: "shop", cidrs: ["172.18.0.0/16", "fc00::/64"], bridge: "br-0123456789ab" },
          { name: "none", cidrs: [] },
        ],
        containers: [
          { name: "x-control-plane", kindCluster: "x", running: true },
          { name: "db", running: false },
          { name: "kindows-x-registry", registryOf: "kindows-x", running: true, ports: [5001] },
        ],
      }));

    it("is not reachable without a socket, on another host, and where it refuses a question", async () => {
      const socket = path.join(folder, "none.sock");
      const refusing = await engine({ ...answers, "/networks": undefined });
      const tcp = "tcp://192.0.2.7:2375";
      for (const [endpoint, error] of [
        [`unix://${socket}`, `connect ENOENT ${socket}`],
        [tcp, `DOCKER_HOST is ${tcp}, which is not a socket of this host`],
        [refusing, `Docker at ${refusing}: page not found`],
      ] as const) {
        assert.deepEqual(await gatherDocker(at(endpoint)), { reachable: false, error });
      }
    });

    it("that answers something else is not reachable", async () => {
      const found = await gatherDocker(at(await engine({ ...answers, "/info": "<html>" })));
      assert.ok(!found.reachable);
      assert.match(found.error, /^\/info at .* did not answer in JSON$/);
    });
  });

  it("routes are reported by range, without the default route", () => {
    const table = [
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
      "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
      "docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0",
      "tun0\t0090A8C0\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0",
      "eth0\t0102A8C0\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0",
    ];
    assert.deepEqual(rangesOf({}, `${table.join("\n")}\n`), [
      { cidr: "172.17.0.0/16", interface: "docker0", by: "route" },
      { cidr: "192.168.144.0/20", interface: "tun0", by: "route" },
      { cidr: "192.168.2.1/32", interface: "eth0", by: "route" },
    ]);
  });

  describe("who listens on a port of this host", () => {
    // 5001 is 1389 in hexadecimal; 0A is the state of a socket that listens.
    const row = (address: string, state = "0A"): string =>
      `   0: ${address}:1389 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 0 0 4711 1`;
    const cases: Readonly<Record<string, readonly [tcp: string, tcp6: string, found?: string]>> = {
      "is nobody": [row("0100007F", "06"), ""],
      "is somebody on another address only": [
        row("010200C0"),
        row("00000000000000000000000001000000"),
      ],
      "is a program on 127.0.0.1": [row("0100007F"), "", "python3"],
      "is a program on every address": [row("00000000"), "", "python3"],
      "is a program on every address of both families": ["", row("0".repeat(32)), "python3"],
      "is a program on 127.0.0.1 by an address of IPv6": [
        "",
        row("0000000000000000FFFF00000100007F"),
        "python3",
      ],
      "is a program of another user": [row("0100007F").replace("4711", "4712"), "", ""],
    };
    eachCase("%s", cases, async ([tcp, tcp6, found]) => {
      const proc = path.join(newFolder(), "proc");
      const [head, fd] = ["  sl  local_address rem_address   st", path.join(proc, "42/fd")];
      await mkdir(path.join(proc, "net"), { recursive: true });
      await mkdir(fd, { recursive: true });
      await writeFile(path.join(proc, "net/tcp"), `${head}\n${tcp}\n`);
      await writeFile(path.join(proc, "net/tcp6"), `${head}\n${tcp6}\n`);
      await writeFile(path.join(proc, "42/comm"), "python3\n");
      await symlink("socket:[4711]", path.join(fd, "3"));
      assert.equal(await gatherListener(5001, path.dirname(proc)), found);
    });
  });

  it("memory is reported in MiB", () => {
    const table =
      "MemTotal:       24683120 kB\nMemFree:  3107000 kB\nMemAvailable:   21249004 kB\n";
    assert.deepEqual(memoryIn(table), { availableMiB: 20750, totalMiB: 24104 });
    assert.throws(() => memoryIn("MemTotal: 1 kB\n"), /no line MemAvailable/);
  });

  it("tools are missing unless they can be run", async () => {
    assert.deepEqual(await missingTools(folder), ["mkisofs", "xsltproc"]);
    await writeFile(path.join(folder, "mkisofs"), "");
    await writeFile(path.join(folder, "xsltproc"), "");
    await chmod(path.join(folder, "xsltproc"), 0o755);
    assert.deepEqual(await missingTools(`/nowhere:${folder}`), ["mkisofs"]);
  });

  describe("image", () => {
    it("is there, with the size a machine sees", async () => {
      const file = path.join(folder, "image");
      const header = Buffer.alloc(104);
      header.write("QFI\xfb\0\0\0\x03", "latin1");
      header.writeUInt32BE(16, 20);
      header.writeBigUInt64BE(15_728_640_000n, 24);
      await writeFile(file, header);
      const virtualGiB = 15_728_640_000 / 1024 ** 3;
      assert.deepEqual(gathered({ kind: "disk", path: file }), { virtualGiB });
    });

    const contents = {
      "not prepared": [`${"x".repeat(1024)}conectix${"x".repeat(504)}`, "vhdxfile and so on"],
      "no disk": ["conectix", ""],
    };
    eachCase("is %s", contents, async (texts, expected) => {
      const file = path.join(folder, "image");
      for (const text of texts) {
        await writeFile(file, text);
        assert.equal(gathered({ kind: "disk", path: file }), expected);
      }
    });

    it("is missing, unreadable, not made yet", () => {
      assert.equal(gathered({ kind: "disk", path: path.join(folder, "none") }), "missing");
      assert.equal(gathered({ kind: "disk", path: folder }), "unreadable");
      assert.equal(gathered(isoImage), "missing");
    });
  });

  it("inotify instances are counted where they are root's, and can be seen", async () => {
    const process = async (pid: string, uid: number, files: readonly string[]): Promise<void> => {
      const fd = path.join(folder, pid, "fd");
      await mkdir(fd, { recursive: true });
      await writeFile(path.join(folder, pid, "status"), `Name:\tx\nUid:\t${uid}\t0\t0\t0\n`);
      await Promise.all(files.map(async (file, n) => symlink(file, path.join(fd, String(n)))));
    };
    const limits = path.join(folder, "sys/fs/inotify");
    await mkdir(limits, { recursive: true });
    await writeFile(path.join(limits, "max_user_instances"), "128\n");
    await process("1", 0, ["anon_inode:inotify", "/dev/null", "anon_inode:inotify"]);
    await process("22", 0, ["anon_inode:[eventpoll]"]);
    await process("333", 1000, ["anon_inode:inotify"]);
    for (const name of ["4444", "self"]) await mkdir(path.join(folder, name));
    assert.deepEqual(await gatherInotify(folder), { limit: 128, used: 2 });
  });

  const confinements: Readonly<Record<string, readonly [file: string, is: string, by: unknown]>> = {
    "is nothing on a kernel without either": ["other", "", undefined],
    "is AppArmor where that is on": ["module/apparmor/parameters/enabled", "Y\n", "AppArmor"],
    "is no AppArmor that is off": ["module/apparmor/parameters/enabled", "N\n", undefined],
    "is SELinux that enforces": ["fs/selinux/enforce", "1", "SELinux"],
    "is no SELinux that only reports": ["fs/selinux/enforce", "0", undefined],
  };
  eachCase("confinement %s", confinements, async ([file, is, by]) => {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), is);
    assert.equal((await gatherConfinement(folder)).by, by);
  });

  it("denials of machines are found in a log, each file once, and no others", () => {
    const machine = "libvirt-e1ee5c06-1f3c-4fa9-baba-772dd011a8a5";
    const appArmor = (profile: string, file: string, mask: string, what = "DENIED"): string =>
      `audit: type=1400 audit(1548806964.776:22663): apparmor="${what}" operation="open" class="file" profile="${profile}" name="${file}" pid=10369 comm="qemu-system-x86" requested_mask="${mask}" denied_mask="${mask}" fsuid=64055 ouid=64055`;
    const seLinux = (what: string, domain: string, end: string): string =>
      `avc:  denied  { read write } for  pid=369525 comm="qemu-system-x86" ${what} dev="vda2" ino=4677 scontext=system_u:system_r:${domain}:s0:c199,c344 tcontext=system_u:object_r:default_t:s0 tclass=file${end}`;
    const log = [
      `[263802.885482] ${appArmor(machine, "/pool/a.qcow2", "r")}`,
      `Jan 29 19:09:24 host kernel: ${appArmor(machine, "/pool/a.qcow2", "wr")}`,
      ...[appArmor("libvirtd", "/x", "x"), appArmor(machine, "/x", "r", "ALLOWED")],
      `type=AVC msg=audit(1733476544.855:6456): ${seLinux('name="b.qcow2"', "svirt_t", " permissive=0")}`,
      `AVC ${seLinux("path=/mnt/c.qcow2", "svirt_tcg_t", "")}`,
      ...[seLinux('name="d"', "virtqemud_t", ""), seLinux('name="d"', "svirt_t", " permissive=1")],
    ];
    assert.deepEqual(denialsIn(log.join("\n")), [
      { by: "AppArmor", file: "/pool/a.qcow2", wanted: "wr" },
      { by: "SELinux", file: "b.qcow2", wanted: "read write" },
      { by: "SELinux", file: "/mnt/c.qcow2", wanted: "read write" },
    ]);
  });
});

/** What virsh prints for three networks, two pools and two domains, shortened. */
const text = `<network>
  <name>default</name>
  <bridge name='virbr0' stp='on' delay='0'/>
  <ip address='192.168.122.1' netmask='255.255.255.0'/>
</network>

<network connections='1'>
  <name>kindows-x</name>
  <bridge name='kw-x' stp='on' delay='0'/>
  <ip family='ipv4' address='192.168.171.1' prefix='24'><dhcp/></ip>
  <ip family='ipv6' address='fd00::1' prefix='64'/>
</network>

<network><name>isolated</name></network>

<pool type='dir'>
  <name>kindows-x</name>
  <target><path>/var/lib/libvirt/images/kindows-x</path></target>
</pool>

<pool type='rbd'><name>ceph</name><source><name>rbd</name></source></pool>

<domain type='qemu' id='3'>
  <name>kindows-x-win-1</name>
  <devices>
    <interface type='network'><source network='kindows-x' bridge='kw-x'/></interface>
    <interface type='bridge'><source bridge='br0'/></interface>
    <interface type='network'><source network='default'/></interface>
  </devices>
</domain>

<domain type='kvm'><name>db</name></domain>
`;

describe("libvirt's answers", () => {
  it("tell networks, pools and machines", () => {
    assert.deepEqual(objectsIn(text), {
      networks: [
        { name: "default", bridge: "virbr0", cidrs: ["192.168.122.0/24"] },
        { name: "kindows-x", bridge: "kw-x", cidrs: ["192.168.171.0/24"] },
        { name: "isolated", bridge: undefined, cidrs: [] },
      ],
      pools: [
        { name: "kindows-x", path: "/var/lib/libvirt/images/kindows-x" },
        { name: "ceph", path: undefined },
      ],
      domains: [
        { name: "kindows-x-win-1", running: true, networks: ["kindows-x", "default"] },
        { name: "db", running: false, networks: [] },
      ],
    });
  });

  const bridges: Readonly<Record<string, readonly [answer: object, bridge: unknown]>> = {
    "a bridge with its MTU": [
      { stdout: "<interface type='bridge' name='br0'>\n  <mtu size='9000'/>\n</interface>\n" },
      { mtu: 9000 },
    ],
    "a bridge that tells no MTU": [
      { stdout: "<interface type='bridge' name='br0'/>\n" },
      { mtu: undefined },
    ],
    "an interface that is no bridge": [
      { stdout: "<interface type='ethernet' name='br0'/>" },
      "missing",
    ],
    "no interface of that name": [
      { stderr: "error: failed\nerror: Interface not found: couldn't find interface 'br0'\n" },
      "missing",
    ],
    "a libvirt without the driver": [
      { stderr: "error: this function is not supported by the connection driver: virInterface" },
      "unknown",
    ],
  };
  eachCase("tell of another host: %s", bridges, ([answer, bridge]) =>
    assert.deepEqual(bridgeIn({ stdout: "", stderr: "", ...answer }), bridge),
  );

  it("tell what memory is free, and what caches would give back, or not", () => {
    const table =
      "total  :             16384000 KiB\nfree   :              1024000 KiB\nbuffers:                 1024 KiB\ncached :              2048000 KiB\n";
    assert.equal(availableIn(table), 3001);
    assert.equal(availableIn("error: unsupported"), undefined);
  });
});
