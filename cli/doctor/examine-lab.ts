import type { V1SecretList } from "@kubernetes/client-node";

import { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { scriptCommand } from "../../components/windows/step-command.ts";
import {
  textFact,
  parseStepResult,
  type StepResult,
} from "../../components/windows/step-result.ts";
import { testWindowsHost } from "../../components/windows/steps.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { messageOf } from "../../host/failure.ts";
import { containers } from "../host-resources/containers.ts";
import { domains } from "../../components/machine/libvirt/domains.ts";
import { runningOf, type HostResource } from "../../components/host-resource.ts";
import type { Host } from "../../host/host.ts";
import { labStateOf, type LabState, type NodeMachine } from "../lab/lab-state.ts";
import {
  checkCertificates,
  kubeconfigCertificates,
  gatherCertificates,
  type ContainerCertificates,
} from "./certificates.ts";
import type { Finding } from "./finding.ts";
import { heartbeatsOf, checkNodes, type ClusterAnswer } from "./nodes.ts";
import { CommandFailed, runOverSsh } from "../../ssh/run-over-ssh.ts";

const apiSeconds = 10;

/** Longest wait for a machine's time: PowerShell starts slowly on a busy one. */
const clockSeconds = 60;

/** Minimal requirements for a machine that is already a node: only its time, and whether it still works, matter. */
const nodeRequirements = {
  MinimumBuild: 17763,
  MinimumRevision: 0,
  MinimumFreeDiskGiB: 1,
  MinimumMemoryMiB: 512,
  PodNetwork: "none",
} as const;

/** Answers of a lab that is up; whatever did not answer has a reason instead. */
export interface LabAnswers {
  readonly state: LabState;
  /** Answer of the API server; a text says why there is none. */
  readonly cluster: ClusterAnswer | string;
  /** Bootstrap tokens; undefined if they cannot be read or none is needed. */
  readonly tokens: readonly KnownToken[] | undefined;
  readonly certificates: readonly ContainerCertificates[];
  readonly clocks: readonly ClockReading[];
  readonly running: ReadonlySet<string>;
  readonly now: Date;
}

/** Time of each node's last heartbeat; empty if the cluster does not answer. */
export function heartbeatsIn({ cluster }: Pick<LabAnswers, "cluster">): ReadonlyMap<string, Date> {
  try {
    return typeof cluster === "string" ? new Map() : heartbeatsOf(cluster);
  } catch {
    return new Map();
  }
}

/** What is wrong in a lab, according to the answers of its parts. Pure. */
export function checkLab(answers: LabAnswers): readonly Finding[] {
  const { state, cluster, tokens, certificates, clocks, running, now } = answers;
  const canJoin = (node: string): boolean =>
    running.has(node) &&
    typeof cluster !== "string" &&
    state.machines.some((each) => each.node === node && each.join !== undefined);
  const containers = certificates.map(({ container }) => container);
  const joined = state.machines.flatMap(({ node, join }) => (join === undefined ? [] : [node]));
  const ofKubeconfig = kubeconfigCertificates(state.kubeconfig);
  const certificateFindings = checkCertificates(certificates, ofKubeconfig, now);
  const wrongClocks = clocks
    .filter((reading) => "time" in reading && secondsOff(reading) !== 0)
    .map(({ node }) => node);
  return [
    ...certificateFindings,
    ...(typeof cluster === "string"
      ? silentCluster(cluster, certificates, certificateFindings.length > 0)
      : checkCluster(cluster, { joined, containers, wrongClocks, canJoin }, now)),
    ...checkClocks(clocks, canJoin),
    ...checkTokens(state.unjoined, tokens, now),
  ];
}

function checkCluster(
  cluster: ClusterAnswer,
  known: Parameters<typeof checkNodes>[1],
  now: Date,
): readonly Finding[] {
  try {
    return checkNodes(cluster, known, now);
  } catch (error) {
    const seen = `its answer cannot be read: ${messageOf(error)}`;
    return [{ name: "API server", seen, remedy: "is something else at its address?" }];
  }
}

/** Reported only if nothing else explains it. */
function silentCluster(
  reason: string,
  certificates: readonly ContainerCertificates[],
  explained: boolean,
): readonly Finding[] {
  const [first] = certificates.filter(({ controlPlane }) => controlPlane.length > 0);
  return [
    {
      name: "API server",
      seen: `it does not answer: ${reason}`,
      remedy:
        first === undefined
          ? "start what has stopped, then check again"
          : `docker exec ${first.container} ctr --namespace k8s.io tasks list`,
      ...(first !== undefined &&
        !explained && { repair: { kind: "restart-kubelet", container: first.container } as const }),
    },
  ];
}

/**
 * Queries all parts of a lab that is up, in parallel and each for a bounded time.
 *
 * @throws when the stack's state cannot be read.
 */
export async function askLab(stack: string, lab: string, host: Host): Promise<LabAnswers> {
  const state = await labStateOf(enginePulumi(stack, lab));
  const running = await runningNodes(lab, host);
  const [cluster, tokens, certificates, clocks] = await Promise.all([
    askCluster(state.kubeconfig),
    state.unjoined.length > 0 ? askTokens(state.kubeconfig) : undefined,
    gatherCertificates(lab, host).catch(() => []), // Reported elsewhere if Docker does not answer.
    Promise.all(state.machines.flatMap((each) => (running.has(each.node) ? [askClock(each)] : []))),
  ]);
  return { state, cluster, tokens, certificates, clocks, running, now: new Date() };
}

/** Nodes by machine (libvirt) or container (Docker). A silent daemon is reported elsewhere. */
async function runningNodes(lab: string, host: Host): Promise<ReadonlySet<string>> {
  const running = async (found: Promise<readonly HostResource[]>): Promise<string[]> =>
    runningOf(await found.catch(() => []), lab).map(({ name }) => name);
  const [machines, nodes] = await Promise.all([
    running(domains.find(host)),
    running(containers.find(host)),
  ]);
  // A node has its machine's name without the lab's.
  return new Set([...machines.map((name) => name.slice(lab.length + 1)), ...nodes]);
}

/** @returns the reason if it does not answer. */
export async function askCluster(kubeconfig: string | undefined): Promise<ClusterAnswer | string> {
  if (kubeconfig === undefined) return "the state has no kubeconfig: `kindows up` was not finished";
  try {
    const api = new ClusterApi(kubeconfig, apiSeconds);
    const [nodes, pods, leases] = await Promise.all([
      api.get<unknown>("/api/v1/nodes"),
      api.get<unknown>("/api/v1/namespaces/kube-system/pods"),
      api.get<unknown>("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"),
    ]);
    return { nodes, pods, leases };
  } catch (error) {
    return messageOf(error);
  }
}

async function askTokens(
  kubeconfig: string | undefined,
): Promise<readonly KnownToken[] | undefined> {
  try {
    const api = new ClusterApi(kubeconfig ?? "", apiSeconds);
    const selector = encodeURIComponent("type=bootstrap.kubernetes.io/token");
    return knownTokens(
      await api.get(`/api/v1/namespaces/kube-system/secrets?fieldSelector=${selector}`),
    );
  } catch {
    return undefined;
  }
}

/** Asks a machine for its time by running the step that checks machines. Any answer counts. */
export async function askClock(machine: NodeMachine): Promise<ClockReading> {
  const { node } = machine;
  try {
    const command = scriptCommand(machine.checkFolder, testWindowsHost, {
      ComputerName: node,
      ...nodeRequirements,
    });
    const asked = new Date();
    const result = await stepOverSsh(testWindowsHost.name, machine, command, clockSeconds);
    const answered = new Date();
    const utc = textFact(result, "utc");
    const time = new Date(utc);
    return Number.isNaN(time.getTime())
      ? { node, trouble: `it says its time is ${utc}` }
      : { node, time, asked, answered };
  } catch (error) {
    return { node, trouble: messageOf(error).split("\n")[0] ?? "" };
  }
}

/**
 * Runs a step on a machine that has its scripts.
 *
 * @param input what it gets on its standard input; may be secret.
 * @throws with the step's own words where it failed by itself.
 */
export async function stepOverSsh(
  step: string,
  machine: NodeMachine,
  command: string,
  timeoutSeconds: number,
  input = "",
): Promise<StepResult> {
  let output: string;
  try {
    output = await runOverSsh(machine, command, timeoutSeconds, input);
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.output.trim() === "") throw error;
    output = error.output;
  }
  return parseStepResult(step, machine.node, output);
}

