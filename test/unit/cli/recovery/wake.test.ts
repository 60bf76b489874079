import assert from "node:assert/strict";
import type { Host } from "../../../../cli/lab/host.ts";
import { pausedMachine, pausedMachines } from "../../../../cli/recovery/machine-sleepers.ts";
import type { Pause } from "../../../../cli/recovery/machine-sleepers.ts";
import type { Idle } from "../../../../cli/recovery/sleeper.ts";
import { asleepOf, wakeLab } from "../../../../cli/recovery/wake.ts";

const dnsmasq =
  "/usr/sbin/dnsmasq --conf-file=/var/lib/libvirt/dnsmasq/kindows-x.conf --leasefile-ro";

/** A host whose programs answer what is recorded for their first words, and nothing otherwise. */
function recordedHost(
  answers: Readonly<Record<string, string>>,
  libvirtUri = "qemu:///system",
): { readonly host: Host; readonly asked: string[] } {
  const asked: string[] = [];
  const run: Host["run"] = (program, args) => {
    const line = [program, ...args].join(" ").replace(`-q -c ${libvirtUri} `, "");
    asked.push(line);
    return Promise.resolve(answers[line] ?? "");
  };
  return { host: { libvirtUri, run }, asked };
}

async function wake(
  answers: Readonly<Record<string, string>>,
  extent: "built-on" | "deleted-with" = "built-on",
  uri?: string,
): Promise<{ readonly said: string[]; readonly asked: string[] }> {
  const { host, asked } = recordedHost(answers, uri);
  const said: string[] = [];
  await wakeLab("kindows-x", host, extent, (line) => said.push(line));
  return { said, asked };
}

