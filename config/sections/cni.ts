import * as z from "zod";
import type { Complaint } from "../problem.ts";
import { calicoVersions, defaultCalicoVersion } from "../supported.ts";
import { between, text } from "../values/value.ts";
import { oneOfVersions } from "../values/version.ts";

/** What VXLAN adds to a packet, and the segment's own largest packet: both in bytes. */
const [vxlanOverhead, segmentMtu] = [50, 1500];

const calico = z.strictObject({
  version: text(oneOfVersions("Calico", calicoVersions)).default(defaultCalicoVersion).meta({
    description:
      "Calico's version, without a leading `v`; its operator and the definitions of its resources belong to it.",
  }),
  encapsulation: z.enum(["VXLAN", "VXLANCrossSubnet"]).default("VXLAN").meta({
    description:
      "What packets between nodes travel in: `VXLAN`, or `VXLANCrossSubnet` (only between subnets), which Calico does not do on Windows.",
  }),
  bgp: z.enum(["Disabled", "Enabled"]).default("Disabled").meta({
    description: "Whether nodes tell each other their routes by BGP; not with Windows nodes.",
  }),
  mtu: between(1280, segmentMtu - vxlanOverhead)
    .optional()
    .meta({
      description:
        "Largest packet of Linux pods. Calico has no such setting on Windows: there it is what Windows makes of it.",
      unit: "bytes",
      default: `found by Calico: ${segmentMtu - vxlanOverhead} on the lab's segment`,
    }),
  felix: z
    .record(text(felixName), z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .meta({
      description:
        "Fields of Calico's `FelixConfiguration`, e.g. `logSeverityScreen: Debug`; one that is taken out again has Calico's own default.",
    }),
});

const flannel = z.strictObject({
  backend: z.enum(["vxlan", "host-gw"]).default("vxlan").meta({
    description:
      "How packets get from node to node: `vxlan` (number 4096, port 4789, as Windows wants them), or `host-gw`: plain routes on every node, as all are on one segment, and an l2bridge network on Windows.",
  }),
});

/** Network of the pods. */
export const cni = z.strictObject({
  kind: z.enum(["calico", "flannel", "kind-default"]).default("calico").meta({
    description:
      "Pod network: `calico` (VXLAN, Windows too), `flannel` (VXLAN or plain routes, Windows too), or `kind-default`: kind's own for Linux pods, none on Windows, whose nodes get routes to pods and Services. Another one makes the cluster anew.",
  }),
  calico: calico.prefault({}).meta({ description: "Calico, where `kind` is `calico`." }),
  flannel: flannel.prefault({}).meta({ description: "Flannel, where `kind` is `flannel`." }),
});

/** Fields that this program sets, or that Windows leaves no choice in. */
const refused: ReadonlyMap<string, string> = new Map([
  ["vxlanEnabled", "follows from the pool of addresses, which this program makes"],
  ["vxlanVNI", "has to be 4096 or more for Windows, and the operator sets it so"],
  ["vxlanPort", "has to be 4789: Windows knows no other"],
  ["vxlanMTU", "is the setting `mtu`"],
  ["bpfEnabled", "turns on a dataplane that Windows nodes can't talk to"],
  ["wireguardEnabled", "encrypts what Windows nodes could not read"],
]);

/** Name of a field of Calico's FelixConfiguration that the settings may give. */
function felixName(name: string): Complaint | undefined {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) {
    return {
      why: "is not the name of a field",
      instead: "Write it as in Calico's reference, e.g. logSeverityScreen.",
    };
  }
  const why = refused.get(name);
  return why === undefined ? undefined : { why, instead: "Leave it out." };
}
