import * as z from "zod";
import { inExisting } from "../../components/cni/registry.ts";
import { cidr } from "../values/ip-address.ts";
import { text } from "../values/value.ts";
import { existingWindows } from "../sections/windows.ts";
import { cluster } from "./cluster.ts";
import { login, type ownLogin } from "./login.ts";
import { nodes } from "./nodes.ts";

/** The cluster's pod network. */
const cni = z.strictObject({
  kind: z
    .enum(["found", ...inExisting.keys(), "none"])
    .default("found")
    .meta({
      description:
        "Pod network of the cluster: `found` detects it, a name requires that one, and `none` joins nodes without a pod network on Windows, whatever the cluster has.",
    }),
  mayChange: z.boolean().default(false).meta({
    description:
      "Whether kindows may set in the cluster what Calico or Flannel lack for Windows nodes; a preview shows it. Otherwise it is only reported.",
  }),
  nodeCidr: text(cidr("192.168.1.0/24")).optional().meta({
    description: "IPv4 range of the nodes' own addresses; needed with Flannel.",
  }),
});

/** Every setting of a stack of existing machines, as written. */
export const existingSchema = z.strictObject({
  cluster: cluster.prefault({}).meta({ description: "The existing cluster." }),
  cni: cni.prefault({}).meta({ description: "The cluster's pod network." }),
  windows: existingWindows.prefault({}).meta({ description: "Settings of all Windows machines." }),
  login: login.prefault({}).meta({ description: "How to log in to the machines." }),
  nodes: nodes.meta({ description: "The machines that become nodes." }),
});

/** The settings as written, defaults filled in. */
export type WrittenExisting = z.output<typeof existingSchema>;

type WrittenNode = WrittenExisting["nodes"][number];

/** A host in between. */
export type Bastion = WrittenExisting["login"]["bastions"][number];

/** A machine with everything filled in. */
export interface ExistingNode extends Omit<WrittenNode, keyof typeof ownLogin | "nodeIp"> {
  readonly login: WrittenExisting["login"];
  readonly nodeIp: string;
}

/** The checked settings of existing machines and their cluster. */
export interface ExistingSettings extends Omit<WrittenExisting, "nodes" | "windows"> {
  readonly windows: WrittenExisting["windows"] & { readonly containerdVersion: string };
  readonly nodes: readonly ExistingNode[];
}
