import { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { scriptCommand } from "../../components/windows/step-command.ts";
import { textFact } from "../../components/windows/step-result.ts";
import { testWindowsHost } from "../../components/windows/steps.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { messageOf } from "../../host/failure.ts";
import { containers } from "../host-resources/containers.ts";
import { domains } from "../host-resources/domains.ts";
import { runningOf, type HostResource } from "../host-resources/resource-kind.ts";
import type { Host } from "../lab/host.ts";
import { labStateOf, type LabState, type NodeMachine } from "../lab/lab-state.ts";
import { judgeCertificates, kubeconfigCertificates, probeCertificates } from "./certificates.ts";
import type { ContainerCertificates } from "./certificates.ts";
import { judgeClocks, secondsOff } from "./clocks.ts";
import type { ClockReading } from "./clocks.ts";
import type { Finding } from "./finding.ts";
import { heartbeatsOf, judgeNodes } from "./nodes.ts";
import type { ClusterAnswer } from "./nodes.ts";
import { stepOverSsh } from "./step-over-ssh.ts";
import { judgeTokens, knownTokens } from "./tokens.ts";
import type { KnownToken } from "./tokens.ts";

/** Longest wait for one answer of the API server. */
const apiSeconds = 10;

/** Longest a machine may take to say what time it is: PowerShell takes its time to start on one that is busy. */
const clockSeconds = 60;

/** Least that is asked of a machine that is a node already: only its time is wanted, and whether it still works. */
const nodeRequirements = {
  MinimumBuild: 17763,
  MinimumRevision: 0,
  MinimumFreeDiskGiB: 1,
  MinimumMemoryMiB: 512,
  PodNetwork: "none",
} as const;

/** What was asked of a lab that is up; what did not answer says why. */
export interface LabAnswers {
  readonly state: LabState;
  /** The cluster's API server; text is why it did not answer. */
  readonly cluster: ClusterAnswer | string;
  /** Bootstrap tokens; nothing where they cannot be seen or nobody needs one. */
  readonly tokens: readonly KnownToken[] | undefined;
  /** Containers of the cluster that run, and their certificates. */
  readonly certificates: readonly ContainerCertificates[];
  readonly clocks: readonly ClockReading[];
  /** Nodes whose container or machine runs. */
  readonly running: ReadonlySet<string>;
  readonly now: Date;
}

/** When each node was heard of last; nothing of a cluster that does not answer. */
export function heartbeatsIn({ cluster }: Pick<LabAnswers, "cluster">): ReadonlyMap<string, Date> {
  try {
    return typeof cluster === "string" ? new Map() : heartbeatsOf(cluster);
  } catch {
    return new Map();
  }
}

/** What is wrong in a lab, by what its parts have answered. Pure. */
export function judgeLab(answers: LabAnswers): readonly Finding[] {
  const { state, cluster, tokens, certificates, clocks, running, now } = answers;
  const canJoin = (node: string): boolean =>
    running.has(node) &&
    typeof cluster !== "string" &&
    state.machines.some((each) => each.node === node && each.join !== undefined);
  const containers = certificates.map(({ container }) => container);
  const joined = state.machines.flatMap(({ node, join }) => (join === undefined ? [] : [node]));
  const certificateFindings = judgeCertificates(
    certificates,
    kubeconfigCertificates(state.kubeconfig),
    now,
  );
  const clockFindings = judgeClocks(clocks, canJoin);
  const wrongClocks = clocks
    .filter((reading) => "time" in reading && secondsOff(reading) !== 0)
    .map(({ node }) => node);
  return [
    ...certificateFindings,
    ...(typeof cluster === "string"
      ? silentCluster(cluster, certificates, certificateFindings.length > 0)
      : judgeCluster(cluster, { joined, containers, wrongClocks, canJoin }, now)),
    ...clockFindings,
    ...judgeTokens(state.unjoined, tokens, now),
  ];
}

function judgeCluster(
  cluster: ClusterAnswer,
  known: Parameters<typeof judgeNodes>[1],
  now: Date,
): readonly Finding[] {
  try {
    return judgeNodes(cluster, known, now);
  } catch (error) {
    return [
      {
        name: "API server",
        seen: `its answer cannot be read: ${messageOf(error)}`,
        remedy: "is something else at its address?",
      },
    ];
  }
}

/** Why may be plain already: then it is left to that. */
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
 * Asks everything of a lab that is up, all at once, every question bounded.
 *
 * @throws when the stack's state cannot be read.
 */
export async function askLab(stack: string, lab: string, host: Host): Promise<LabAnswers> {
  const state = await labStateOf(enginePulumi(stack, lab));
  const running = await runningNodes(lab, host);
  const [cluster, tokens, certificates, clocks] = await Promise.all([
    askCluster(state.kubeconfig),
    state.unjoined.length > 0 ? askTokens(state.kubeconfig) : undefined,
    probeCertificates(lab, host).catch(() => []), // Docker's silence is told already.
    Promise.all(state.machines.flatMap((each) => (running.has(each.node) ? [askClock(each)] : []))),
  ]);
  return { state, cluster, tokens, certificates, clocks, running, now: new Date() };
}

/** Nodes by what carries them: machines by libvirt, containers by Docker. Who is silent is told of elsewhere. */
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

/** @returns why it does not answer, where it does not. */
export async function askCluster(kubeconfig: string | undefined): Promise<ClusterAnswer | string> {
  if (kubeconfig === undefined) {
    return "the state has no kubeconfig: `kindows up` was not finished";
  }
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

/** Asks a machine for its time by the step that checks machines; however it answers, that is told. */
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
