import type { CoreV1Event, V1ContainerStatus, V1Pod } from "@kubernetes/client-node";

export function isReady(pod: V1Pod): boolean {
  return (pod.status?.conditions ?? []).some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
}

/** What a pod waits for or fails with, if it says so. */
export function podTroubles({ status }: V1Pod): string[] {
  const { initContainerStatuses = [], containerStatuses = [], conditions = [] } = status ?? {};
  const unscheduled = conditions.find(
    (condition) => condition.type === "PodScheduled" && condition.status === "False",
  );
  return [
    ...[...initContainerStatuses, ...containerStatuses].flatMap(containerTroubles),
    ...(unscheduled ? [unscheduled.message ?? "not scheduled"] : []),
  ];
}

/** A container that is just being created is no problem. */
function containerTroubles({ name, state }: V1ContainerStatus): string[] {
  const { waiting, terminated } = state ?? {};
  if (terminated !== undefined && terminated.exitCode !== 0) {
    return [`${name} ended with ${terminated.exitCode}`];
  }
  const { reason = "", message } = waiting ?? {};
  return ["", "ContainerCreating", "PodInitializing"].includes(reason)
    ? []
    : [`${name} waits: ${reason}${message === undefined ? "" : ` (${message})`}`];
}

const imageReasons = ["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"];

/** Why a pod is not Ready, in a sentence for people: by its own state and the events about it. */
export function podTrouble(pod: V1Pod, events: readonly CoreV1Event[]): string {
  const name = pod.metadata?.name ?? "";
  const node = pod.spec?.nodeName ?? "no node yet";
  for (const status of pod.status?.containerStatuses ?? []) {
    const trouble = containerTrouble(status, node);
    if (trouble !== undefined) return `${name}: ${trouble}`;
  }
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False") {
    return `${name} is not scheduled: ${scheduled.message ?? scheduled.reason ?? ""}`;
  }
  const warning = lastWarning(events, "Pod", name);
  if (warning !== undefined) return `${name} on ${node}: ${warning}`;
  const waiting = pod.status?.containerStatuses?.find(({ state }) => state?.waiting)?.state
    ?.waiting;
  return `${name} on ${node} is ${waiting?.reason ?? pod.status?.phase ?? "not started"}`;
}

export function lastWarning(
  events: readonly CoreV1Event[],
  kind: string,
  name: string,
): string | undefined {
  const [latest] = events
    .filter(
      ({ type, involvedObject }) =>
        type === "Warning" && involvedObject.kind === kind && involvedObject.name === name,
    )
    .sort((one, other) => eventTime(other) - eventTime(one));
  return latest && `${latest.reason ?? "Warning"}: ${oneLine(latest.message ?? "")}`;
}

function containerTrouble(status: V1ContainerStatus, node: string): string | undefined {
  const { waiting, terminated } = status.state ?? {};
  if (waiting && imageReasons.includes(waiting.reason ?? "")) {
    return `the image ${status.image} cannot be pulled on ${node}: ${oneLine(waiting.message ?? waiting.reason ?? "")}`;
  }
  const ended = terminated ?? status.lastState?.terminated;
  if (ended && (terminated || waiting?.reason === "CrashLoopBackOff")) {
    return `its container ${status.name} on ${node} ended with exit code ${ended.exitCode} (${oneLine(ended.message ?? ended.reason ?? "")})`;
  }
  // Such as CreateContainerConfigError: a Secret that is not there.
  return waiting?.message === undefined
    ? undefined
    : `${waiting.reason ?? "waiting"} on ${node}: ${oneLine(waiting.message)}`;
}

/** Events come with one of several times; the API server gives them as text. */
function eventTime(event: CoreV1Event): number {
  const time = event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
  return time === undefined ? 0 : Date.parse(String(time));
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 300 ? `${line.slice(0, 297)}...` : line;
}
