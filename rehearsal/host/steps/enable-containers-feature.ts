import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { getRebootRecord, saveRebootRecord } from "./reboot-record.ts";

/** Installs the feature, which then waits for a reboot; orders it and closes the SSH port. */
export async function enableContainersFeature(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const delay = parameters.integer("RebootDelaySeconds");
  let changed = false;
  const before = host.settings.featureState("Containers");
  if (before === "Available") {
    const reasons = host.settings.rebootPending.join(", ");
    if (reasons !== "") {
      await host.programs.reboot(delay);
      host.stopSshd();
      throw new StepError(
        "RebootPending",
        `Windows waits for a reboot (${reasons}) and does not install Containers before: FailedRestartRequired.`,
        "The machine reboots now. Run again in a few minutes.",
      );
    }
    // Recorded before, not after: a step killed in between would leave a machine whose reboot nobody orders.
    await saveRebootRecord(host);
    await context.checkpoint();
    await host.settings.setFeatureState("Containers", "InstallPending");
    changed = true;
  } else if (before === "InstallPending") {
    await saveRebootRecord(host);
  }

  const rebootRequired = (await getRebootRecord(host)) === host.lastBootUpTime;
  if (rebootRequired) {
    context.progress(`running shutdown.exe /r /f /t ${delay}`);
    await host.programs.reboot(delay);
    host.stopSshd();
  }
  return {
    changed,
    rebootRequired,
    facts: {
      installState: host.settings.featureState("Containers"),
      lastBootUpTime: host.lastBootUpTime,
    },
  };
}
