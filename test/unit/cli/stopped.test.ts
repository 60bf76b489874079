import assert from "node:assert/strict";
import {
  pausedMachine,
  pausedMachines,
  type Pause,
} from "../../../components/machine/libvirt/domains.ts";
import type { Stopped } from "../../../components/host-resource.ts";
import { startStopped, stoppedOf } from "../../../cli/host-resources/stopped.ts";
import { eachCase } from "../each-case.ts";
import { domainXml, psLine, recordedHost, registryLine, type Answers } from "./recorded-host.ts";

const here = "qemu:///system";
const elsewhere = "qemu+ssh://root@other/system";
const dnsmasq =
  "/usr/sbin/dnsmasq --conf-file=/var/lib/libvirt/dnsmasq/kindows-x.conf --leasefile-ro";
const dockerBridge = `docker network inspect --format {{index .Options "com.docker.network.bridge.name"}} kindows-x`;
const links = (...all: readonly object[]): string => JSON.stringify(all);

/** The lab's network, which does not run, and its bridge. */
const idleNetwork = {
  "virsh net-list --all": "default active yes\nkindows-x inactive yes",
  "virsh net-dumpxml --inactive kindows-x":
    "<network><name>kindows-x</name><bridge name='kw-x' stp='on'/></network>",
};
/** The same on a host with this bridge; Docker has made the one that is named. */
const withBridge = (ifname: string, ofDocker: string): Answers => ({
  ...idleNetwork,
  "ip -j link show": links({ ifname }),
  [dockerBridge]: ofDocker,
});
const startsNetwork = {
  said: ["started libvirt network kindows-x"],
  done: ["virsh net-start kindows-x"],
};
/** The same when it runs, with its dnsmasq. */
const network = {
  ...idleNetwork,
  "virsh net-list --all": "default active yes\nkindows-x active yes",
  "ps -e -o args=": `/sbin/init\n${dnsmasq}`,
  "ip -j link show": links({ ifname: "lo" }, {}, { ifname: "kw-x", ifindex: 1 }),
};
/** Docker's answers about a container at an address; undefined: it does not run. */
function container(name: string, address?: string, asked?: string): Answers {
  const endpoint = { IPAddress: address ?? "", IPAMConfig: asked ? { IPv4Address: asked } : null };
  const State = { Running: address !== undefined };
  return {
    [`docker inspect --type container ${name}`]: JSON.stringify([
      { State, NetworkSettings: { Networks: { "kindows-x": endpoint } } },
    ]),
    [`docker cp ${name}:/kindows-address -`]: `${"\0".repeat(512)}10.0.0.2\0`,
  };
}
const paused = {
  "virsh list --all": "1 kindows-x-win-1 paused\n2 kindows-y-win-1 paused",
  "virsh dumpxml --inactive kindows-x-win-1": domainXml("kindows-x"),
  "virsh dumpxml --inactive kindows-y-win-1": domainXml("kindows-y"),
};

interface Case {
  readonly answers: Answers;
  readonly which?: "needed to remove" | ReadonlySet<string>;
  readonly uri?: string;
  readonly said: readonly string[];
  /** What is done, where what is said does not tell it. */
  readonly done?: readonly string[];
  readonly trouble?: RegExp;
}

