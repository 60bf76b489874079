import type { V1Secret, V1SecretList } from "@kubernetes/client-node";

import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { messageOf } from "../../host/failure.ts";
import { containers } from "../host-resources/containers.ts";
import type { Survey } from "../host-resources/host-resources.ts";
import { stoppedOf, type StoppedResource } from "../host-resources/stopped.ts";
import { domains } from "../../components/machine/libvirt/domains.ts";
import { runningOf, type HostResource } from "../../components/host-resource.ts";
import type { Host } from "../../host/host.ts";
import { labStateOf, type LabState } from "../lab/lab-state.ts";
import {
  checkCertificates,
  kubeconfigCertificates,
  gatherCertificates,
  type ContainerCertificates,
} from "./certificates.ts";
import { askClock, checkClocks, type ClockReading } from "./clocks.ts";
import type { Finding } from "./finding.ts";
import { checkNodes, type ClusterAnswer, heartbeatsOf } from "./nodes.ts";

const apiSeconds = 10;

/** What is wrong in a lab. */
export interface Inside extends Pick<Survey<never>, "unlisted"> {
  /** Stopped parts of the lab on this host. */
  readonly asleep: readonly StoppedResource[];
  readonly findings: readonly Finding[];
  /** Last heartbeat of each node, by its own clock. */
  readonly heartbeats: Readonly<Record<string, Date>>;
  readonly problems: readonly string[];
}

/** Of a lab that is not up. */
export const nothingInside: Inside = {
  asleep: [],
  unlisted: [],
  findings: [],
  heartbeats: {},
  problems: [],
};

export async function examineLab(stack: string, lab: string, host: Host): Promise<Inside> {
  const [{ found: asleep, unlisted }, answers] = await Promise.all([
    stoppedOf(lab, host),
    askLab(stack, lab, host).catch(messageOf),
  ]);
  const seen = { ...nothingInside, asleep, unlisted };
  if (typeof answers === "string") {
    return { ...seen, problems: [`cannot examine the lab ${lab}: ${answers}`] };
  }
  const { cluster } = answers;
  return {
    ...seen,
    findings: checkLab(answers),
    heartbeats: typeof cluster === "string" ? {} : heartbeatsOf(cluster),
  };
}

export interface LabAnswers {
  readonly state: LabState;
  readonly cluster: ClusterAnswer | string;
  readonly certificates: readonly ContainerCertificates[];
  readonly clocks: readonly ClockReading[];
  readonly running: ReadonlySet<string>;
  readonly now: Date;
}

export function checkLab(answers: LabAnswers): readonly Finding[] {
  const { state, cluster, certificates, clocks, running, now } = answers;
  const joined = state.machines.flatMap(({ node, join }) => (join === undefined ? [] : [node]));
  const canJoin = (node: string): boolean =>
    running.has(node) && typeof cluster !== "string" && joined.includes(node);
  const ofKubeconfig = kubeconfigCertificates(state.kubeconfig);
  const certificateFindings = checkCertificates(certificates, ofKubeconfig, now);
  const known = {
    joined,
    canJoin,
    awaitsPodNetwork: state.awaitsPodNetwork,
    containers: certificates.map(({ container }) => container),
    wrongClocks: clocks.flatMap((each) =>
      "seconds" in each && each.seconds !== 0 ? each.node : [],
    ),
  };
  return [
    ...certificateFindings,
    ...(typeof cluster === "string"
      ? [silentCluster(cluster, certificates, certificateFindings.length > 0)]
      : checkCluster(cluster, known, now)),
    ...checkClocks(clocks, canJoin),
    ...checkTokens(
      state.unjoined,
      typeof cluster === "string" ? undefined : cluster.tokens?.items,
      now,
    ),
  ];
}

function checkCluster(...answer: Parameters<typeof checkNodes>): readonly Finding[] {
  try {
    return checkNodes(...answer);
  } catch (error) {
    const seen = `its answer cannot be read: ${messageOf(error)}`;
    const remedy = "check whether something else has its address";
    return [{ kind: "api-server-unreadable", subject: "", seen, remedy }];
  }
}

