import type { KubernetesObject } from "./object.ts";

/** How far an object is. `failed`: it will not get ready by waiting. */
export interface Readiness {
  readonly state: "ready" | "waiting" | "failed";
  /** What it waits for, with numbers, or why it failed. */
  readonly message: string;
}

const ready: Readiness = { state: "ready", message: "ready" };

function waiting(message: string): Readiness {
  return { state: "waiting", message };
}

/** Whether an object does what it is there for. Kinds that have nothing to wait for are ready at once. */
export function readiness(object: KubernetesObject): Readiness {
  const status = (object.status ?? {}) as Readonly<Record<string, unknown>>;
  if (object.kind === "DaemonSet") return unobserved(object, status) ?? daemonSet(status);
  if (object.kind === "Deployment") return unobserved(object, status) ?? deployment(object, status);
  return ready;
}

/** Numbers in a status count only once the controller has seen the object as it is now. */
function unobserved(
  object: KubernetesObject,
  status: Readonly<Record<string, unknown>>,
): Readiness | undefined {
  const generation = object.metadata?.generation ?? 0;
  const observed = count(status, "observedGeneration");
  return observed < generation
    ? waiting(`generation ${String(observed)} of ${String(generation)} seen by its controller`)
    : undefined;
}

function daemonSet(status: Readonly<Record<string, unknown>>): Readiness {
  const desired = count(status, "desiredNumberScheduled");
  return reached(desired, [
    ["scheduled", count(status, "currentNumberScheduled")],
    ["updated", count(status, "updatedNumberScheduled")],
    ["available", count(status, "numberAvailable")],
    ["ready", count(status, "numberReady")],
  ]);
}

function deployment(
  object: KubernetesObject,
  status: Readonly<Record<string, unknown>>,
): Readiness {
  const stuck = conditions(status).find(
    ({ type, reason }) => type === "Progressing" && reason === "ProgressDeadlineExceeded",
  );
  if (stuck !== undefined) return { state: "failed", message: stuck.message ?? "no progress" };
  const { replicas = 1 } = (object.spec ?? {}) as { readonly replicas?: number };
  const progress = reached(replicas, [
    ["updated", count(status, "updatedReplicas")],
    ["available", count(status, "availableReplicas")],
    ["ready", count(status, "readyReplicas")],
  ]);
  const surplus = count(status, "replicas") - replicas;
  return progress.state === "ready" && surplus > 0
    ? waiting(`${String(surplus)} old pods still to go`)
    : progress;
}

function reached(desired: number, steps: readonly (readonly [string, number])[]): Readiness {
  for (const [name, value] of steps) {
    if (value < desired) return waiting(`${String(value)} of ${String(desired)} pods ${name}`);
  }
  return { state: "ready", message: `${String(desired)} of ${String(desired)} pods ready` };
}

interface Condition {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

function conditions(status: Readonly<Record<string, unknown>>): readonly Condition[] {
  return (status["conditions"] as readonly Condition[] | undefined) ?? [];
}

function count(status: Readonly<Record<string, unknown>>, name: string): number {
  const value = status[name];
  return typeof value === "number" ? value : 0;
}
