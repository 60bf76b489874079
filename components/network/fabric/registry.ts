import type { Fabric } from "./fabric.ts";
import { ovn } from "./ovn.ts";
import { routed } from "./routed.ts";
import { vxlan } from "./vxlan.ts";

/** One layer-2 segment that the user makes. */
const bridge: Fabric = {
  choice: "made by you: a bridge on each host, all connected",
  checks: [],
};

/** The fabrics, by `kindows:network.fabric`. */
export const fabrics = { bridge, vxlan, ovn, routed } as const satisfies Record<string, Fabric>;

export type FabricName = keyof typeof fabrics;

/** A fabric by its name. */
export function fabricNamed(name: FabricName): Fabric {
  return fabrics[name];
}
