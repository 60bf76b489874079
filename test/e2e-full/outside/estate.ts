import { cp, mkdir, mkdtemp, open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { parse, stringify } from "yaml";

import { ensureClusterImages } from "../../../components/controlplane/actions/cluster-images.ts";
import { hostTraits, kindConfig } from "../../../components/controlplane/kind-config.ts";
import { userData } from "../../../components/machine/identity.ts";
import { macAddress } from "../../../components/machine/mac-address.ts";
import { downloadArtifact } from "../../../components/windows/download-artifact.ts";
import {
  type CarriedArtifact,
  parseImageManifest,
} from "../../../components/windows/image-manifest.ts";
import type { ProgramName } from "../../../components/windows/software.ts";
import { addressPlan } from "../../../config/address-plan.ts";
import { rehearsalVersions } from "../../../config/supported.ts";
import { containerAddress } from "../../../host/docker.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { sha256OfFile } from "../../../toolchain/cache-marker.ts";
import { generateEd25519 } from "../../../host/ssh/generate-ed25519.ts";
import type { Artifact } from "../../../toolchain/artifact.ts";
import { builtArtifacts, builtRehearsalImage, builtTool } from "../../../toolchain/built.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { ensureArtifacts } from "../../../toolchain/ensure.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { Cluster } from "../../e2e/cluster.ts";
import { bareMachines, type Finished, succeeded, TestLab, virsh } from "../../e2e/lab.ts";
import { debugfs, rootOf, rootOffset } from "./disk-content.ts";
import { clone, imagesFolder, outside } from "./names.ts";
import { addNamespace } from "./network-namespace.ts";
import { OutsideMachine } from "./outside-machine.ts";
import { type KeyFile, makeKeyFile, SshDaemon } from "./ssh-daemon.ts";

/** Addresses of the machines and the cluster, in a range that no test's lab uses. */
export const segment = addressPlan(`192.168.${192 + ((clone[2] ?? 0) % 56)}.0/24`);

const bridge = outside;

export const controlPlane = `${outside}-control-plane`;

const gib = 1024 ** 3;

const rootGiB = 40;

/** Size, in sectors, of the second partition in a DOS partition table. */
const secondPartitionSize = 446 + 16 + 12;

/** File name of crictl's release for Kubernetes 1.36. */
const crictlArchive = "crictl-v1.36.0-windows-amd64.tar.gz";

type ProgramChecksums = Readonly<Partial<Record<ProgramName, string>>>;

/** Writes the rehearsal guest's disk as a user's machine. @param disk raw file @param folder for programs. */
export async function makeBaseDisk(disk: string, folder: string): Promise<ProgramChecksums> {
  const image = builtRehearsalImage({ baked: false });
  if (image === undefined) throw new Error("the rehearsal's guest is not prepared");
  await execa("qemu-img", ["convert", "-O", "raw", image.path, disk]);
  await enlarge(disk);

  await mkdir(folder, { recursive: true });
  const root = rootOf(disk);
  const media = "/wine/drive_c/kindows/media";
  await debugfs(root, `rdump ${media} ${folder}`);
  const carried = parseImageManifest(await readFile(image.manifest, "utf8")).media;
  const { containerd, kubelet, kubeadm, kubeLogRunner } = carried;
  const programs = { containerd, kubelet, kubeadm, kubeLogRunner };
  for (const { sha256, fileName } of Object.values(carried)) {
    await debugfs(root, `rm ${media}/${sha256}/${fileName}`, "-w");
    await debugfs(root, `rmdir ${media}/${sha256}`, "-w");
  }
  await debugfs(root, `rmdir ${media}`, "-w");
  await debugfs(root, `rmdir ${path.posix.dirname(media)}`, "-w");

  const crictl = await standInCrictl(path.join(folder, "media"));
  const files = [...Object.values(programs), crictl];
  await ensureArtifacts(
    files.map((file) => cached(file, path.join(folder, "media"))),
    { cache: new Cache(), progress: () => undefined },
  );
  return Object.fromEntries(
    Object.entries({ ...programs, crictl }).map(([name, { sha256 }]) => [name, sha256]),
  );
}

/** A cached program like that of `kindows fetch`, but from a folder instead of its publisher. */
function cached({ sha256, fileName }: CarriedArtifact, media: string): Artifact {
  const fetched = downloadArtifact({ uri: fileName, sha256 });
  return {
    ...fetched,
    hostPackages: [],
    build: (into) => cp(path.join(media, sha256), path.join(into, sha256), { recursive: true }),
  };
}

async function enlarge(disk: string): Promise<void> {
  await truncate(disk, rootOffset + rootGiB * gib);
  await execa("e2fsck", ["-fy", rootOf(disk)], { reject: false });
  await execa("resize2fs", [rootOf(disk), `${rootGiB}G`]);
  // With an offset, resize2fs truncates the file to the size of the file system, so it is enlarged again.
  await truncate(disk, rootOffset + rootGiB * gib);
  const file = await open(disk, "r+");
  const sectors = Buffer.alloc(4);
  sectors.writeUInt32LE((rootGiB * gib) / 512);
  await file.write(sectors, 0, sectors.length, secondPartitionSize);
  await file.close();
}

/** An archive like crictl's release, of which no Windows build exists here; nothing runs it. */
async function standInCrictl(media: string): Promise<CarriedArtifact> {
  const program = path.join(media, "crictl.exe");
  const archive = path.join(media, crictlArchive);
  await writeFile(program, "stands in for crictl\n");
  await execa("tar", [
    ...["--sort=name", "--owner=0", "--group=0", "--mtime=@0", "--mode=a=rx"],
    ...["-czf", archive, "-C", media, "crictl.exe"],
  ]);
  const sha256 = await sha256OfFile(archive);
  await mkdir(path.join(media, sha256), { recursive: true });
  await execa("mv", [archive, path.join(media, sha256, crictlArchive)]);
  return { fileName: crictlArchive, sha256 };
}

const namespace = outside;

const portHere = `${outside}-j`;

/** A host on the segment that has only an SSH server: a network namespace. */
async function startBastion(address: string, folder: string, login: KeyFile): Promise<SshDaemon> {
  await addNamespace({ namespace, address: `${address}/24`, end: portHere, bridge });
  return SshDaemon.start({ folder, address, port: 22, login, namespace });
}

const kindSeconds = 600;

/** Objects that the cluster removes by itself: the kubelets' requests, an hour after they were signed. */
const endsByItself = /^CertificateSigningRequest \/csr-/;

export class OutsideCluster extends Cluster {
  private constructor(
    kubeconfig: string,
    readonly address: string,
  ) {
    super(kubeconfig);
  }

  /** Runs kind on a separate Docker network, on the bridge that libvirt has made. */
  static async make(folder: string): Promise<OutsideCluster> {
    await execa("docker", [
      ...["network", "create", "--subnet", segment.cidr, "--gateway", segment.gateway],
      ...["--ip-range", segment.containerRange],
      ...["--opt", `com.docker.network.bridge.name=${bridge}`],
      ...["--opt", "com.docker.network.bridge.enable_ip_masquerade=false", outside],
    ]);
    const shape = {
      name: outside,
      image: builtArtifacts().nodeImage?.reference ?? "kindest/node:v1.36.4",
      controlPlanes: 1 as const,
      podCidr: "10.244.0.0/16",
      serviceCidr: "10.96.0.0/16",
      defaultCni: true,
    };
    await ensureClusterImages(shape);
    const { stdout: info } = await execa("docker", ["info", "--format", "{{json .}}"]);
    const config = path.join(folder, "kind.yaml");
    const traits = hostTraits(info, await readFile("/proc/self/status", "utf8"));
    await writeFile(config, kindConfig(shape, traits));
    const kubeconfig = path.join(folder, "kubeconfig");
    await execa(
      builtTool("kind"),
      ["create", "cluster", "--config", config, "--kubeconfig", kubeconfig, "--wait", "180s"],
      { env: { KIND_EXPERIMENTAL_DOCKER_NETWORK: outside }, timeout: kindSeconds * 1000 },
    );
    return new OutsideCluster(kubeconfig, await containerAddress(controlPlane, outside));
  }

  static async remove(): Promise<void> {
    const folder = { KUBECONFIG: "/dev/null" };
    await execa(builtTool("kind"), ["delete", "cluster", "--name", outside], { env: folder });
    await execa("docker", ["network", "rm", outside], { reject: false });
  }

  /** Objects by kind and name, without events, leases, pods, and objects that controllers make or remove. */
  async objects(): Promise<readonly string[]> {
    const kinds = (await this.kubectl("api-resources", "--verbs", "list", "-o", "name"))
      .split("\n")
      .filter((kind) => kind !== "" && !/^(events|leases|pods|endpoint)/.test(kind));
    const listed = await this.kubectl(
      ...["get", kinds.join(","), "--all-namespaces", "--ignore-not-found", "-o"],
      "jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{'\\n'}{end}",
    );
    return listed.split("\n").filter(Boolean).sort();
  }

  async untilAgain(objects: readonly string[]): Promise<void> {
    const what = "the cluster to have what it had before";
    await waitUntil({ what, timeoutSeconds: 60, pollMilliseconds: 2000 }, async () => {
      const now = await this.objects();
      const more = now.filter((each) => !objects.includes(each) && !endsByItself.test(each));
      const less = objects.filter((each) => !now.includes(each));
      return more.length + less.length === 0 ? undefined : `+ ${more.join()} - ${less.join()}`;
    });
  }
}

const [network] = segment.cidr.split(".0/");
const addresses = { bastion: `${network}.5`, first: `${network}.10`, second: `${network}.11` };

/** Rule that keeps this host from the second machine's SSH server, like a firewall in between. */
const shutOut = ["OUTPUT", "-d", addresses.second, "-p", "tcp", "--dport", "22", "-j", "REJECT"];

/** Lab of the stack that joins the machines. */
export const estateLab = new TestLab("e2eexisting");

export const pulumi = (command: string, onLine?: (line: string) => void): Promise<Finished> =>
  estateLab.withEnvironment(`pulumi ${command} --non-interactive`, onLine);

export const up = (what: string): Promise<Finished> =>
  succeeded(pulumi("up --yes --skip-preview"), what);

export async function removeStack(): Promise<void> {
  await pulumi("destroy --yes --skip-preview");
  await pulumi("stack rm --yes --force");
}

const macs = {
  first: macAddress(estateLab.prefix, "win-1"),
  second: macAddress(estateLab.prefix, "win-2"),
};

/** Prepares this host for the guest, kind and the daemons, and removes what a killed test has left. */
export async function clearHost(): Promise<void> {
  await estateLab.configure(bareMachines);
  await succeeded(estateLab.kindows("prepare"));
  await removeAll();
  // Fails if there is no stack.
  await pulumi("stack rm --yes --force");
}

/** A kind cluster, a segment for machines with a fixed address for `win-1`, and a disk that machines start from. */
export class Ground {
  readonly address = addresses.first;

  private constructor(
    readonly folder: string,
    readonly cluster: OutsideCluster,
    readonly base: string,
    private readonly checksums: ProgramChecksums,
  ) {}

  static async make(): Promise<Ground> {
    const folder = await mkdtemp(path.join(os.tmpdir(), `${outside}-`));
    await mkdir(imagesFolder, { recursive: true });
    const definition = path.join(folder, "network.xml");
    await writeFile(definition, networkXml());
    await virsh("net-define", definition);
    await virsh("net-start", outside);
    const base = path.join(imagesFolder, "base.raw");
    const [checksums, cluster] = await Promise.all([
      makeBaseDisk(base, path.join(imagesFolder, "programs")),
      OutsideCluster.make(folder),
    ]);
    return new Ground(folder, cluster, base, checksums);
  }

  /** Writes the stack's settings as docs/existing.md says: a copy of the example with the user's own values. */
  async configure(sections: object): Promise<void> {
    const file = await readFile(path.join(projectRoot, "Pulumi.existing.yaml"), "utf8");
    const example = parse(file) as { encryptionsalt: string };
    const config = {
      "kindows:stack": "existing",
      "kindows:cluster": {
        kubeconfig: { file: this.cluster.kubeconfig },
        kubernetesVersion: "1.36.4",
        hostsEntries: [{ name: controlPlane, address: this.cluster.address }],
      },
      "kindows:cni": { kind: "none" },
      "kindows:windows": {
        containerdVersion: rehearsalVersions.containerd,
        checksums: this.checksums,
      },
      ...sections,
    };
    await writeFile(estateLab.stackFile, stringify({ ...example, config }));
  }

  async remove(): Promise<void> {
    await removeAll();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A kind cluster and two machines. This host reaches the second one's SSH server only through a bastion. */
export class Estate {
  private constructor(
    readonly ground: Ground,
    readonly machines: readonly [OutsideMachine, OutsideMachine],
    readonly bastion: SshDaemon,
    readonly bastionAddress: string,
    readonly login: KeyFile,
  ) {}

  static async make(): Promise<Estate> {
    const ground = await Ground.make();
    const { folder, base } = ground;
    const login = await makeKeyFile(path.join(folder, "login"));
    const machine = (name: string, which: "first" | "second"): Promise<OutsideMachine> => {
      const pair = generateEd25519();
      const hostKey = { hostPrivateKey: pair.private, hostPublicKey: pair.public.trim() };
      const identity = { computerName: name, ...hostKey, authorizedKeys: [login.publicKey] };
      const place = { name, address: addresses[which], mac: macs[which] };
      return OutsideMachine.make({ ...place, base, userData: userData(identity) });
    };
    const machines = [await machine("win-1", "first"), await machine("win-2", "second")] as const;
    const bastion = await startBastion(addresses.bastion, path.join(folder, "bastion"), login);
    await execa("iptables", ["-I", ...shutOut]);
    return new Estate(ground, machines, bastion, addresses.bastion, login);
  }

  get cluster(): OutsideCluster {
    return this.ground.cluster;
  }

  async remove(): Promise<void> {
    await this.bastion.stop();
    await this.ground.remove();
  }
}

async function removeAll(): Promise<void> {
  await execa("iptables", ["-D", ...shutOut], { reject: false });
  await execa("ip", ["link", "delete", portHere], { reject: false });
  await execa("ip", ["netns", "delete", namespace], { reject: false });
  const domains = (await virsh("list", "--all", "--name")).split("\n");
  for (const domain of domains.filter((name) => name.startsWith(`${outside}-`))) {
    await execa("virsh", ["-c", "qemu:///system", "destroy", domain], { reject: false });
    await virsh("undefine", domain);
  }
  await OutsideCluster.remove();
  for (const command of ["net-destroy", "net-undefine"]) {
    await execa("virsh", ["-c", "qemu:///system", command, outside], { reject: false });
  }
  await rm(imagesFolder, { recursive: true, force: true });
}

function networkXml(): string {
  const { gateway, machines } = segment;
  const host = (name: string, mac: string, address: string): string =>
    `<host mac='${mac}' name='${name}' ip='${address}'/>`;
  return `<network>
  <name>${outside}</name>
  <forward mode='nat'/>
  <bridge name='${bridge}'/>
  <ip address='${gateway}' prefix='24'>
    <dhcp>
      <range start='${machines.first}' end='${machines.last}'/>
      ${host("win-1", macs.first, addresses.first)}
      ${host("win-2", macs.second, addresses.second)}
    </dhcp>
  </ip>
</network>
`;
}
