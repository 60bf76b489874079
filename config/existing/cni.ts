import * as z from "zod";
import { inExisting } from "../../components/cni/registry.ts";
import { cidr } from "../values/ip-address.ts";
import { text } from "../values/value.ts";

/** The cluster's pod network. */
export const cni = z.strictObject({
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
