import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../config/settings.ts";

/** What the stack's outputs say of where a node runs. */
export interface ToldPlacement {
  /** Name of the hypervisor. */
  readonly hypervisor: string;
  /** Why that one. */
  readonly placement: string;
}

/**
 * Where each node's machine runs and why, by the node's name; told in the engine's output as well, in a preview already.
 * Nothing for a lab with one hypervisor.
 */
export function toldPlacement({
  hypervisors,
  hyperVHosts,
  placement,
}: Pick<Settings, "hypervisors" | "hyperVHosts" | "placement">): ReadonlyMap<
  string,
  ToldPlacement
> {
  const worthTelling = hypervisors.length + hyperVHosts.length > 0 ? placement : [];
  return new Map(
    worthTelling.map(({ node, hypervisor, reason }) => {
      // Pulumi sees to it that what is logged arrives before the program ends.
      void pulumi.log.info(`${node} runs on ${hypervisor}: ${reason}`);
      return [node, { hypervisor, placement: reason }];
    }),
  );
}
