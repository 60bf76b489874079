import * as pulumi from "@pulumi/pulumi";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { messageOf } from "../host/failure.ts";
import {
  examineCluster,
  readKubeconfig,
} from "../components/controlplane/existing/examine-cluster.ts";
import { podNetworkNamed } from "../components/cni/pod-networks.ts";
import { clusterMakers } from "../components/machine/machine-makers.ts";
import type { MakeMachines } from "../components/machine/kubevirt/kubevirt-machines.ts";
import { type ByBastions, directly } from "../components/machine/ssh-access.ts";
import { isPreviewAnywhere } from "../components/preview-anywhere.ts";
import { defaultRequirements } from "../components/windows/host-requirements.ts";
import type { ExistingNode } from "../components/machine/existing/settings.ts";
import type { ExistingSettings } from "../config/existing.ts";
import {
  byBastions,
  type ExistingClusterArgs,
  machineAccess,
  podNetworkOf,
  type Surroundings,
} from "./existing-cluster.ts";
import type { NodePrograms } from "./joined-node.ts";
import { existingSoftware } from "./existing-software.ts";
import { openForwards, readKeys, throwIfAny } from "./machine-logins.ts";

/**
 * Examines the cluster and files on this host, even for a preview. A preview that must work anywhere (KINDOWS_PREVIEW)
 * contacts nobody and reads nothing.
 *
 * @throws RunError, which Pulumi prints without a stack trace, with all problems, before anything is changed.
 */
export async function existingClusterArgs(
  settings: ExistingSettings,
): Promise<ExistingClusterArgs> {
  const surroundings: Surroundings = isPreviewAnywhere()
    ? { cluster: undefined, access: () => undefined }
    : await examine(settings).catch((error: unknown) => {
        throw new pulumi.RunError(messageOf(error));
      });
  const software = existingSoftware(settings, surroundings.cluster?.facts.podNetwork.kind);
  const programs = { software, requirements: defaultRequirements };
  return withComponents(settings, surroundings, programs);
}

/** Loads the components of the pod network, and those that make machines, which checks the cluster that they run in. */
export async function withComponents(
  settings: ExistingSettings,
  surroundings: Surroundings,
  programs: NodePrograms,
): Promise<ExistingClusterArgs> {
  const { kind } = podNetworkOf(settings, surroundings.cluster);
  return {
    ...surroundings,
    ...{ settings, programs },
    makeMachines: await makeMachines(settings, surroundings.bastions ?? directly),
    podNetwork: await podNetworkNamed(kind)?.components(),
  };
}

async function makeMachines(
  { machine, cluster: { kubeconfig }, login }: ExistingSettings,
  bastions: ByBastions,
): Promise<MakeMachines | undefined> {
  if (machine === undefined) return undefined;
  const { machinesInCluster } = await clusterMakers[machine.kind].components();
  return machinesInCluster({ machine, kubeconfig, login, bastions, stack: pulumi.getStack() });
}

async function examine(settings: ExistingSettings): Promise<Surroundings> {
  const { cluster, cni, nodes, machine, login } = settings;
  const created = machine?.nodes ?? [];
  // Problems on this host are reported together, before the cluster is contacted.
  const keys = readKeys([
    ...nodes.flatMap(({ login }) => [login, ...login.bastions]),
    ...(created.length === 0 ? [] : login.bastions),
  ]);
  throwIfAny("some things that the settings name cannot be used", [
    ...keys.problems,
    ...kubeconfigProblems(settings),
  ]);
  const examined = await examineCluster(cluster.kubeconfig, { ...cluster, cni, nodes });
  for (const warning of examined.warnings) await pulumi.log.warn(warning);
  const access = (node: ExistingNode) => machineAccess(node, keys.of);
  const bastions = byBastions(login, keys.of);
  // A preview connects to no machine.
  if (!isDryRun()) {
    await openForwards([
      ...created.map(({ name }) => [name, bastions] as const),
      ...nodes.map((node) => [node.name, access(node)] as const),
    ]);
  }
  return { cluster: examined, access, bastions };
}

function kubeconfigProblems({ cluster }: ExistingSettings): string[] {
  try {
    readKubeconfig(cluster.kubeconfig);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
