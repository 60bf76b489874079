import { rehearsalVersions } from "./supported.ts";

/** What follows from the source of the Windows machines' disk, besides its settings (sections/windows-image.ts). */
interface ImageSource {
  /** Windows, or the guest that stands in for it: its containers are simulated, and its pods have no network. */
  readonly system: "windows" | "rehearsal";
  /** As messages name it. */
  readonly title: string;
  /** The only versions that it has; undefined if it takes any. */
  readonly versions?: {
    readonly version: string;
    readonly containerdVersion: string;
    readonly kubernetesVersion: string;
  };
  /** Whether a node's programs are in it. Otherwise they are pushed to each machine. */
  readonly carriesPrograms: boolean;
  /** Whether it may have other accounts than Administrator. */
  readonly anyAccount: boolean;
  /** Whether it only has drivers for QEMU's devices. */
  readonly onlyQemu: boolean;
  /** Whether nodes pull their container images. */
  readonly pullsImages: boolean;
  /** The smallest machine that it runs on. */
  readonly least: { readonly memoryMiB: number; readonly diskGiB: number };
  /**
   * Size of the golden image, and growth of a machine's disk until the first pods run: estimates on the safe side. A
   * Server Core installation fits into 15 GB, and each container image of Windows takes some GB.
   */
  readonly room: { readonly imageGiB: number; readonly growthGiB: number };
  /** The command that makes it; undefined for a disk of the user's. */
  readonly madeBy?: string;
  /** What a new stack has instead of the defaults (`kindows init`). */
  readonly newStack?: {
    readonly domainType: "qemu";
    readonly size: { readonly cpus: number; readonly memoryMiB: number; readonly diskGiB: number };
    readonly cni: string;
  };
}

const windows = {
  system: "windows",
  title: "Windows",
  carriesPrograms: false,
  anyAccount: false,
  onlyQemu: false,
  pullsImages: true,
  // By Microsoft's hardware requirements.
  least: { memoryMiB: 2048, diskGiB: 32 },
  room: { imageGiB: 12, growthGiB: 15 },
} as const;

/** The sources, by `kindows:windows.image.kind`. */
const imageSources = {
  rehearsal: {
    system: "rehearsal",
    title: "rehearsal",
    versions: {
      version: rehearsalVersions.windows,
      containerdVersion: rehearsalVersions.containerd,
      kubernetesVersion: rehearsalVersions.kubernetes,
    },
    carriesPrograms: true,
    anyAccount: true,
    onlyQemu: true,
    pullsImages: false,
    least: { memoryMiB: 0, diskGiB: 0 },
    room: { imageGiB: 1, growthGiB: 1 },
    madeBy: "prepare",
    newStack: {
      domainType: "qemu",
      size: { cpus: 1, memoryMiB: 3072, diskGiB: 16 },
      // A rehearsed node's pods have a network only with Flannel.
      cni: "kind-default",
    },
  },
  disk: { ...windows, anyAccount: true },
  "evaluation-iso": { ...windows, madeBy: "disk build" },
  iso: { ...windows, madeBy: "disk build" },
} as const satisfies Readonly<Record<string, ImageSource>>;

export type ImageSourceName = keyof typeof imageSources;

/** The part of the settings that names the source. */
export interface ImageChoice {
  readonly windows: { readonly image: { readonly kind: ImageSourceName } };
}

export function imageSource({ windows }: ImageChoice): ImageSource {
  return imageSources[windows.image.kind];
}

/** Whether the stack's Windows machines are simulated. */
export function isRehearsed(choice: ImageChoice): boolean {
  return imageSource(choice).system === "rehearsal";
}