describe("waking a lab", () => {
  it("starts nothing where nothing stands still", async () => {
    const { said } = await wake({
      "virsh net-list --name": "kindows-x",
      "ps -e -o args=": `/sbin/init\n${dnsmasq}`,
    });
    assert.deepEqual(said, []);
  });

  it("starts pool, network and containers, each of this lab only", async () => {
    const { said } = await wake({
      "virsh pool-list --inactive --name": "kindows-x\nkindows-y",
      "virsh net-list --inactive --name": "default\nkindows-x",
      "docker ps --all --filter status=exited --format {{.Names}} --filter label=io.x-k8s.kind.cluster=kindows-x":
        "kindows-x-worker-2\nkindows-x-control-plane",
    });
    assert.deepEqual(said, [
      "started libvirt pool kindows-x",
      "started libvirt network kindows-x",
      "started docker container kindows-x-control-plane",
      "started docker container kindows-x-worker-2",
    ]);
  });

  const paused = {
    "virsh list --all --name": "kindows-x-win-1\nkindows-y-win-1",
    "virsh dumpxml --inactive kindows-x-win-1": "<uuid>1</uuid><source network='kindows-x'/>",
    "virsh dumpxml --inactive kindows-y-win-1": "<uuid>2</uuid><source network='kindows-y'/>",
    "virsh list --state-paused --name": "kindows-x-win-1\nkindows-y-win-1",
  };

  it("resumes a machine that was paused", async () => {
    const { said, asked } = await wake({ ...paused, "virsh domstate kindows-x-win-1": "running" });
    assert.deepEqual(said, ["started paused libvirt domain kindows-x-win-1"]);
    assert.ok(asked.includes("virsh resume kindows-x-win-1"));
    assert.ok(!asked.includes("virsh resume kindows-y-win-1"));
  });

  it("says what to do for one that is paused again at once, as on a full disk", async () => {
    await assert.rejects(
      wake({ ...paused, "virsh domstate kindows-x-win-1": "paused\n" }),
      /kindows-x-win-1 is paused again at once: make room on this host's disk/,
    );
  });

  it("can be told without being done", async () => {
    const { host, asked } = recordedHost({
      ...paused,
      "virsh net-list --inactive --name": "kindows-x\nkindows-y",
      "virsh net-list --name": "",
    });
    assert.deepEqual(await asleepOf("kindows-x", host), {
      asleep: [
        { kind: "libvirt network", name: "kindows-x", verb: "start" },
        { kind: "paused libvirt domain", name: "kindows-x-win-1", verb: "start" },
      ],
      blind: [],
    });
    assert.deepEqual(
      asked.filter((line) => /start|resume|update/.test(line)),
      [],
    );
  });

  it("brings back the dnsmasq of a network that runs without one", async () => {
    const { said, asked } = await wake({
      "virsh net-list --name": "default\nkindows-x",
      "ps -e -o args=": dnsmasq.replace("kindows-x", "kindows-xx"),
    });
    assert.deepEqual(said, ["started dnsmasq of the libvirt network kindows-x"]);
    assert.deepEqual(
      asked.filter((line) => line.includes("net-update")).map((line) => line.split(" ")[4]),
      ["add-last", "delete"],
    );
  });

  it("looks for no dnsmasq on another host", async () => {
    const { said } = await wake(
      { "virsh net-list --name": "kindows-x" },
      "built-on",
      "qemu+ssh://root@other/system",
    );
    assert.deepEqual(said, []);
  });

  it("needs no more than the pool to remove a lab", async () => {
    const { said } = await wake(
      {
        "virsh pool-list --inactive --name": "kindows-x",
        "virsh net-list --inactive --name": "kindows-x",
      },
      "deleted-with",
    );
    assert.deepEqual(said, ["started libvirt pool kindows-x"]);
  });

  const bridgeXml = "<network><name>kindows-x</name><bridge name='kw-x' stp='on'/></network>";
  const links = (...all: readonly object[]): string => JSON.stringify(all);
  const dockerBridge = `docker network inspect --format {{index .Options "com.docker.network.bridge.name"}} kindows-x`;

  it("takes away a bridge that Docker made before libvirt could, then starts the network", async () => {
    const { said, asked } = await wake({
      "virsh net-list --inactive --name": "kindows-x",
      "virsh net-dumpxml --inactive kindows-x": bridgeXml,
      "ip -j link show": links({ ifname: "lo" }, {}, { ifname: "kw-x" }),
      [dockerBridge]: "kw-x\n",
    });
    assert.deepEqual(said, [
      "removed bridge that is there before its libvirt network kw-x",
      "started libvirt network kindows-x",
    ]);
    assert.ok(asked.includes("ip link delete kw-x type bridge"));
  });

  for (const [what, linksThere, uri] of [
    ["there is none", links({ ifname: "docker0" }), undefined],
    ["it is on another host", links({ ifname: "kw-x" }), "qemu+ssh://root@other/system"],
  ] as const) {
    it(`removes no bridge where ${what}`, async () => {
      const { said, asked } = await wake(
        {
          "virsh net-list --inactive --name": "kindows-x",
          "virsh net-dumpxml --inactive kindows-x": bridgeXml,
          "ip -j link show": linksThere,
          [dockerBridge]: "kw-x\n",
        },
        "built-on",
        uri,
      );
      assert.deepEqual(said, ["started libvirt network kindows-x"]);
      assert.ok(!asked.some((line) => line.startsWith("ip link delete")));
    });
  }

  it("leaves a bridge alone that is not Docker's, and says so", async () => {
    const { host, asked } = recordedHost({
      "virsh net-list --inactive --name": "kindows-x",
      "virsh net-dumpxml --inactive kindows-x": bridgeXml,
      "ip -j link show": links({ ifname: "kw-x" }),
      [dockerBridge]: "",
    });
    await assert.rejects(
      wakeLab("kindows-x", host, "built-on", () => undefined),
      /kw-x: it is not known who made it.*if nobody needs it: ip link delete kw-x/,
    );
    assert.ok(!asked.some((line) => line.startsWith("ip link delete")));
  });

  it("makes a bridge again that is gone though the network runs", async () => {
    const { said, asked } = await wake({
      "virsh net-list --name": "kindows-x",
      "virsh net-dumpxml --inactive kindows-x": bridgeXml,
      "ip -j link show": links({ ifname: "lo" }),
      "ps -e -o args=": dnsmasq,
    });
    assert.deepEqual(said, ["made again bridge of the libvirt network kw-x"]);
    assert.deepEqual(
      asked.filter((line) => /net-(destroy|start)/.test(line)),
      ["virsh net-destroy kindows-x", "virsh net-start kindows-x"],
    );
  });

  it("plugs in what has lost its bridge, machine and container", async () => {
    const { said, asked } = await wake({
      "virsh net-list --name": "kindows-x",
      "virsh net-dumpxml --inactive kindows-x": bridgeXml,
      "ps -e -o args=": dnsmasq,
      "virsh list --all --name": "kindows-x-win-1",
      "virsh list --name --state-running": "kindows-x-win-1",
      "virsh dumpxml --inactive kindows-x-win-1": "<uuid>1</uuid><source network='kindows-x'/>",
      "virsh domiflist kindows-x-win-1":
        " Interface   Type      Source      Model    MAC\n---\n vnet3   network   kindows-x   virtio   52:54:00:00:00:01\n",
      "docker ps --filter status=running --format {{.Names}} --filter label=io.x-k8s.kind.cluster=kindows-x":
        "kindows-x-control-plane",
      "docker exec kindows-x-control-plane cat /sys/class/net/eth0/iflink": "77\n",
      "ip -j link show": links(
        { ifname: "kw-x", ifindex: 1 },
        { ifname: "vnet3", ifindex: 9 },
        { ifname: "veth1", ifindex: 77 },
        { ifname: "veth2", ifindex: 78, master: "docker0" },
      ),
    });
    assert.deepEqual(said, [
      "plugged in network interface vnet3",
      "plugged in network interface veth1",
    ]);
    assert.ok(asked.includes("ip link set dev veth1 master kw-x"));
  });

  it("starts what it can, and tells of the rest at the end", async () => {
    const { host } = recordedHost({
      "virsh pool-list --inactive --name": "kindows-x",
      "docker ps --all --filter status=paused --format {{.Names}} --filter label=io.x-k8s.kind.cluster=kindows-x":
        "kindows-x-control-plane",
    });
    const broken: Host = {
      ...host,
      run: (program, args) =>
        args.includes("pool-start")
          ? Promise.reject(new Error("no folder"))
          : host.run(program, args),
    };
    const said: string[] = [];
    await assert.rejects(
      wakeLab("kindows-x", broken, "built-on", (line) => said.push(line)),
      /libvirt pool: no folder/,
    );
    assert.deepEqual(said, ["started paused docker container kindows-x-control-plane"]);
  });

  it("tells what could not be looked for, and the rest all the same", async () => {
    const { host } = recordedHost({ "virsh net-list --inactive --name": "kindows-x" });
    const silent: Host = {
      ...host,
      run: (program, args) =>
        program === "docker"
          ? Promise.reject(new Error("no answer within 60 s"))
          : host.run(program, args),
    };
    const { asleep, blind } = await asleepOf("kindows-x", silent);
    assert.deepEqual(
      asleep.map(({ kind }) => kind),
      ["libvirt network"],
    );
    assert.deepEqual(
      blind.map(({ kind, reason }) => `${kind}: ${reason}`),
      ["docker container: no answer within 60 s", "paused docker container: no answer within 60 s"],
    );
  });
});

