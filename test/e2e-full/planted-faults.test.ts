import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import type { Client } from "ssh2";

import { resourcesOf } from "../../cli/engine/deployment.ts";
import { readState } from "../../cli/engine/states.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { onServer } from "../../host/ssh/dial.ts";
import { RemoteFiles } from "../../host/ssh/remote-files.ts";
import { inContainer, succeeded, tail, TestLab, virsh } from "../e2e/lab.ts";

/** kubeadm's configuration in the container, with certificates that live for a minute. */
const shortLived =
  `sed 's/^kind: ClusterConfiguration$/&\\ncertificateValidityPeriod: 1m0s/' ` +
  `/kind/kubeadm.conf > /tmp/short.conf; `;

/** Renews all certificates of a control plane with a life of a minute, and waits for its end. */
async function expireControlPlane(container: string): Promise<void> {
  await inContainer(
    ...[container, "bash", "-euc"],
    `${shortLived} kubeadm certs renew all --config /tmp/short.conf; rm /tmp/short.conf; sleep 61; ` +
      `pkill --exact 'etcd|kube-apiserver'`,
  );
}

/** Gives the kubelet in a container a certificate that has ended. */
async function expireKubelet(container: string, plane: string): Promise<void> {
  const kubeconfig = await inContainer(
    ...[plane, "kubeadm", "kubeconfig", "user", "--config", "/kind/kubeadm.conf"],
    ...["--org", "system:nodes", "--client-name", `system:node:${container}`],
    ...["--validity-period", "1m"],
  );
  const data = (key: string): string =>
    new RegExp(`client-${key}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? assert.fail(key);
  await inContainer(
    ...[container, "bash", "-euc"],
    `cd /var/lib/kubelet/pki; sleep 61; umask 077; ` +
      `(echo ${data("certificate")} | base64 -d; echo ${data("key")} | base64 -d) > old.pem; ` +
      `ln -sf old.pem kubelet-client-current.pem; systemctl restart kubelet`,
  );
}

async function pathOf(volume: string): Promise<string> {
  for (const pool of (await virsh("pool-list", "--name")).split("\n")) {
    const file = await virsh("vol-path", "--pool", pool.trim(), volume).catch(() => undefined);
    if (file !== undefined) return file.trim();
  }
  return assert.fail(`no pool has the volume ${volume}`);
}

/** A disk of a machine's on a small file system of its own, which can be filled without harm to the host. */
class SmallDisk {
  private readonly image: string;
  private readonly folder: string;
  private readonly ballast: string;
  private file = "";

  constructor(private readonly domain: string) {
    this.image = `/var/tmp/${domain}.img`;
    this.folder = `/mnt/${domain}`;
    this.ballast = path.join(this.folder, "ballast");
  }

  /** Turns the machine off and moves its disk here. */
  async take(): Promise<void> {
    // What a test has left that was killed.
    await execa("umount", [this.folder], { reject: false });
    await virsh("destroy", this.domain);
    const disks = await virsh("domblklist", this.domain);
    const volume = /^\s*vda\s+(\S+)/m.exec(disks)?.[1] ?? assert.fail(disks);
    const file = volume.startsWith("/") ? volume : await pathOf(volume);
    const { stdout } = await execa("du", ["--block-size=1M", file]);
    const sizeMiB = Number.parseInt(stdout, 10) + 3072;
    await execa("truncate", ["--size", `${sizeMiB}M`, this.image]);
    await execa("mkfs.ext4", ["-q", "-F", "-m", "0", this.image]);
    await execa("mkdir", ["-p", this.folder]);
    await execa("mount", ["-o", "loop", this.image, this.folder]);
    await execa("chmod", ["755", this.folder]);
    this.file = file;
    await execa("mv", [file, this.folder]);
    await execa("ln", ["--symbolic", path.join(this.folder, path.basename(file)), file]);
  }

  /** Leaves no room. */
  async fill(): Promise<void> {
    const { stdout } = await execa("df", ["--block-size=1", "--output=avail", this.folder]);
    const free = Number(stdout.split("\n").at(-1));
    await execa("fallocate", ["--length", String(free - 1024 * 1024), this.ballast]);
  }

  async makeRoom(): Promise<void> {
    await rm(this.ballast, { force: true });
  }

  /** Turns the machine off and moves its disk back, also after a test that failed anywhere; nothing where it is not here. */
  async giveBack(): Promise<void> {
    if (this.file === "") return;
    await virsh("destroy", this.domain).catch(() => undefined); // Fails when it does not run.
    await this.makeRoom();
    await execa("mv", [path.join(this.folder, path.basename(this.file)), this.file]);
    await execa("umount", [this.folder]);
    await execa("rmdir", [this.folder]);
    await rm(this.image, { force: true });
    this.file = "";
  }
}

/** Waits until libvirt has paused a machine for an error of its disk. */
async function pausedByItsDisk(domain: string): Promise<void> {
  const what = `${domain} to be paused by a full disk`;
  await waitUntil({ what, timeoutSeconds: 180, pollMilliseconds: 1000 }, async () => {
    const state = (await virsh("domstate", "--reason", domain)).trim();
    return /I\/O error/.test(state) ? undefined : state;
  });
}

const lab = new TestLab("e2eplanted");
const { prefix: name, controlPlane: plane } = lab;

/** Writes a file in a folder that the machine of win-1 has. */
async function putOnMachine(file: string, content: Buffer): Promise<void> {
  const minutes = 10;
  const write = async (client: Client): Promise<void> =>
    (await RemoteFiles.open(client)).write(file, content);
  await onServer(await lab.machine("win-1"), minutes * 60, () => undefined, write);
}

const machine = `${name}-win-1`;
const bridge = "kw-e2eplanted";
const smallDisk = new SmallDisk(machine);

interface PlantedFault {
  readonly fault: string;
  readonly plant: () => Promise<unknown>;
  /** What the doctor says of it, each somewhere in its report. */
  readonly named: readonly RegExp[];
  /** What `--fix` says it will do; none where it leaves it to a person. */
  readonly repairs?: readonly RegExp[];
  /** Whether it may be another user's, so that nothing is wrong with the stack. */
  readonly foreign?: true;
  /** What a person does, where `--fix` does not, or not everything. */
  readonly mend?: () => Promise<unknown>;
}

const ghostNetwork = "<network><name>kindows-e2eghost</name><bridge name='kw-e2eghost'/></network>";
const ghostDomain = `<domain type='qemu'><name>${name}-ghost</name><memory unit='MiB'>64</memory>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <devices><interface type='network'><source network='${name}'/></interface></devices></domain>`;

let folder = "";
let kubeconfig = "";

async function define(command: "define" | "net-define", xml: string): Promise<void> {
  const file = path.join(folder, "ghost.xml");
  await writeFile(file, xml);
  await virsh(command, file);
}

const contexts = `apiVersion: v1
kind: Config
contexts:
- {name: kind-kindows-e2eghost, context: {cluster: kind-kindows-e2eghost, user: nobody}}
clusters: []
users: []
`;

/** Something is stopped that `--fix` starts again. */
function still(fault: string, thing: string, plant: () => Promise<unknown>): PlantedFault {
  return {
    fault,
    plant,
    named: [new RegExp(`- ${thing}`)],
    repairs: [new RegExp(`start ${thing}`)],
  };
}

const faults: readonly PlantedFault[] = [
  still("the control plane's container is stopped", `docker container ${plane}`, () =>
    execa("docker", ["stop", plane]),
  ),
  still("the control plane's container is paused", `paused docker container ${plane}`, () =>
    execa("docker", ["pause", plane]),
  ),
  still("the machine is off", `libvirt domain ${machine}`, () => virsh("destroy", machine)),
  still("the machine is paused", `paused libvirt domain ${machine}`, () =>
    virsh("suspend", machine),
  ),
  {
    fault: "the network is off, under a lab that runs",
    plant: () => virsh("net-destroy", name),
    named: [new RegExp(`- libvirt network ${name}`), /- network interface vnet\d+ \(it is the mac/],
    repairs: [new RegExp(`start libvirt network ${name}`), /plug in network interface veth/],
  },
  {
    fault: "the bridge is gone, under a lab that runs",
    plant: () => execa("ip", ["link", "delete", bridge, "type", "bridge"]),
    named: [new RegExp(`- bridge of the libvirt network ${bridge} \\(it is missing`)],
    repairs: [new RegExp(`recreate bridge of the libvirt network ${bridge}`)],
  },
  still("the network's dnsmasq is killed", `dnsmasq of the libvirt network ${name}`, () =>
    execa("pkill", ["-f", `dnsmasq .*/${name}[.]conf`]),
  ),
  still("the pool is off", `libvirt pool ${name}`, () => virsh("pool-destroy", name)),
  {
    fault: "the host was rebooted, and Docker started before libvirt",
    plant: async () => {
      await Promise.all([virsh("destroy", machine), execa("docker", ["stop", plane])]);
      await virsh("pool-destroy", name);
      await virsh("net-destroy", name);
      // What Docker does for each of its networks when it starts.
      await execa("ip", ["link", "add", bridge, "type", "bridge"]);
      await execa("ip", ["address", "add", "192.168.157.1/24", "dev", bridge]);
      await execa("ip", ["link", "set", bridge, "up"]);
    },
    named: [
      new RegExp(`- bridge that exists before its libvirt network ${bridge} \\(Docker created`),
      new RegExp(`- libvirt network ${name}`),
      new RegExp(`- libvirt pool ${name}`),
      new RegExp(`- docker container ${plane}`),
      new RegExp(`- libvirt domain ${machine}`),
    ],
    repairs: [
      new RegExp(`remove bridge that exists before its libvirt network ${bridge}`),
      new RegExp(`start libvirt network ${name}`),
    ],
  },
  {
    fault: "there are a machine and a disk that the stack knows nothing of",
    plant: async () => {
      await define("define", ghostDomain);
      await virsh("vol-create-as", name, `${name}-ghost.qcow2`, "1M", "--format", "qcow2");
    },
    named: [
      new RegExp(`Left over from the lab ${name}`),
      new RegExp(`- libvirt domain ${name}-ghost`),
      new RegExp(`- libvirt volume ${name}-ghost`),
    ],
    repairs: [
      new RegExp(`remove libvirt domain ${name}-ghost`),
      new RegExp(`remove libvirt volume ${name}-ghost`),
    ],
  },
  {
    fault: "there is a network of a lab that nobody knows",
    plant: () => define("net-define", ghostNetwork),
    named: [/Of a lab kindows-e2eghost that is in no state here/],
    foreign: true,
    mend: () => virsh("net-undefine", "kindows-e2eghost"),
  },
  {
    fault: "there is a context for a lab that nobody knows in the user's kubeconfig",
    plant: () => writeFile(kubeconfig, contexts),
    named: [/- kubeconfig entry context kind-kindows-e2eghost/],
    foreign: true,
    mend: () => rm(kubeconfig),
  },
  {
    fault: "kubelet is stopped on the Windows node",
    plant: async () => {
      await lab.onMachine("win-1", "net stop kubelet");
      await lab.untilNotReady("win-1");
    },
    named: [/- node win-1: it is not Ready: /],
    repairs: [/run Join-Node there again/],
  },
  {
    fault: "kubelet is stopped in the control plane's container",
    plant: async () => {
      await inContainer(plane, "systemctl", "stop", "kubelet");
      await lab.untilNotReady(plane);
    },
    named: [new RegExp(`- node ${plane}: it is not Ready: `)],
    repairs: [new RegExp(`restart kubelet in ${plane}`)],
  },
  {
    fault: "the Windows node was deleted from the cluster",
    plant: () => lab.kubectl("delete", "node", "win-1"),
    named: [/- node win-1: it has joined, but is not in the cluster/],
    repairs: [/run Join-Node there again/],
  },
  {
    fault: "the Windows node is cordoned",
    plant: () => lab.kubectl("cordon", "win-1"),
    named: [/- cordoned node win-1: /, /kubectl uncordon win-1/],
    mend: () => lab.kubectl("uncordon", "win-1"),
  },
  {
    fault: "the machine's clock is five hours behind",
    // Strikes when the machine is asked for its time.
    plant: () =>
      putOnMachine(
        "C:/rehearsal/faults.json",
        Buffer.from('[{"kind":"clockOff","step":"Test-WindowsHost","at":"start","hours":-5}]'),
      ),
    named: [/- clock of win-1: it is 5\.0 h behind this host's/],
    repairs: [/run Join-Node there again, which sets the clock/],
  },
  {
    fault: "kubelet's certificate in the control plane's container has expired",
    plant: () => expireKubelet(plane, plane),
    named: [new RegExp(`- certificate of kubelet in ${plane}: it expired`)],
    repairs: [new RegExp(`give kubelet in ${plane} a new certificate`)],
  },
  {
    fault: "the control plane's certificates have expired",
    plant: () => expireControlPlane(plane),
    named: [new RegExp(`- certificates of ${plane}: .*apiserver expired`), /- API server: it does/],
    repairs: [new RegExp(`renew the certificates of the control plane in ${plane}`)],
  },
  {
    fault: "a full disk has paused the machine",
    plant: async () => {
      await smallDisk.take();
      const before = await lab.leaseRenewal("win-1");
      await virsh("start", machine);
      // The machine may be back before the control plane has noticed that it was gone.
      await lab.untilRenewed("win-1", before);
      await smallDisk.fill();
      // Ends when the machine goes on, or loses its power.
      putOnMachine("C:/rehearsal/big", Buffer.alloc(96 << 20, 1)).catch(() => undefined);
      await pausedByItsDisk(machine);
    },
    named: [
      new RegExp(`- paused libvirt domain ${machine} \\(I/O error.*0\\.0 GiB free`),
      /--fix leaves it alone; make room on that disk/,
    ],
    mend: async () => {
      assert.match(await virsh("domstate", "--reason", machine), /I\/O error/);
      await smallDisk.makeRoom();
      await succeeded(lab.kindows("doctor", "--fix"));
      await smallDisk.giveBack();
      await succeeded(lab.kindows("doctor", "--fix"));
    },
  },
  {
    fault: "a join was not finished and its token has expired",
    plant: async () => {
      const state = (await readState(lab.stack)) ?? assert.fail("there is no state");
      const join = resourcesOf(state).find(({ urn }) => urn.endsWith("::win-1-join-node"));
      await succeeded(
        lab.withEnvironment(`pulumi state delete --yes --target-dependents '${join?.urn}'`),
      );
      const tokens = ["--field-selector", "type=bootstrap.kubernetes.io/token"];
      await lab.kubectl("-n", "kube-system", "delete", "secrets", ...tokens);
    },
    named: [
      /- join of win-1: it was started but not finished; its token has expired/,
      /kindows up/,
    ],
    mend: () => succeeded(lab.kindows("up")),
  },
];

/** Everything the lab has on this host, by what cannot be made again the same. */
async function identities(): Promise<unknown> {
  const domains = (await virsh("list", "--all", "--name")).split("\n").map((each) => each.trim());
  const own = domains.filter((each) => each.startsWith(name));
  const containers = ["ps", "--all", "--no-trunc", "--quiet", "--filter"];
  return {
    domains: await Promise.all(own.map(async (each) => [each, await virsh("domuuid", each)])),
    network: await virsh("net-uuid", name),
    pool: await virsh("pool-uuid", name),
    volumes: (await virsh("vol-list", name)).split("\n").sort(),
    containers: (await execa("docker", [...containers, `label=io.x-k8s.kind.cluster=${name}`]))
      .stdout,
    dockerNetwork: (await execa("docker", ["network", "inspect", "--format", "{{.Id}}", name]))
      .stdout,
  };
}

/** A lab that runs, one fault after the other planted in it, and what the doctor makes of each. */
describe("the doctor, with faults planted in a lab that runs", () => {
  /** What the lab was made of. */
  let asMade: unknown;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-planted-"));
    kubeconfig = path.join(folder, "kubeconfig");
    process.env["KUBECONFIG"] = kubeconfig;
    await lab.configure({ network: { cidr: "192.168.157.0/24" }, nodes: [{ name: "win-1" }] });
    await succeeded(lab.kindows("up"));
    asMade = await identities();
  });
  after(async () => {
    await smallDisk.giveBack();
    await lab.remove();
    await rm(folder, { recursive: true, force: true });
    delete process.env["KUBECONFIG"];
  });

  // The next fault wants a lab in order, whatever became of this one.
  afterEach(async function () {
    if (this.currentTest?.state === "failed") {
      await smallDisk.giveBack();
      await lab.kindows("doctor", "--fix");
      await succeeded(lab.kindows("up"));
      asMade = await identities();
    }
  });

  it("has nothing to tell before", () => succeeded(lab.kindows("doctor")));

  for (const { fault, plant, named, repairs = [], foreign = false, mend } of faults) {
    it(`${fault}: ${mend === undefined ? "named and repaired" : "named, and not touched"}`, async () => {
      await plant();
      const found = await lab.kindows("doctor");
      assert.equal(found.exitCode, foreign ? 0 : 1, tail(found.output));
      for (const each of named) assert.match(found.output, each);
      const fixed = await lab.kindows("doctor", "--fix");
      // Said before anything is done.
      const [, planned = ""] = /^--fix will:\n((?: {2}- .*\n)+)/m.exec(fixed.output) ?? [];
      for (const each of repairs) assert.match(planned, each, tail(fixed.output));
      const isFine = mend === undefined || foreign;
      assert.equal(fixed.exitCode, isFine ? 0 : 1, tail(fixed.output));
      if (repairs.length === 0) assert.match(fixed.output, /there is nothing for --fix to repair/);
      await mend?.();
      await lab.untilReady([plane, "win-1"]);
      await succeeded(lab.kindows("doctor"));
      assert.deepEqual(await identities(), asMade);
    });
  }

  it("has left a lab that is as the stack wants it", () => lab.plansNothing());
});
