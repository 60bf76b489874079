import * as z from "zod";
import { type Check, type Complaint, unless } from "../../../config/problem.ts";
import { between, insteadParam, text } from "../../../config/values/value.ts";
import { oneOfVersions } from "../../../config/values/version.ts";
import { felixNameComplaint, felixValueComplaint } from "./felix-fields.ts";
import {
  defaultCalico,
  isWithin,
  kubernetesLimits,
  type VersionLimit,
} from "../../../host/versions.ts";
import { calicoVersions } from "./release.ts";
import type { CheckedPodNetwork } from "../pod-network.ts";
import { windowsLimits } from "./windows-limits.ts";

/** VXLAN's overhead, and the segment's MTU, in bytes. */
const [vxlanOverhead, segmentMtu] = [50, 1500];

export const calicoSettings = z
  .strictObject({
    version: text(oneOfVersions("Calico", calicoVersions)).default(defaultCalico).meta({
      description:
        "Calico's version, without a leading `v`; its operator and the definitions of its resources belong to it.",
    }),
    encapsulation: z.enum(["VXLAN", "VXLANCrossSubnet"]).default("VXLAN").meta({
      description:
        "Encapsulation of packets between nodes: `VXLAN`, or `VXLANCrossSubnet` (only between subnets), which Calico does not support on Windows.",
    }),
    bgp: z.enum(["Disabled", "Enabled"]).default("Disabled").meta({
      description: "Whether nodes exchange routes by BGP; not with Windows nodes.",
    }),
    mtu: between(1280, segmentMtu - vxlanOverhead)
      .optional()
      .meta({
        description:
          "Largest packet of Linux pods. Calico has no such setting on Windows, where Windows decides.",
        unit: "bytes",
        default: `found by Calico: ${segmentMtu - vxlanOverhead} on the lab's segment`,
      }),
    felix: z
      .record(text(felixName), z.union([z.string(), z.number(), z.boolean()]))
      .superRefine((felix, context) => {
        for (const [name, value] of Object.entries(felix)) {
          const complaint = felixValueComplaint(name, value);
          if (complaint === undefined) continue;
          const { why: message, instead } = complaint;
          context.addIssue({
            code: "custom",
            path: [name],
            message,
            params: { [insteadParam]: instead },
          });
        }
      })
      .default({})
      .meta({
        description:
          "Fields of Calico's `FelixConfiguration`, e.g. `logSeverityScreen: Debug`, checked against its definition; a field you remove returns to Calico's default.",
      }),
  })
  .prefault({});

export interface CalicoSection {
  readonly calico: z.output<typeof calicoSettings>;
}

type CheckedCalico = CheckedPodNetwork<CalicoSection>;

/** Fields that this program sets, or that must have a certain value for Windows. */
const refused: ReadonlyMap<string, string> = new Map([
  ["vxlanEnabled", "follows from the pool of addresses, which this program makes"],
  ["vxlanMTU", "is the setting `mtu`"],
  ...windowsLimits
    .filter(({ object }) => object === "FelixConfiguration")
    .map(({ field, why }) => [field, why] as const),
]);

function felixName(name: string): Complaint | undefined {
  const why = refused.get(name);
  return why === undefined ? felixNameComplaint(name) : { why, instead: "Leave it out." };
}

function withWindowsNodes({ cni, nodes }: CheckedCalico): boolean {
  return cni.kind === "calico" && nodes.some(({ os }) => os === "windows");
}

/**
 * Rules across sections if Calico is the pod network. They refuse what Calico does not support on Windows (its page
 * "Limitations and known issues") or with this version.
 */
export const calicoChecks: readonly Check<CheckedCalico>[] = [
  {
    reads: ["windows.version", "cni.kind"],
    run: ({ windows, cni }) =>
      unless(windows.version !== "2025" || cni.kind !== "calico", {
        path: ["windows", "version"],
        why: "can't be used with kindows:cni.kind calico: Calico 3.32 supports Windows Server up to 2022 (projectcalico/calico issue 11691)",
        instead: 'Write "2022", or choose another kindows:cni.kind.',
      }),
  },
  {
    reads: ["cni.kind", "cni.calico.encapsulation"],
    run: (settings) =>
      unless(!withWindowsNodes(settings) || settings.cni.calico.encapsulation === "VXLAN", {
        path: ["cni", "calico", "encapsulation"],
        why: "can't be used with Windows nodes: Calico supports only VXLAN between them and all other nodes, in the same subnet or not",
        instead: "Write VXLAN.",
      }),
  },
  {
    reads: ["cni.kind", "cni.calico.bgp"],
    run: (settings) =>
      unless(!withWindowsNodes(settings) || settings.cni.calico.bgp === "Disabled", {
        path: ["cni", "calico", "bgp"],
        why: "can't be used with Windows nodes: Calico's VXLAN there (windowsDataplane HNS) needs BGP to be off",
        instead: "Write Disabled.",
      }),
  },
  {
    reads: ["cni.kind", "cni.calico.mtu", "network.mtu"],
    run: ({ cni, network: { mtu } }) =>
      unless(cni.kind !== "calico" || (cni.calico.mtu ?? 0) <= mtu - vxlanOverhead, {
        path: ["cni", "calico", "mtu"],
        why: `is more than VXLAN leaves of kindows:network.mtu, ${mtu}`,
        instead: `Write ${mtu - vxlanOverhead} or less, or leave it out.`,
      }),
  },
  calicoKubernetes(kubernetesLimits.calico),
];

/** Kubernetes must be a version that this Calico is tested with. */
export function calicoKubernetes(limit: VersionLimit): Check<CheckedCalico> {
  return {
    reads: ["cni.kind", "cni.calico.version", "cluster.kubernetesVersion"],
    run: ({ cni, cluster }) =>
      unless(cni.kind !== "calico" || isWithin(cluster.kubernetesVersion, limit), {
        path: ["cluster", "kubernetesVersion"],
        why: limit.why,
        instead: `Write one of ${limit.most ?? limit.least}, or choose another kindows:cni.kind.`,
      }),
  };
}
