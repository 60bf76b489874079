import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, networkInterfaces } from "node:os";
import path from "node:path";

import { podNetworks } from "../../components/cni/pod-networks.ts";
import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { readKubeconfig } from "../../components/controlplane/existing/examine-cluster.ts";
import {
  clusterDomainOf,
  runsPodNetwork,
  whyNoNetworkPolicies,
  type Facts,
} from "../../verify/cluster/facts.ts";
import { readNodes } from "../../verify/cluster/snapshot.ts";
import type { Row } from "../../verify/rows/row.ts";
import { verifyLockFile } from "../engine/run-lock.ts";
import { labThatIsUp } from "../lab/outputs.ts";
import { stackSettings } from "../stack-settings.ts";
import { segmentPlan } from "../../config/address-plan.ts";
import type { Settings } from "../../config/settings.ts";
import { hasClusterRoutes } from "../../stacks/cluster-routes.ts";
import { whyNoInternet } from "../../verify/cluster/outside.ts";
import { pathRows } from "../../verify/rows/paths.ts";
import { isRehearsed } from "../../config/image-sources.ts";

/** A cluster whose network is verified. */
interface VerifiedCluster {
  /** Name for reports: the stack's, or the kubeconfig's. */
  readonly name: string;
  /** Its lab, or its name again. */
  readonly lab: string;
  readonly api: ClusterApi;
  /** File with one context, for kubectl. */
  readonly kubeconfig: string;
  readonly facts: Facts;
  /** Address of this host on the nodes' network segment, if it has one. */
  readonly hostAddress?: string;
  readonly lockFile: string;
  /** Removes the files that were written to reach it. */
  removeFiles(): Promise<void>;
}

/**
 * The cluster of a stack's lab.
 *
 * @throws Failure if the stack is no lab, or is not up.
 */
export async function clusterOfLab(stack: string, rows: readonly Row[]): Promise<VerifiedCluster> {
  const settings = await stackSettings(stack);
  const { lab, outputs, access } = await labThatIsUp(stack);
  const api = new ClusterApi(outputs.kubeconfig);
  const facts = await labFacts(settings, api, rows);
  return {
    name: stack,
    lab,
    api,
    kubeconfig: access.kubeconfig,
    facts,
    ...(facts.noHost === undefined && { hostAddress: hostAddress(settings) }),
    lockFile: verifyLockFile(stack),
    removeFiles: () => Promise.resolve(),
  };
}

/**
 * The cluster of a kubeconfig.
 * Its Windows nodes count as real ones, whose pods have a network. Its pods may not be able to reach this host.
 *
 * @param context context of the kubeconfig. Default: its current one, or its only one.
 * @throws with everything that is wrong with the file.
 */
export async function clusterOfKubeconfig(
  file: string,
  context: string | undefined,
  rows: readonly Row[],
): Promise<VerifiedCluster> {
  const kubeconfig = readKubeconfig({ file, context });
  const api = new ClusterApi(kubeconfig);
  const common = await commonFacts(api, rows);
  const facts: Facts = {
    ...common,
    rehearsal: false,
    noHost:
      "needs a server on the nodes' network segment, which is unknown for a cluster given by a kubeconfig",
  };
  // The file has credentials, so others may not read it.
  const folder = await mkdtemp(path.join(tmpdir(), "kindows-verify-"));
  const only = path.join(folder, "kubeconfig");
  await writeFile(only, kubeconfig, { mode: 0o600, flag: "wx" });
  const name = path.basename(file);
  return {
    name,
    lab: name,
    api,
    kubeconfig: only,
    facts,
    lockFile: verifyLockFile(`kubeconfig-${createHash("sha256").update(kubeconfig).digest("hex")}`),
    removeFiles: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Address of this host on the lab's segment, which pods reach without the internet. */
const hostAddress = ({ network }: Settings): string => segmentPlan(network).gateway;

async function commonFacts(
  api: ClusterApi,
  rows: readonly Row[],
): Promise<Pick<Facts, "nodes" | "clusterDomain" | "noInternet" | "noNetworkPolicies">> {
  const outward = pathRows.filter(({ target }) => target.to === "internet").map(({ id }) => id);
  const [nodes, clusterDomain, noInternet, noNetworkPolicies] = await Promise.all([
    readNodes(api),
    clusterDomainOf(api),
    rows.some(({ id }) => outward.includes(id)) ? whyNoInternet() : undefined,
    whyNoNetworkPolicies(api),
  ]);
  return { nodes, clusterDomain, noInternet, noNetworkPolicies };
}

/** Facts that decide which rows can be run in a lab. */
async function labFacts(settings: Settings, api: ClusterApi, rows: readonly Row[]): Promise<Facts> {
  const common = await commonFacts(api, rows);
  const address = hostAddress(settings);
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const podNetwork = podNetworks[settings.cni.kind];
  return {
    ...common,
    rehearsal: isRehearsed(settings),
    ...podNetwork.lackingOnWindows(settings.cni),
    rehearsedPodNetwork: runsPodNetwork(common, podNetwork.windowsAnnotation),
    windowsNodeRoutes: hasClusterRoutes(settings),
    ...(!own.some((each) => each.address === address) && {
      noHost: `needs a server on the lab's segment: this host does not have its address ${address}`,
    }),
  };
}