/** Seconds by which a clock may be off: Kubernetes tolerates less than this, and Join-Node leaves it alone. */
const toleranceSeconds = 30;

/** A machine's answer when asked for its time. */
export type ClockReading =
  | {
      readonly node: string;
      /** Its time; to the second. */
      readonly time: Date;
      /** This host's time before and after the question. */
      readonly asked: Date;
      readonly answered: Date;
    }
  | { readonly node: string; readonly trouble: string };

/** What is wrong with machines' clocks compared with this host's, which the control plane uses too. */
export function checkClocks(
  readings: readonly ClockReading[],
  canJoin: (node: string) => boolean,
): readonly Finding[] {
  return readings.flatMap((reading): Finding[] => {
    const { node } = reading;
    if ("trouble" in reading) {
      const seen = `it does not say how it is: ${reading.trouble}`;
      return [
        { name: `machine ${node}`, seen, remedy: `look at its screen: kindows console ${node}` },
      ];
    }
    const seconds = secondsOff(reading);
    if (Math.abs(seconds) <= toleranceSeconds) return [];
    return [
      {
        name: `clock of ${node}`,
        seen: `it is ${duration(Math.abs(seconds))} ${seconds > 0 ? "ahead of" : "behind"} this host's, which the control plane has too`,
        remedy: `set it, on the machine: w32tm /resync`,
        ...(canJoin(node) && { repair: { kind: "run-join", node } as const }),
      },
    ];
  });
}

