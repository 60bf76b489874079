import { type StepContext, StepError, type StepOutcome } from "../step.ts";
import { hasJoinRemains, resetMembership } from "./membership.ts";

/** Takes the machine out of its cluster; what was installed stays. */
export async function resetNode(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const criSocket = parameters.text("CriSocket");
  const timeoutSeconds = parameters.integer("TimeoutSeconds");
  const wasJoined = await hasJoinRemains(host);
  const installed =
    (await host.drive.isFile("C:\\k\\kubeadm.exe")) && host.services.get("kubelet") !== undefined;
  if (wasJoined && !installed) {
    throw new StepError(
      "KubernetesMissing",
      "The machine has joined a cluster, but C:\\k\\kubeadm.exe or the service kubelet is gone.",
      "Run Install-Kubernetes, then this step again.",
    );
  }
  if (wasJoined) {
    await context.checkpoint();
    await resetMembership(context, criSocket, timeoutSeconds);
  }
  return { changed: wasJoined, facts: { wasJoined } };
}
