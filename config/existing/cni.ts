import * as z from "zod";
import type { Check } from "../problem.ts";
import { cidr } from "../values/ip-address.ts";
import { text } from "../values/value.ts";

/** The cluster's pod network. */
export const cni = z.strictObject({
  kind: z.enum(["found", "calico", "flannel", "none"]).default("found").meta({
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

/** Flannel's files on a Windows machine name the nodes' own range. */
export const flannelRange: Check<{ readonly cni: z.output<typeof cni> }> = {
  reads: ["cni.nodeCidr"],
  run: ({ cni }) =>
    cni.kind === "flannel" && cni.nodeCidr === undefined
      ? [
          {
            path: ["cni", "nodeCidr"],
            value: undefined,
            why: "is missing",
            instead: "Add it: the IPv4 range of the nodes' own addresses, which Flannel needs.",
          },
        ]
      : [],
};
