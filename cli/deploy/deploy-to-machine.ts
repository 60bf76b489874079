import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { V1Node, V1PodList } from "@kubernetes/client-node";
import { create } from "tar";
import { drainForUpgrade, endUpgrade } from "../../components/controlplane/drain.ts";
import { unreadyReason } from "../../components/controlplane/unready-reason.ts";
import { kubeProxyName } from "../../components/kubeproxy/kube-proxy-objects.ts";
import { textFact } from "../../components/node/step-result.ts";
import { allowedReleases } from "../../components/windows/own-programs.ts";
import { installOwnProgram, restoreInstalledProgram } from "../../components/windows/steps.ts";
import {
  type DeployedPrograms,
  deployedOn,
  withDeployed,
} from "../../components/controlplane/deployed-programs.ts";
import { changeNode } from "../../host/kubernetes/change-node.ts";
import type { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { podTroubles } from "../../host/kubernetes/pod-state.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";
import { waitUntil } from "../../host/wait-until.ts";
import type { SshSource } from "../../host/ssh/run-over-ssh.ts";
import { copyToMachine, runOnWindowsNode } from "../lab/on-machine.ts";
import { print, say } from "../progress.ts";
import { nameAt, type Deployment } from "./deploy-plan.ts";

interface DeployNode {
  readonly name: string;
  readonly source: SshSource;
  readonly api: ClusterApi;
  /** Kubernetes version of the cluster, without a leading `v`. */
  readonly kubernetesVersion: string;
  /** Whether the node's pods are evicted before. */
  readonly drain: boolean;
}

/** Longest waits, in seconds: for pods to be evicted, and for the node to be Ready with the new program. */
const [drainSeconds, readySeconds] = [120, 300];

/** Puts programs in place of those on a node, and waits until they are used. All are copied before any is exchanged. */
export async function deployTo(
  node: DeployNode,
  deployments: readonly Deployment[],
): Promise<void> {
  const { name, source, api, kubernetesVersion } = node;
  const checksums: string[] = [];
  for (const deployment of deployments) checksums.push(await copyCompressed(node, deployment));
  await drained(node);
  for (const [at, deployment] of deployments.entries()) {
    const { program, destination, sha256 } = deployment;
    say(`${name}: ${nameAt(destination)} is exchanged`);
    const result = await runOnWindowsNode(name, source, installOwnProgram, {
      Path: windowsPath(destination),
      Archive: windowsPath(archiveOf(deployment)),
      Sha256: checksums[at] ?? "",
      Releases: allowedReleases(program, kubernetesVersion),
    });
    const insteadOf = textFact(result, "insteadOf");
    await noteDeployed(node, (known) => ({
      ...known,
      [nameAt(destination)]: { sha256, insteadOf },
    }));
    await awaitUse(node, [nameAt(destination)], textFact(result, "since"));
    const version = textFact(result, "version");
    print(`${name} has your own ${nameAt(destination)}${version === "" ? "" : ` ${version}`}`);
  }
  await endUpgrade(api, name, readySeconds);
}

/** A Go program is compressed to a third in a second or two. @returns the SHA-256 of what was copied. */
async function copyCompressed(
  { name, source }: DeployNode,
  deployment: Deployment,
): Promise<string> {
  const temporary = await mkdtemp(path.join(os.tmpdir(), "kindows-deploy-"));
  try {
    const file = path.join(temporary, "program.tar.gz");
    await create(
      {
        ...{ file, cwd: path.dirname(deployment.path), gzip: { level: 1 }, portable: true },
        onWriteEntry: (entry) => {
          entry.path = path.posix.basename(deployment.destination);
        },
      },
      [`./${path.basename(deployment.path)}`],
    );
    await copyToMachine(name, source, file, archiveOf(deployment), deployment.path);
    return await sha256OfFile(file);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function archiveOf({ sha256 }: Deployment): string {
  return `C:/kindows/deploy-${sha256.slice(0, 12)}.tar.gz`;
}

/** Brings back what was replaced on a node. @param places in SFTP's notation; none: all. */
export async function undoOn(node: DeployNode, places: readonly string[]): Promise<void> {
  const { name, source, api } = node;
  await drained(node);
  const result = await runOnWindowsNode(name, source, restoreInstalledProgram, {
    Paths: places.map(windowsPath).join(","),
  });
  const restored = [result.facts["restored"]].flat().map((path) => nameAt(sftpPath(String(path))));
  await noteDeployed(node, (known) =>
    Object.fromEntries(Object.entries(known).filter(([each]) => !restored.includes(each))),
  );
  await awaitUse(node, restored, textFact(result, "since"));
  await endUpgrade(api, name, readySeconds);
  print(`${name} has the stack's ${restored.join(", ")} again`);
}

async function drained({ name, api, drain }: DeployNode): Promise<void> {
  if (drain) await drainForUpgrade(api, { name, drainTimeoutSeconds: drainSeconds, say });
}

/** Notes on the Node what was deployed, for whoever looks at the cluster. */
async function noteDeployed(
  { name, api }: DeployNode,
  change: (deployed: DeployedPrograms) => DeployedPrograms,
): Promise<void> {
  await changeNode(api, name, (node) => withDeployed(node, change(deployedOn(node))));
}

/**
 * Waits until exchanged programs are used: kubelet, also with containerd, has reported a Ready node, and kube-proxy's
 * container runs again. The others are run when they are needed.
 *
 * @param since when they were exchanged, by the machine's clock, as that of what kubelet reports.
 */
async function awaitUse(
  { name, api }: DeployNode,
  programs: readonly string[],
  since: string,
): Promise<void> {
  const options = {
    timeoutSeconds: readySeconds,
    pollMilliseconds: 500,
    hint: `look at \`kindows logs ${name}\`, or bring back what was there with \`kindows deploy ${name} --undo\``,
  };
  const isLater = (time: Date | undefined): boolean =>
    time !== undefined && new Date(time) > new Date(since);
  if (programs.includes("kubelet") || programs.includes("containerd")) {
    await waitUntil({ ...options, what: `${name} to be Ready with it` }, async () => {
      const node = await api.get<V1Node>(`/api/v1/nodes/${name}`);
      const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
      return isLater(ready?.lastHeartbeatTime)
        ? unreadyReason(node)
        : `its kubelet has not reported since ${since}`;
    });
  }
  if (programs.includes("kubeProxy")) {
    const { namespace, name: label } = kubeProxyName;
    const query = `labelSelector=k8s-app%3D${label}&fieldSelector=spec.nodeName%3D${name}`;
    await waitUntil({ ...options, what: `kube-proxy on ${name} to run again` }, async () => {
      const path = `/api/v1/namespaces/${namespace}/pods?${query}`;
      const { items } = await api.get<V1PodList>(path);
      const containers = items.flatMap(({ status }) => status?.containerStatuses ?? []);
      return containers.some(({ state }) => isLater(state?.running?.startedAt))
        ? undefined
        : [`its container has not started since ${since}`, ...podTroubles(items)].join("; ");
    });
  }
}

function windowsPath(path: string): string {
  return path.replaceAll("/", "\\");
}

function sftpPath(path: string): string {
  return path.replaceAll("\\", "/");
}
