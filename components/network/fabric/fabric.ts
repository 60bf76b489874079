import type { Check, Complaint } from "../../../config/problem.ts";
import type { RangesOfLab } from "../../../config/checks/ranges.ts";
import { type ImageChoice } from "../../../config/image-sources.ts";

/** The settings that the checks of fabrics read. */
export interface CheckedFabric extends RangesOfLab, ImageChoice {
  readonly network: RangesOfLab["network"] & { readonly fabric: string };
  readonly cni: { readonly kind: string; readonly flannel: { readonly backend: string } };
  readonly nodes: readonly { readonly os: string }[];
}

/** A way to connect the hosts of a lab, so that their machines reach each other. */
export interface Fabric {
  /** Description of this choice in docs/settings.md. */
  readonly choice: string;
  /** Checks across sections of the settings. They run for every fabric. */
  readonly checks: readonly Check<CheckedFabric>[];
  /** Whether each hypervisor has its own segment, a libvirt network there, instead of a part of this host's segment. */
  readonly isRouted?: boolean;
  /** How the fabric is made on a host; undefined if the user makes it. */
  readonly onHost?: FabricOnHost;
}

/** Shell code that makes a fabric on one host. It is run there by root, and can be run again. */
export interface FabricOnHost {
  /** Shell functions that `up` and `down` use. */
  readonly functions?: (end: FabricEnd) => string;
  /** Makes what is missing, and changes what is different. */
  readonly up: (end: FabricEnd) => string;
  /** Removes what `up` has made, and nothing else. */
  readonly down: (end: FabricEnd) => string;
  /** Prints a line for each requirement that the host does not meet: its key in `remedies`, and what was found. */
  readonly probe: (end: FabricEnd) => string;
  readonly remedies: Readonly<Record<string, Complaint>>;
  /** systemd units that must be started before the fabric. */
  readonly after: readonly string[];
}

interface FabricHost {
  readonly name: string;
  /** IPv4 address at which the other hosts reach it. */
  readonly address: string;
  /** Linux bridge that its machines are plugged into. */
  readonly bridge: string;
  /** IPv4 range of its machines. */
  readonly cidr: string;
}

/** The fabric as seen from one host. */
export interface FabricEnd {
  /** Prefix of the lab's names. */
  readonly lab: string;
  /** What belongs to the lab on its hosts carries this: its name, a dot, and its random id. */
  readonly mark: string;
  /** Number of the virtual network, different for each lab. */
  readonly number: number;
  readonly host: FabricHost;
  /** Whether this is the host with the control plane, whose bridge is libvirt's. */
  readonly isLocal: boolean;
  readonly peers: readonly FabricHost[];
  /** The host with the control plane. */
  readonly local: FabricHost;
}
