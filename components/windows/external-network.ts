import * as pulumi from "@pulumi/pulumi";
import type { StepArguments } from "./step-parameters.ts";
import { windowsStep, type StepContext, type WindowsStep } from "./windows-step.ts";

/** Seconds the session that orders a network has to end. */
const networkDelaySeconds = 5;

/**
 * The pod network's HNS network on the machine's adapter, whose making cuts the machine off: at a moment when nobody
 * minds, and waited for.
 *
 * @param network its name.
 */
export function externalNetwork(
  context: StepContext,
  network: StepArguments<"Add-ExternalNetwork">["Network"],
  after: WindowsStep,
): WindowsStep {
  const values = pulumi.output({
    Address: context.machine.address,
    DelaySeconds: networkDelaySeconds,
    Network: network,
  });
  const added = windowsStep(context, "Add-ExternalNetwork", { values, dependsOn: [after.command] });
  return windowsStep(context, "Confirm-ExternalNetwork", { values, dependsOn: [added.command] });
}
