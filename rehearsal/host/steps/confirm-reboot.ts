import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { getRebootRecord, removeRebootRecord } from "./reboot-record.ts";

/** Confirms that the reboot which Enable-ContainersFeature ordered has happened. */
export async function confirmReboot(context: StepContext): Promise<StepOutcome> {
  const { host } = context;
  const bootTime = host.lastBootUpTime;
  const previous = await getRebootRecord(host);
  if (previous === bootTime) {
    throw new StepError(
      "RebootNotDone",
      `Windows still runs since ${bootTime}, although a reboot was ordered.`,
      "Run again in a minute; if it stays, see the System event log (ids 1074, 6006, 6008) and reboot by hand.",
    );
  }
  await context.checkpoint();
  const state = host.settings.featureState("Containers");
  if (state !== "Installed") {
    // Nothing in the model finishes a feature but a boot: waiting as long as the script does would only cost time.
    throw new StepError(
      "FeatureFailed",
      `The feature Containers is ${state} after the reboot check; expected was Installed.`,
      "See C:\\Windows\\Logs\\CBS\\CBS.log on the machine.",
    );
  }
  if (previous !== undefined) await removeRebootRecord(host);
  return {
    changed: previous !== undefined,
    facts: {
      installState: state,
      lastBootUpTime: bootTime,
      ...(previous === undefined ? {} : { previousBootUpTime: previous }),
    },
  };
}
