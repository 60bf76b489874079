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
        "Pod network of the cluster: found out, or the one that it must be; `none`: pods on the Windows nodes get none from here, whatever the cluster has.",
    }),
  mayChange: z.boolean().default(false).meta({
    description:
      "Whether what Calico or Flannel lack for Windows nodes may be set in the cluster; a preview shows it. Else it is only told.",
  }),
  nodeCidr: text(cidr("192.168.1.0/24")).optional().meta({
    description: "IPv4 range of the nodes' own addresses; needed with Flannel.",
  }),
});
