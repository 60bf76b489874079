import * as pulumi from "@pulumi/pulumi";
import type { Placement } from "../config/placement.ts";
import type { Settings } from "../config/settings.ts";

/** Where each node's machine runs; also told in the engine's own output, in a preview already. */
export function toldPlacement({ placement }: Pick<Settings, "placement">): Placement[] {
  for (const { node, hypervisor, reason } of placement) {
    // Pulumi sees to it that what is logged arrives before the program ends.
    void pulumi.log.info(`${node} runs on ${hypervisor}: ${reason}`);
  }
  return placement;
}
