import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import { dockerEndpoint } from "../host/docker-engine.ts";
import { segmentPlan } from "../config/address-plan.ts";
import { containerCount } from "../config/checks/used-network.ts";
import { labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import { podNetworks } from "../components/cni/pod-networks.ts";
import { KindCluster } from "../components/controlplane/kind-cluster.ts";
import { KubeProxyWindows } from "../components/kubeproxy/kube-proxy-windows.ts";
import { otherHosts } from "../components/machine/machine-makers.ts";
import { randomLabId } from "../components/lab-id.ts";
import { labFabric } from "../components/network/fabric/fabric-host.ts";
import { sharedZone } from "../components/network/firewalld.ts";
import { LabNetwork, type UsedNetwork } from "../components/network/lab-network.ts";
import { defaultRequirements } from "../components/windows/host-requirements.ts";
import { withOwnPrograms } from "../components/windows/software.ts";
import { clusterRoutes } from "./cluster-routes.ts";
import { imageArchives, LabImages, recordFiles, recordNetwork } from "./lab-images.ts";
import { machineImage } from "./machine-image.ts";
import { hypervisorProvider } from "../components/machine/libvirt/hypervisor-provider.ts";
import { joinedLinux, joinedWindows, type NodePrograms, type StackMachine } from "./joined-node.ts";
import { labMachines } from "./machines.ts";
import { nodeImage } from "./node-image.ts";
import { nodeSetup, ownSetup } from "./node-setup.ts";
import { isAway } from "./reachable-nodes.ts";
import { stackSoftware } from "../components/windows/stack-software.ts";
import { isRouted } from "../components/network/fabric/fabric-ends.ts";
import type { NodeSettings } from "../config/sections/nodes.ts";

export interface Lab {
  readonly kubeconfig: pulumi.Output<string>;
  readonly sshPrivateKey: pulumi.Output<string>;
  readonly controlPlane: pulumi.Output<object>;
  readonly nodes: pulumi.Output<object[]>;
  readonly images: LabImages["used"];
}

/**
 * A kind control plane in Docker and Windows machines on libvirt, on one network segment. Machines boot and are
 * prepared while kind starts; only their join waits for both. Machines that are there already are joined as well.
 *
 * @param nodes the settings' nodes on reachable hypervisors.
 */
export async function kindOnLibvirt(
  settings: Settings,
  nodes: readonly NodeSettings[],
): Promise<Lab> {
  const images = await LabImages.ofStack();
  recordNetwork(settings, images);
  recordFiles(settings, images);
  const { cluster } = settings;
  const { kubernetesVersion, tokenTtlMinutes } = cluster;
  const archives = await imageArchives(settings, images);
  const windowsImage = machineImage(settings, images);
  const { install } = await podNetworks[settings.cni.kind].components();
  const names = labNames(settings.lab.name);
  const placed = reportedPlacement(settings);
  const plan = segmentPlan(settings.network);
  const libvirtProvider = hypervisorProvider("hypervisor", settings.hypervisor.uri);

  const endpoint = dockerEndpoint();
  const labId = randomLabId();
  const network = new LabNetwork("lab", {
    name: names.network,
    cidr: plan.cidr,
    bridge: settings.network.bridge,
    domain: settings.network.domain,
    gateway: plan.gateway,
    containers: plan.containerRange ?? usedNetwork(settings),
    mtu: settings.network.mtu,
    dnsForwarders: settings.network.dnsForwarders,
    zone: sharedZone(settings.hypervisor.uri),
    mode: isRouted(settings) ? "route" : "nat",
    libvirtProvider,
    dockerProvider: new docker.Provider("docker", {
      // A preview does not need a running Docker.
      disableDockerDaemonCheck: true,
      // kind follows the context by itself, the provider only DOCKER_HOST.
      ...(endpoint.by === "context" && { host: endpoint.host }),
    }),
    labId,
  });

  const controlPlane = new KindCluster("control-plane", {
    name: names.kindCluster,
    kubernetesVersion,
    nodeImage: images.of("node", [cluster.nodeImage, kubernetesVersion], z.string(), () =>
      nodeImage(settings),
    ),
    controlPlanes: cluster.controlPlanes,
    workers: cluster.workers.map(({ name }) => name),
    podCidr: cluster.podCidr,
    serviceCidr: cluster.serviceCidr,
    network: network.dockerNetworkName,
    cni: settings.cni.kind,
    kindPatches: cluster.kindPatches,
    imageArchives: archives,
  });
  const pods = install(controlPlane, settings);

  const { loginKey, machines } = await labMachines(
    settings,
    nodes,
    windowsImage?.disk,
    images,
    { network, fabric: labFabric(settings, isAway, labId, network), labId },
    libvirtProvider,
  );
  const joinedCluster = { controlPlane, podNetwork: pods.resource, tokenTtlMinutes };
  const of = (os: NodeSettings["os"]) => machines.filter(({ node }) => node.os === os);
  const linux = of("linux").map((machine) => joinedLinux(machine, joinedCluster, images, archives));
  // The routes of Windows nodes include those of Linux nodes.
  const routes = clusterRoutes(
    settings,
    controlPlane,
    linux.map(({ registered }) => registered),
  );
  const setup = { setup: nodeSetup(settings), routes };
  const made =
    windowsImage === undefined
      ? []
      : of("windows").map((machine) => {
          const { software, requirements } = windowsImage;
          return joinedWindows(machine, joinedCluster, { software, requirements, ...setup });
        });
  const own = await ownWindows(settings);
  const windows = [
    ...made,
    ...own.machines.map((machine) =>
      joinedWindows(machine, joinedCluster, { ...own.programs, setup: ownSetup(settings), routes }),
    ),
  ];

  pods.awaitOnWindows?.(windows);
  new KubeProxyWindows("kube-proxy-windows", {
    controlPlane,
    nodes: windows,
    network: pods.windows,
    image: settings.windows.kubeProxyImage,
    pullSecrets: settings.windows.kubeProxyPullSecrets,
  });

  return {
    kubeconfig: controlPlane.kubeconfig,
    sshPrivateKey: loginKey.privateKey,
    controlPlane: pulumi.output({
      endpoint: controlPlane.endpoint,
      hostsEntries: controlPlane.hostsEntries,
      kubernetesVersion,
      nodeNames: controlPlane.nodeNames,
    }),
    nodes: pulumi.output(
      [...windows, ...linux].map(({ report }) => ({ ...report, ...placed.get(report.name) })),
    ),
    images: images.used,
  };
}

/** The machines that are there already, and what is pushed to them. */
async function ownWindows(
  settings: Settings,
): Promise<{ readonly machines: readonly StackMachine[]; readonly programs: NodePrograms }> {
  const { ownNodes, windows } = settings;
  const software = withOwnPrograms(stackSoftware(settings), windows.ownFiles);
  const programs = { software, requirements: defaultRequirements };
  if (ownNodes.length === 0) return { machines: [], programs };
  // Loaded only here, because most labs make all their machines.
  const { ownMachines } = await import("./own-machines.ts");
  return { machines: await ownMachines(ownNodes, programs), programs };
}

/** The libvirt network that the settings name, for a lab that makes none. */
function usedNetwork({ hypervisor, network, cluster, ownNodes }: Settings): UsedNetwork {
  return {
    uri: hypervisor.uri,
    name: network.libvirtNetwork ?? "",
    uuid: network.found?.uuid ?? "",
    containers: containerCount(cluster),
    avoid: ownNodes.flatMap(({ address, nodeIp }) => [...new Set([address, nodeIp])]),
  };
}

/**
 * Where each node's machine runs and why, by the node's name. Also logs this, even in a preview. Empty for a lab with
 * one hypervisor.
 */
function reportedPlacement(
  settings: Settings,
): ReadonlyMap<string, { readonly hypervisor: string; readonly placement: string }> {
  const placement = otherHosts(settings).length > 0 ? settings.placement : [];
  return new Map(
    placement.map(({ node, hypervisor, reason }) => {
      // Pulumi delivers log messages before the program ends.
      void pulumi.log.info(`${node} runs on ${hypervisor}: ${reason}`);
      return [node, { hypervisor, placement: reason }];
    }),
  );
}
