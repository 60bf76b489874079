import type { Fabric } from "./fabric.ts";
import { ovn } from "./ovn.ts";
import { routed } from "./routed.ts";
import { vxlan } from "./vxlan.ts";

export type FabricName = "bridge" | "vxlan" | "ovn" | "routed";

/** The fabrics, by `kindows:network.fabric`. */
export const fabrics: Readonly<Record<FabricName, Fabric>> = {
  /** One layer-2 segment that the user makes. */
  bridge: { choice: "made by you: a bridge on each host, all connected", checks: [] },
  vxlan,
  ovn,
  routed,
};