describe("a machine that is paused", () => {
  const cases: readonly (readonly [string, Pause, Omit<Idle, "name">])[] = [
    ["by somebody", { state: "paused (user)", diskErrors: ["No errors found"], freeGiB: 9 }, {}],
    ["nobody knows why", { state: "", diskErrors: [], freeGiB: undefined }, {}],
    [
      "for a snapshot",
      { state: "paused (saving)", diskErrors: [], freeGiB: 9 },
      { seen: "saving" },
    ],
    [
      "for a full disk that has room again",
      { state: "paused (I/O error)", diskErrors: ["vda: no space"], freeGiB: 1 },
      { seen: "I/O error, vda: no space, 1.0 GiB free where its disks are" },
    ],
    [
      "for a full disk, which still is",
      { state: "paused (I/O error)", diskErrors: ["vda: no space"], freeGiB: 0.02 },
      {
        seen: "I/O error, vda: no space, 0.0 GiB free where its disks are",
        first:
          "make room on that disk, at least 1 GiB (`kindows cache prune`, `docker system df`), then run this again",
      },
    ],
    [
      "for a full disk nobody can see",
      { state: "paused (I/O error)", diskErrors: ["vda: no space"], freeGiB: undefined },
      { seen: "I/O error, vda: no space" },
    ],
    [
      "for a reason only its disk tells",
      { state: "", diskErrors: ["vda: unspecified error"], freeGiB: 5 },
      { seen: "I/O error, vda: unspecified error, 5.0 GiB free where its disks are" },
    ],
  ];
  for (const [name, pause, expected] of cases) {
    it(name, () => {
      assert.deepEqual(pausedMachine("m", pause), { name: "m", ...expected });
    });
  }

  it("asks for the room of each disk, also of those that libvirt lists by the name of their volume", async () => {
    const { host } = recordedHost({
      "virsh list --state-paused --name": "kindows-x-win-1\n",
      "virsh list --all --name": "kindows-x-win-1\n",
      "virsh dumpxml --inactive kindows-x-win-1": "<source network='kindows-x'/>",
      "virsh domstate --reason kindows-x-win-1": "paused (I/O error)\n",
      "virsh domblkerror kindows-x-win-1": "vda: no space\n",
      "virsh domblklist kindows-x-win-1": " vda  kindows-x-win-1.qcow2\n sda  /pool/identity.iso\n",
      "virsh vol-path --pool kindows-x kindows-x-win-1.qcow2": "/pool/kindows-x-win-1.qcow2\n",
      "df --block-size=1 --output=avail /pool/kindows-x-win-1.qcow2 /pool/identity.iso":
        "Avail\n4096\n55000000000\n",
    });
    const [machine] = await pausedMachines.idle(host, "kindows-x");
    assert.match(machine?.seen ?? "", /vda: no space, 0\.0 GiB free/);
    assert.match(machine?.first ?? "", /make room/);
  });
});
