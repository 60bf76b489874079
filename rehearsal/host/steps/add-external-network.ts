import { type StepContext, StepError, type StepOutcome } from "../step.ts";
import { externalNetwork, startExternalNetworkTask } from "./external-network.ts";

/** Orders Calico's network, which will cut this very connection. */
export async function addExternalNetwork(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const delaySeconds = parameters.integer("DelaySeconds");
  const feature = host.featureState("Containers");
  if (feature !== "Installed") {
    throw new StepError(
      "FeatureMissing",
      `The feature Containers is ${feature}.`,
      "Run Enable-ContainersFeature and Confirm-Reboot first.",
    );
  }
  const rule = { displayName: "Overlay Traffic 4789 UDP", protocol: "UDP", port: 4789 } as const;
  let changed = await host.setFirewallRule("OverlayTraffic4789UDP", rule);
  await context.checkpoint();
  if (!host.networks().includes(externalNetwork)) {
    await startExternalNetworkTask(host, delaySeconds);
    changed = true;
  }
  return { changed, facts: { network: externalNetwork } };
}