/** How far a clock is ahead at least: it may have been read at any time between question and answer. */
export function secondsOff({
  time,
  asked,
  answered,
}: Extract<ClockReading, { time: Date }>): number {
  const [early, late] = [time.getTime() - answered.getTime(), time.getTime() - asked.getTime()];
  if (early <= 0 && late >= 0) return 0;
  return Math.round((early > 0 ? early : late) / 1000);
}

function duration(seconds: number): string {
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;
}

/** A bootstrap token in the cluster, without its secret. */
export interface KnownToken {
  readonly description: string;
  readonly expires: Date | undefined;
}

/**
 * Bootstrap tokens in the API server's list of Secrets, without their secrets.
 *
 * @throws if it is no such list.
 */
export function knownTokens(list: unknown): readonly KnownToken[] {
  return (list as V1SecretList).items.map(({ data }) => {
    const text = (key: string): string => Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
    const expires = new Date(text("expiration"));
    return {
      description: text("description"),
      expires: Number.isNaN(expires.getTime()) ? undefined : expires,
    };
  });
}

/**
 * Findings about nodes that have not joined and whose token is no longer valid.
 *
 * @param tokens of the cluster; undefined if it does not answer.
 */
export function checkTokens(
  unjoined: readonly string[],
  tokens: readonly KnownToken[] | undefined,
  now: Date,
): readonly Finding[] {
  return unjoined.map((node) => {
    const isGood = ({ description, expires }: KnownToken): boolean =>
      description === `kindows: join of ${node}` && expires !== undefined && expires > now;
    const known = tokens?.some(isGood) ? "its token is still good" : "its token has expired";
    const token = tokens === undefined ? "whether its token is still good cannot be seen" : known;
    return {
      name: `join of ${node}`,
      seen: `it was begun and not finished; ${token}`,
      remedy: "kindows up: creates a new token and continues with the join",
    };
  });
}
