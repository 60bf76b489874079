import { defaultKubernetes } from "../../host/versions.ts";

/** A machine that is there already. */
export interface OwnMachine {
  readonly name: string;
  readonly address: string;
  readonly hostKey: string;
}

/** What `kindows init` asks, by its options. */
export interface NewStack {
  /** `rehearsal`, `evaluation-iso`, or the absolute path of an ISO or of a disk. */
  readonly image: string;
  readonly windowsVersion: "2022" | "2025";
  /** How many Windows machines are made. */
  readonly nodes: number;
  readonly machines: readonly OwnMachine[];
  readonly key?: string;
  readonly libvirtNetwork?: string | undefined;
  /** How many Linux workers kind makes. */
  readonly workers: number;
  readonly controlPlanes: number;
  readonly cni: string;
  /** IPv4 range of the lab's own network. */
  readonly cidr: string;
}

export type Sections = Readonly<Record<string, unknown>>;

/** So many names, from `prefix-1` on, without those that are taken. */
function named(prefix: string, count: number, taken: readonly string[] = []): { name: string }[] {
  const names = Array.from({ length: count + taken.length }, (_, at) => `${prefix}-${at + 1}`);
  const free = names.filter((name) => !taken.includes(name));
  return free.slice(0, count).map((name) => ({ name }));
}

/** The sections of a new stack's settings, without those that have their defaults. */
export function newSections(wanted: NewStack): Sections {
  const { image, machines, nodes, libvirtNetwork, key } = wanted;
  const isRehearsal = image === "rehearsal";
  const made = named(
    "win",
    nodes,
    machines.map(({ name }) => name),
  );
  return {
    network: libvirtNetwork === undefined ? { cidr: wanted.cidr } : { libvirtNetwork },
    cluster: {
      kubernetesVersion: defaultKubernetes,
      controlPlanes: wanted.controlPlanes,
      workers: named("worker", wanted.workers),
    },
    cni: { kind: wanted.cni },
    ...(isRehearsal && { hypervisor: { domainType: "qemu" } }),
    windows: {
      version: wanted.windowsVersion,
      ...(made.length > 0 && { image: imageOf(image) }),
      // The rehearsal guest is not Windows and needs little.
      ...(isRehearsal && { cpus: 1, memoryMiB: 3072, diskGiB: 16 }),
    },
    ...(key !== undefined && { login: { privateKeyFile: key } }),
    nodes: [
      ...machines.map(({ name, address, hostKey }) => ({ name, ssh: { address, hostKey } })),
      ...made,
    ],
  };
}

/** By the file's name, as docs/windows-image.md has them: an ISO is installed from, everything else is a disk. */
function imageOf(image: string): object {
  if (image === "rehearsal") return { kind: image };
  // Written although it is the default, so that the file says what to do before `up`.
  if (image === "evaluation-iso") return { kind: image, acceptLicence: false };
  return { kind: /\.iso$/i.test(image) ? "iso" : "disk", path: image };
}
