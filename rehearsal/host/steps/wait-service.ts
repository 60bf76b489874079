import { type StepContext, StepError } from "../step.ts";

/** Waits until a service runs and `ready` holds; ends the step with the end of its log where it does not in time. */
export async function waitServiceRunning(
  { host }: StepContext,
  name: string,
  timeoutSeconds: number,
  logPath: string,
  ready: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + host.milliseconds(timeoutSeconds);
  let running = false;
  do {
    running = await host.services.isRunning(name);
    if (running && (await ready())) return;
    await host.pause(0.5);
  } while (Date.now() < deadline);

  const log = (await host.drive.readText(logPath))?.trimEnd().split(/\r?\n/).slice(-10).join("\n");
  throw new StepError(
    "ServiceNotRunning",
    `The service ${name} is not ready after ${timeoutSeconds} s (last seen: ${running ? "Running" : "Stopped"}). Its log ends with: ${log ?? "(no log)"}`,
    `Read ${logPath} and the System event log on the machine.`,
  );
}
