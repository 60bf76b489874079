import type { HostProblem } from "../../../config/host-problem.ts";

/** A field of Calico's objects that Windows nodes do not go together with in every value. */
interface WindowsLimit {
  readonly object: "FelixConfiguration" | "Installation";
  /** Path below `spec`. */
  readonly field: string;
  readonly allows: (value: unknown) => boolean;
  /** Why no other value goes, as the rest of a sentence that starts with the field. */
  readonly why: string;
  /** The value to set instead, as the end of a sentence. */
  readonly set: string;
}

/** Smallest VNI that Windows supports (Calico, felix/dataplane/windows). */
const smallestVni = 4096;

const isOff = (value: unknown): boolean => value !== true;

/**
 * What Calico's objects must not say if there are Windows nodes: its page "Limitations and known issues", and Windows'
 * own limits. A lab's settings and an existing cluster's objects are judged by the same list; a field that is not there
 * has Calico's default, which Windows has too.
 */
export const windowsLimits: readonly WindowsLimit[] = [
  {
    object: "FelixConfiguration",
    field: "vxlanVNI",
    allows: (value) => Number(value) >= smallestVni,
    why: `has to be ${smallestVni} or more: Windows supports none below`,
    set: `${smallestVni}`,
  },
  {
    object: "FelixConfiguration",
    field: "vxlanPort",
    allows: (value) => value === 4789,
    why: "has to be 4789: Windows supports no other",
    set: "4789",
  },
  {
    object: "FelixConfiguration",
    field: "bpfEnabled",
    allows: isOff,
    why: "turns on a dataplane that Windows nodes can't talk to",
    set: "false",
  },
  ...["wireguardEnabled", "wireguardEnabledV6"].map((field) => ({
    object: "FelixConfiguration" as const,
    field,
    allows: isOff,
    why: "encrypts what Windows nodes could not read",
    set: "false",
  })),
  {
    object: "Installation",
    field: "calicoNetwork.linuxDataplane",
    allows: (value) => value !== "BPF" && value !== "VPP",
    why: "chooses a dataplane that Windows nodes can't talk to",
    set: "Iptables or Nftables",
  },
];

/** What of an object's `spec` Windows nodes cannot have. Changing it affects all pods, so it is only reported. */
export function limitProblems(object: WindowsLimit["object"], spec: unknown): HostProblem[] {
  return windowsLimits
    .filter((limit) => limit.object === object)
    .flatMap(({ field, allows, why, set }) => {
      const value = fieldOf(spec, field);
      if (value === undefined || value === null || allows(value)) return [];
      return [
        {
          subject: `${object} default`,
          why: `has spec.${field} ${JSON.stringify(value)}, which ${why}`,
          instead: `Set ${set} yourself, at a time when pods may be disconnected.`,
        },
      ];
    });
}

function fieldOf(spec: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>> | null)?.[key], spec);
}