const cases: Readonly<Record<string, Case>> = {
  "starts nothing where nothing is stopped": { answers: network, said: [], done: [] },
  "starts pool, network and containers, each of this lab only": {
    answers: {
      "virsh pool-list --all": "kindows-x inactive\nkindows-y inactive",
      "virsh net-list --all": "default active yes\nkindows-x inactive yes",
      [psLine]:
        "kindows-x-worker-2 exited kindows-x\nkindows-y-worker exited kindows-y\nkindows-x-control-plane exited kindows-x",
      ...container("kindows-x-control-plane"),
      ...container("kindows-x-worker-2", undefined, "10.0.0.2"),
    },
    said: [
      "started libvirt network kindows-x",
      "started docker container kindows-x-control-plane",
      "started docker container kindows-x-worker-2",
      "started libvirt pool kindows-x",
    ],
    done: [
      "virsh net-start kindows-x",
      "docker network disconnect kindows-x kindows-x-control-plane",
      "docker network connect --ip 10.0.0.2 kindows-x kindows-x-control-plane",
      "docker start kindows-x-control-plane",
      "docker start kindows-x-worker-2",
    ],
  },
  "restarts a container that Docker has given another address": {
    answers: {
      [psLine]: "kindows-x-control-plane running kindows-x",
      ...container("kindows-x-control-plane", "10.0.0.3"),
    },
    said: ["restarted misplaced docker container kindows-x-control-plane"],
    done: [
      "docker stop --time 10 kindows-x-control-plane",
      "docker network disconnect kindows-x kindows-x-control-plane",
      "docker network connect --ip 10.0.0.2 kindows-x kindows-x-control-plane",
      "docker start kindows-x-control-plane",
    ],
  },
  "starts a registry": {
    answers: { [registryLine]: "kindows-x-registry exited kindows-x 0123456789abcdef" },
    said: ["started image registry kindows-x-registry"],
    done: ["docker start kindows-x-registry"],
  },
  "leaves a registry alone that answers": {
    answers: { [registryLine]: "kindows-x-registry running kindows-x 0123456789abcdef" },
    said: [],
  },
  "restarts a registry that does not answer": {
    answers: {
      [registryLine]: [
        "kindows-x-registry running kindows-x 0123456789abcdef",
        "kindows-y-registry exited kindows-y 0123456789abcdef",
      ].join("\n"),
      "curl --silent --show-error --noproxy * --max-time 5 --retry 5 --retry-delay 1 --retry-all-errors http://127.0.0.1:5001/v2/":
        new Error("curl: (52) Empty reply from server"),
    },
    said: ["restarted silent image registry kindows-x-registry"],
    done: ["docker restart kindows-x-registry"],
  },
  "starts only what was named": {
    answers: {
      "virsh list --all": "- kindows-x-win-1 shut off\n- kindows-x-win-2 shut off",
      "virsh dumpxml --inactive kindows-x-win-1": domainXml("kindows-x"),
      "virsh dumpxml --inactive kindows-x-win-2": domainXml("kindows-x"),
      "virsh start kindows-x-win-2": "",
      [psLine]: "kindows-x-control-plane exited kindows-x",
    },
    which: new Set(["kindows-x-win-2"]),
    said: ["started libvirt domain kindows-x-win-2"],
  },
  "resumes a machine that was paused": {
    answers: { ...paused, "virsh domstate kindows-x-win-1": "running" },
    said: ["started paused libvirt domain kindows-x-win-1"],
    done: ["virsh resume kindows-x-win-1"],
  },
  "says what to do for one that is paused again at once, as on a full disk": {
    answers: { ...paused, "virsh domstate kindows-x-win-1": "paused\n" },
    said: [],
    trouble: /kindows-x-win-1 is paused again at once: make room on this host's disk/,
  },
  "brings back the dnsmasq of a network that runs without one": {
    answers: { ...network, "ps -e -o args=": dnsmasq.replace("kindows-x", "kindows-xx") },
    said: ["started dnsmasq of the libvirt network kindows-x"],
    done: ["add-last", "delete"].map(
      (way) =>
        `virsh net-update kindows-x --live ${way} dns-txt <txt name="kindows-wake" value="x"/>`,
    ),
  },
  "looks for no dnsmasq on another host": {
    answers: { "virsh net-list --all": "kindows-x active" },
    uri: elsewhere,
    said: [],
  },
  "needs no more than the pool to remove a lab": {
    answers: { ...idleNetwork, "virsh pool-list --all": "kindows-x inactive" },
    which: "needed to remove",
    said: ["started libvirt pool kindows-x"],
  },
  "takes away a bridge that Docker made before libvirt could, then starts the network": {
    answers: withBridge("kw-x", "kw-x\n"),
    said: [
      "removed bridge that exists before its libvirt network kw-x",
      "started libvirt network kindows-x",
    ],
    done: ["ip link delete kw-x type bridge", "virsh net-start kindows-x"],
  },
  "removes no bridge where there is none": {
    answers: withBridge("docker0", "kw-x\n"),
    ...startsNetwork,
  },
  "removes no bridge of another host": {
    answers: withBridge("kw-x", "kw-x\n"),
    uri: elsewhere,
    ...startsNetwork,
  },
  "leaves a bridge alone that is not Docker's, and says so": {
    answers: withBridge("kw-x", ""),
    ...startsNetwork,
    trouble: /kw-x: it is unknown who created it.*if nothing uses it: ip link delete kw-x/,
  },
  "makes a bridge again that is gone though the network runs": {
    answers: { ...network, "ip -j link show": links({ ifname: "lo" }) },
    said: ["recreated bridge of the libvirt network kw-x"],
    done: ["virsh net-destroy kindows-x", "virsh net-start kindows-x"],
  },
  "plugs in what has lost its bridge, machine and container": {
    answers: {
      ...network,
      "virsh list --all": "1 kindows-x-win-1 running",
      "virsh dumpxml --inactive kindows-x-win-1": domainXml("kindows-x"),
      "virsh domiflist kindows-x-win-1":
        " Interface   Type      Source      Model    MAC\n---\n vnet3   network   kindows-x   virtio   52:54:00:00:00:01\n",
      [psLine]: "kindows-x-control-plane running kindows-x control-plane",
      ...container("kindows-x-control-plane", "10.0.0.2"),
      "docker exec kindows-x-control-plane cat /sys/class/net/eth0/iflink": "77\n",
      "ip -j link show": links(
        { ifname: "kw-x", ifindex: 1 },
        { ifname: "vnet3", ifindex: 9 },
        { ifname: "veth1", ifindex: 77 },
        { ifname: "veth2", ifindex: 78, master: "docker0" },
      ),
    },
    said: ["plugged in network interface vnet3", "plugged in network interface veth1"],
    done: ["ip link set dev vnet3 master kw-x", "ip link set dev veth1 master kw-x"],
  },
  "starts what it can, and tells of the rest at the end": {
    answers: {
      "virsh pool-list --all": "kindows-x inactive",
      "virsh pool-start kindows-x": new Error("no folder"),
      [psLine]: "kindows-x-control-plane paused kindows-x",
    },
    said: ["started paused docker container kindows-x-control-plane"],
    trouble: /libvirt pool: no folder/,
  },
};

