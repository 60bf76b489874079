/**
 * Host action: makes the control planes find the lab's registry; a worker is told when it is added. With `--none` no node in a
 * container does so any longer.
 */
import * as z from "zod";
import { clusterLabel, loadBalancerName } from "../../../config/names.ts";
import { labelledContainers } from "../../../host/docker.ts";
import { runAction } from "../../host-action/run-action.ts";
import { trustRegistry } from "../trust-registry.ts";

export const environment = {
  REGISTRY: z.strictObject({
    cluster: z.string(),
    controlPlanes: z.array(z.string()),
    address: z.string(),
  }),
};

await runAction(environment, async ({ REGISTRY: { cluster, controlPlanes, address } }) => {
  if (!process.argv.includes("--none")) {
    await trustRegistry(controlPlanes, address);
    return;
  }
  const there = await labelledContainers(`${clusterLabel}=${cluster}`);
  await trustRegistry(
    there.filter((name) => name !== loadBalancerName(cluster)),
    undefined,
  );
});
