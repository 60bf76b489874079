import type { V1DaemonSetStatus, V1DeploymentStatus } from "@kubernetes/client-node";
import type { KubernetesObject } from "./object.ts";

/** An object's progress. `failed`: waiting will not make it ready. */
interface Readiness {
  readonly state: "ready" | "waiting" | "failed";
  /** What is missing, with numbers, or why it failed. */
  readonly message: string;
}

function waiting(message: string): Readiness {
  return { state: "waiting", message };
}

/** Whether an object is ready. Kinds other than DaemonSet and Deployment are ready at once. */
export function readiness({ kind, metadata, spec, status = {} }: KubernetesObject): Readiness {
  if (kind !== "DaemonSet" && kind !== "Deployment") return { state: "ready", message: "ready" };
  // Numbers in a status count only once the controller has seen the object as it is now.
  const generation = metadata?.generation ?? 0;
  const observed = (status as V1DeploymentStatus).observedGeneration ?? 0;
  if (observed < generation) {
    return waiting(`generation ${observed} of ${generation} seen by its controller`);
  }
  const { replicas = 1 } = (spec ?? {}) as { readonly replicas?: number };
  return kind === "DaemonSet"
    ? daemonSet(status as V1DaemonSetStatus)
    : deployment(replicas, status as V1DeploymentStatus);
}

function daemonSet(status: V1DaemonSetStatus): Readiness {
  return reached(status.desiredNumberScheduled ?? 0, [
    ["scheduled", status.currentNumberScheduled],
    ["updated", status.updatedNumberScheduled],
    ["available", status.numberAvailable],
    ["ready", status.numberReady],
  ]);
}

function deployment(replicas: number, status: V1DeploymentStatus): Readiness {
  const stuck = status.conditions?.find(
    ({ type, reason }) => type === "Progressing" && reason === "ProgressDeadlineExceeded",
  );
  if (stuck !== undefined) return { state: "failed", message: stuck.message ?? "no progress" };
  const progress = reached(replicas, [
    ["updated", status.updatedReplicas],
    ["available", status.availableReplicas],
    ["ready", status.readyReplicas],
  ]);
  const surplus = (status.replicas ?? 0) - replicas;
  return progress.state === "ready" && surplus > 0
    ? waiting(`${surplus} old pods still to go`)
    : progress;
}

function reached(
  desired: number,
  steps: readonly (readonly [string, number | undefined])[],
): Readiness {
  for (const [name, value = 0] of steps) {
    if (value < desired) return waiting(`${value} of ${desired} pods ${name}`);
  }
  return { state: "ready", message: `${desired} of ${desired} pods ready` };
}
