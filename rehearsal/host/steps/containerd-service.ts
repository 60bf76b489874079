import type { StepContext } from "../step.ts";
import { startServiceInTime } from "./start-service.ts";

export const containerdLogPath = "C:\\var\\log\\containerd\\containerd.log";

/** Starts containerd unless it runs, and waits until it serves its pipe. */
export async function startContainerd(context: StepContext): Promise<void> {
  await startServiceInTime(context, "containerd", 120, containerdLogPath, () =>
    context.host.programs.isPipeServed("containerd-containerd"),
  );
}
