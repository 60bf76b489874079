import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { joinsWindows } from "../components/cni/pod-network.ts";
import type { KindCluster } from "../components/controlplane/kind-cluster.ts";
import type { environment } from "../components/controlplane/actions/find-node-routes.ts";
import { hostAction } from "../components/host-action/host-action.ts";
import type { ClusterRoute } from "../components/windows/node-step.ts";
import { controlPlaneNames, labNames, linuxWorkerName } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import { nodeSetup, type SetupSettings } from "./node-setup.ts";

/** Whether Windows nodes reach pods and Services by routes, because they have no pod network. */
export function hasClusterRoutes(settings: SetupSettings): boolean {
  return nodeSetup(settings).podNetwork.kind === "none";
}

/**
 * The routes of Windows nodes: to the pods of each Linux node through that node, and to Services through the first
 * control plane. Undefined if they have a pod network, which makes routes unnecessary.
 *
 * @param joined resources that are ready once the Linux nodes on machines have joined.
 */
export function clusterRoutes(
  settings: SetupSettings & Pick<Settings, "linuxNodes">,
  { kubeconfig, serviceCidr, resource, ready }: ClusterParts,
  joined: readonly pulumi.Resource[],
  opts?: pulumi.CustomResourceOptions,
): pulumi.Output<ClusterRoute[]> | undefined {
  if (!hasClusterRoutes(settings) || !joinsWindows(settings)) return undefined;
  const { kindCluster } = labNames(settings.lab.name);
  const routed = {
    nodes: [
      ...controlPlaneNames(kindCluster, settings.cluster.controlPlanes),
      ...settings.cluster.workers.map(({ name }) => linuxWorkerName(kindCluster, name)),
      ...settings.linuxNodes.map(({ name }) => name),
    ],
    serviceCidr,
  };
  const found = new local.Command(
    "node-routes",
    hostAction<typeof environment>({
      create: "controlplane/find-node-routes",
      environment: { KUBECONFIG_CONTENT: pulumi.secret(kubeconfig), ROUTED: routed },
    }),
    {
      ...opts,
      dependsOn: [resource, ...ready, ...joined],
      deletedWith: resource,
      // A replaced worker has another pod range.
      replaceWith: [resource, ...ready, ...joined],
      // The action ends at its own limit, a minute, and reports what it last saw.
      customTimeouts: { create: "120s", update: "120s" },
    },
  );
  // Addresses are no secret, although finding them needs one.
  return pulumi.unsecret(found.stdout).apply((text) => JSON.parse(text) as ClusterRoute[]);
}

type ClusterParts = Pick<KindCluster, "kubeconfig" | "serviceCidr" | "resource" | "ready">;
