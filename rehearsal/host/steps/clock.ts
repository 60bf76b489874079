import type { StepContext } from "../step.ts";

/** Below this nothing in Kubernetes minds. */
const toleranceSeconds = 30;

/** Sets the clock by the API server's where they differ; by how many seconds it was moved, 0 for not. */
export async function syncClock(context: StepContext, endpoint: string): Promise<number> {
  const { host } = context;
  const [name = "", port = ""] = endpoint.split(":", 2);
  const time = await host.programs.serverTime(name, Number(port), 15);
  if (time === undefined) {
    context.progress("The API server does not tell its time");
    return 0;
  }
  const offset = Math.round((time.getTime() - host.programs.now().getTime()) / 1000);
  if (Math.abs(offset) <= toleranceSeconds) return 0;
  context.progress(`the clock differs from the control plane's by ${offset} s and is set`);
  await host.programs.setClock(time);
  return offset;
}