const changing =
  /^(virsh (net-update|net-destroy|net-start|resume)|docker (start|stop|restart|network (dis)?connect)|ip link (delete|set)) /;

describe("starting what of a lab is stopped", () => {
  eachCase("%s", cases, async (wanted) => {
    const host = recordedHost(wanted.answers, "", wanted.uri ?? here);
    const said: string[] = [];
    const which = wanted.which ?? "all";
    const woken = startStopped("kindows-x", host, which, (line) => said.push(line));
    if (wanted.trouble === undefined) await woken;
    else await assert.rejects(woken, wanted.trouble);
    assert.deepEqual(said, wanted.said);
    if (wanted.done === undefined) return;
    const done = host.asked.filter((line) => changing.test(line));
    assert.deepEqual(done, wanted.done);
  });

  it("can be reported without being done, also where not all could be looked for", async () => {
    const silent = new Error("no answer within 60 s");
    const host = recordedHost({ ...paused, ...idleNetwork, [psLine]: silent }, "", here);
    assert.deepEqual(await stoppedOf("kindows-x", host), {
      found: [
        { kind: "libvirt network", name: "kindows-x", verb: "start" },
        { kind: "paused libvirt domain", name: "kindows-x-win-1", verb: "start" },
      ],
      unlisted: ["docker container", "paused docker container", "misplaced docker container"].map(
        (kind) => ({ kind, reason: silent.message }),
      ),
    });
    assert.ok(!host.asked.some((line) => /start|resume|update/.test(line)));
  });
});

describe("a machine that is paused", () => {
  const full = { state: "paused (I/O error)", diskErrors: ["vda: no space"] };
  const error = { state: "", diskErrors: ["vda: unspecified error"], freeGiB: 5 };
  const first =
    "make room on that disk, at least 1 GiB (`kindows cache prune`, `docker system df`), then run this again";
  const pauses: Readonly<Record<string, readonly [Pause, Omit<Stopped, "name">]>> = {
    "by somebody": [{ state: "paused (user)", diskErrors: ["No errors found"], freeGiB: 9 }, {}],
    "nobody knows why": [{ state: "", diskErrors: [], freeGiB: undefined }, {}],
    "for a snapshot": [
      { state: "paused (saving)", diskErrors: [], freeGiB: 9 },
      { seen: "saving" },
    ],
    "for a full disk that has room again": [
      { ...full, freeGiB: 1 },
      { seen: "I/O error, vda: no space, 1.0 GiB free where its disks are" },
    ],
    "for a full disk, which still is": [
      { ...full, freeGiB: 0.02 },
      { seen: "I/O error, vda: no space, 0.0 GiB free where its disks are", first },
    ],
    "for a full disk nobody can see": [
      { ...full, freeGiB: undefined },
      { seen: "I/O error, vda: no space" },
    ],
    "for a reason only its disk tells": [
      error,
      { seen: "I/O error, vda: unspecified error, 5.0 GiB free where its disks are" },
    ],
  };
  eachCase("%s", pauses, ([pause, expected]) =>
    assert.deepEqual(pausedMachine("m", pause), { name: "m", ...expected }),
  );

  it("asks for the room of each disk, also of those that libvirt lists by the name of their volume", async () => {
    const answers = {
      "virsh list --all": "1 kindows-x-win-1 paused\n",
      "virsh dumpxml --inactive kindows-x-win-1": domainXml("kindows-x"),
      "virsh domstate --reason kindows-x-win-1": "paused (I/O error)\n",
      "virsh domblkerror kindows-x-win-1": "vda: no space\n",
      "virsh domblklist kindows-x-win-1": " vda  kindows-x-win-1.qcow2\n sda  /pool/identity.iso\n",
      "virsh vol-path --pool kindows-x kindows-x-win-1.qcow2": "/pool/kindows-x-win-1.qcow2\n",
      "df --block-size=1 --output=avail /pool/kindows-x-win-1.qcow2 /pool/identity.iso":
        "Avail\n4096\n55000000000\n",
    };
    const [machine] = await pausedMachines.find(recordedHost(answers, "", here), "kindows-x");
    assert.match(machine?.seen ?? "", /vda: no space, 0\.0 GiB free/);
    assert.match(machine?.first ?? "", /make room/);
  });
});
