import { defaultCalico } from "../../../host/versions.ts";

export interface CalicoRelease {
  /** Calico's version, without a leading `v`. */
  readonly calico: string;
  /**
   * Version of Tigera's operator that installs exactly this Calico (its config/calico_versions.yml), without a leading
   * `v`.
   */
  readonly operator: string;
  /** SHA-256 of the definitions of Calico's resources (definitions-artifact.ts). */
  readonly definitionsSha256: string;
}

/** Releases by Calico's version. */
const releases: Readonly<Record<string, CalicoRelease>> = {
  [defaultCalico]: {
    calico: defaultCalico,
    operator: "1.42.3",
    definitionsSha256: "bbd997afb3b6185ef3f11d2da6044f08e5ef30a16b0cf00e71ceb354a5bcf121",
  },
};

export const calicoVersions: readonly string[] = Object.keys(releases);

/** @throws if the version is not pinned. The settings allow only pinned ones. */
export function calicoRelease(version: string): CalicoRelease {
  const release = releases[version];
  if (release === undefined) {
    throw new Error(`Calico ${version} is not pinned: write one of ${calicoVersions.join(", ")}`);
  }
  return release;
}

export function operatorImage({ operator }: CalicoRelease): string {
  return `quay.io/tigera/operator:v${operator}`;
}

/** Images that the operator runs on Linux nodes for our Installation (its pkg/components, and pkg/render). */
const onLinux = [
  "apiserver",
  "cni",
  "csi",
  "kube-controllers",
  "node",
  "node-driver-registrar",
  "pod2daemon-flexvol",
  "typha",
];

/** The images on Linux nodes: the operator's own, and those that it runs. */
export function calicoImages(release: CalicoRelease): readonly string[] {
  return [
    operatorImage(release),
    ...onLinux.map((name) => `quay.io/calico/${name}:v${release.calico}`),
  ];
}
