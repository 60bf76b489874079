import { imageSource, type ImageSourceName } from "../../config/image-sources.ts";
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
  const usual = usually(image);
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
    ...(usual && { hypervisor: { domainType: usual.domainType } }),
    windows: {
      version: wanted.windowsVersion,
      ...(made.length > 0 && { image: imageOf(image) }),
      ...usual?.size,
    },
    ...(key !== undefined && { login: { privateKeyFile: key } }),
    nodes: [
      ...machines.map(({ name, address, hostKey }) => ({ name, ssh: { address, hostKey } })),
      ...made,
    ],
  };
}

/** What a new stack with this image has instead of the defaults. */
export function usually(image: string): ReturnType<typeof imageSource>["newStack"] {
  return imageSource({ windows: { image: { kind: imageKind(image) } } }).newStack;
}

/** Of a file by its name, as docs/windows-image.md has them: an ISO is installed from, everything else is a disk. */
export function imageKind(image: string): ImageSourceName {
  if (image === "rehearsal" || image === "evaluation-iso") return image;
  return /\.iso$/i.test(image) ? "iso" : "disk";
}

function imageOf(image: string): object {
  const kind = imageKind(image);
  // Written although it is the default, so that the file says what to do before `up`.
  if (kind === "evaluation-iso") return { kind, acceptLicence: false };
  return kind === image ? { kind } : { kind, path: image };
}