/** @param explained whether another finding is the reason. */
function silentCluster(
  reason: string,
  certificates: readonly ContainerCertificates[],
  explained: boolean,
): Finding {
  const [first] = certificates.filter(({ controlPlane }) => controlPlane.length > 0);
  const seen = `it does not answer: ${reason}`;
  const found = { kind: "api-server-silent", subject: "", seen } as const;
  if (first === undefined) return { ...found, remedy: "start what has stopped, then check again" };
  const { container } = first;
  return {
    ...found,
    remedy: `docker exec ${container} ctr --namespace k8s.io tasks list`,
    ...(!explained && { repair: { kind: "restart-kubelet", container } }),
  };
}

/** Queries all parts of a lab that is up, in parallel and each for a bounded time. @throws without a state. */
async function askLab(stack: string, lab: string, host: Host): Promise<LabAnswers> {
  const state = await labStateOf(enginePulumi(stack, lab));
  const running = await runningNodes(lab, host);
  const [cluster, certificates, clocks] = await Promise.all([
    askCluster(state.kubeconfig, state.unjoined.length > 0),
    gatherCertificates(lab, host).catch(() => []), // Reported elsewhere if Docker does not answer.
    Promise.all(state.machines.flatMap((each) => (running.has(each.node) ? [askClock(each)] : []))),
  ]);
  return { state, cluster, certificates, clocks, running, now: new Date() };
}

/** Names of the nodes whose machine or container runs. A daemon that does not answer is reported elsewhere. */
async function runningNodes(lab: string, host: Host): Promise<ReadonlySet<string>> {
  const running = async (found: Promise<readonly HostResource[]>): Promise<string[]> =>
    runningOf(await found.catch(() => []), lab).map(({ name }) => name);
  const [machines, nodes] = await Promise.all([
    running(domains.find(host)),
    running(containers.find(host)),
  ]);
  // A node's name is its machine's without the lab's prefix.
  return new Set([...machines.map((name) => name.slice(lab.length + 1)), ...nodes]);
}

const bootstrapTokens =
  "/api/v1/namespaces/kube-system/secrets?fieldSelector=type%3Dbootstrap.kubernetes.io%2Ftoken";

/** @param needsTokens whether to read bootstrap tokens too. They are Secrets, and only unfinished joins need them. */
export async function askCluster(
  kubeconfig: string | undefined,
  needsTokens = false,
): Promise<ClusterAnswer | string> {
  if (kubeconfig === undefined) return "the state has no kubeconfig: `kindows up` was not finished";
  try {
    const api = new ClusterApi(kubeconfig, apiSeconds);
    const [nodes, pods, leases, tokens] = await Promise.all([
      api.get<unknown>("/api/v1/nodes"),
      api.get<unknown>("/api/v1/namespaces/kube-system/pods"),
      api.get<unknown>("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"),
      // Optional, because a kubeconfig may lack the right to read Secrets.
      needsTokens ? api.get<V1SecretList>(bootstrapTokens).catch(() => undefined) : undefined,
    ]);
    return { nodes, pods, leases, tokens };
  } catch (error) {
    return messageOf(error);
  }
}

function checkTokens(
  unjoined: readonly string[],
  tokens: readonly V1Secret[] | undefined,
  now: Date,
): readonly Finding[] {
  return unjoined.map((node) => {
    const isValid = ({ data }: V1Secret): boolean => {
      const text = (key: string): string => Buffer.from(data?.[key] ?? "", "base64").toString();
      return (
        text("description") === `kindows: join of ${node}` && new Date(text("expiration")) > now
      );
    };
    const known = tokens?.some(isValid) ? "its token is still valid" : "its token has expired";
    const token = tokens === undefined ? "it is unknown whether its token is still valid" : known;
    return {
      kind: "join-unfinished",
      subject: node,
      seen: `it was started but not finished; ${token}`,
      remedy: "kindows up: creates a new token and continues with the join",
    };
  });
}
