import type { StepContext } from "../step.ts";
import { StepError } from "../step-error.ts";

/**
 * Starts a service unless it runs, and waits until it does and `ready` holds; ends the step with the end of its log where
 * that takes too long.
 */
export async function startServiceInTime(
  { host }: StepContext,
  name: string,
  timeoutSeconds: number,
  logPath: string,
  ready: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<void> {
  const deadline = Date.now() + host.milliseconds(timeoutSeconds);
  let lastError = "";
  let running = false;
  do {
    try {
      await host.services.start(name);
    } catch (error) {
      lastError = error instanceof Error ? error.message : String(error);
    }
    running = await host.services.isRunning(name);
    if (running && (await ready())) return;
    await host.pause(0.5);
  } while (Date.now() < deadline);

  const log = (await host.drive.readText(logPath))?.trimEnd().split(/\r?\n/).slice(-10).join("\n");
  throw new StepError(
    "ServiceNotRunning",
    `The service ${name} is not ready after ${timeoutSeconds} s: ${running ? "Running" : "Stopped"}. ${lastError} Its log: ${log ?? "(no log)"}`,
    `Read ${logPath} and the System event log on the machine.`,
  );
}

/** Starts a service again where stopping something has stopped it too, if it starts by itself. */
export async function startAutomaticService(
  context: StepContext,
  name: string,
  logPath: string,
): Promise<void> {
  const { services } = context.host;
  if (services.get(name)?.startType !== "auto" || (await services.isRunning(name))) return;
  await startServiceInTime(context, name, 60, logPath);
}
