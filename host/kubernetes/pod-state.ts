import type { CoreV1Event, V1ContainerStatus, V1Pod } from "@kubernetes/client-node";

export function isReady(pod: V1Pod): boolean {
  return (pod.status?.conditions ?? []).some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
}

const imageReasons = ["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"];

/** Why pods are not Ready, one sentence for each pod; pods that are still starting are left out. */
export function podTroubles(pods: readonly V1Pod[]): string[] {
  return pods.filter((pod) => !isReady(pod)).flatMap((pod) => podTrouble(pod) ?? []);
}

/** Describes in one sentence why a pod is not Ready yet, from its state and its events. */
export function podProgress(pod: V1Pod, events: readonly CoreV1Event[] = []): string {
  const { metadata, spec, status } = pod;
  const [name, node] = [metadata?.name ?? "", spec?.nodeName ?? "no node yet"];
  const trouble = podTrouble(pod);
  if (trouble !== undefined) return trouble;
  const warning = lastWarning(events, "Pod", name);
  if (warning !== undefined) return `${name} on ${node}: ${warning}`;
  const containers = status?.containerStatuses ?? [];
  const waiting = containers.find(({ state }) => state?.waiting)?.state?.waiting;
  const unready = containers.filter(({ ready, state }) => !ready && state?.running);
  if (waiting === undefined && unready.length > 0) {
    const names = unready.map((each) => each.name + restarts(each)).join(" and ");
    return `${name} on ${node} runs, and its readiness probe does not pass yet: ${names}`;
  }
  return `${name} on ${node} is ${waiting?.reason ?? status?.phase ?? "not started"}`;
}

const restarts = ({ restartCount }: V1ContainerStatus): string =>
  restartCount === 0 ? "" : ` (restarts: ${restartCount})`;

function podTrouble({ metadata, spec, status }: V1Pod): string | undefined {
  const [name, node] = [metadata?.name ?? "", spec?.nodeName ?? "no node yet"];
  const { initContainerStatuses = [], containerStatuses = [], conditions = [] } = status ?? {};
  // Init containers that have succeeded are done.
  const initial = initContainerStatuses.filter(({ state }) => state?.terminated?.exitCode !== 0);
  for (const container of [...initial, ...containerStatuses]) {
    const trouble = containerTrouble(container, node);
    if (trouble !== undefined) return `${name}: ${trouble}`;
  }
  const scheduled = conditions.find(({ type }) => type === "PodScheduled");
  return scheduled?.status === "False"
    ? `${name} is not scheduled: ${scheduled.message ?? scheduled.reason ?? ""}`
    : undefined;
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
  // E.g. CreateContainerConfigError because of a missing Secret.
  return waiting?.message === undefined
    ? undefined
    : `${waiting.reason ?? "waiting"} on ${node}: ${oneLine(waiting.message)}`;
}

/** Events have one of several timestamps, which the API server sends as text. */
function eventTime(event: CoreV1Event): number {
  const time = event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
  return time === undefined ? 0 : Date.parse(String(time));
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 300 ? `${line.slice(0, 297)}...` : line;
}
