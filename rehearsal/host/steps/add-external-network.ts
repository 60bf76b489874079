import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { externalNetwork, startExternalNetworkTask } from "./external-network.ts";

/** Orders the pod network's network on the adapter, which will cut this very connection. */
export async function addExternalNetwork(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const delaySeconds = parameters.integer("DelaySeconds");
  const feature = host.settings.featureState("Containers");
  if (feature !== "Installed") {
    throw new StepError(
      "FeatureMissing",
      `The feature Containers is ${feature}.`,
      "Run Enable-ContainersFeature and Confirm-Reboot first.",
    );
  }
  const network = parameters.text("Network");
  if (network !== externalNetwork && host.services.get("flanneld") === undefined) {
    throw new StepError(
      "FlannelMissing",
      `There is no service flanneld, which makes the network ${network}.`,
      "Run Install-Flannel first.",
    );
  }
  const rule = { displayName: "Overlay Traffic 4789 UDP", protocol: "UDP", port: 4789 } as const;
  // Plain routes need no port.
  let changed =
    network !== "cbr0" && (await host.settings.setFirewallRule("OverlayTraffic4789UDP", rule));
  await context.checkpoint();
  if (!host.settings.networks().includes(network)) {
    await startExternalNetworkTask(context, delaySeconds, network);
    changed = true;
  }
  return { changed, facts: { network } };
}
