import * as pulumi from "@pulumi/pulumi";
import * as docker from "@pulumi/docker";
import { addressPlan } from "../config/address-plan.ts";
import { machineNodes } from "../config/settings.ts";
import { labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import { KindCluster } from "../components/controlplane/kind-cluster.ts";
import { KubeProxyWindows } from "../components/kubeproxy/kube-proxy-windows.ts";
import { LabNetwork } from "../components/network/lab-network.ts";
import { presentNodes } from "./away.ts";
import { clusterRoutes } from "./cluster-routes.ts";
import type { MachineImage } from "./machine-image.ts";
import { hypervisorProvider } from "./hypervisor-provider.ts";
import { joinedNode } from "./joined-node.ts";
import { linuxMachines, linuxUser } from "./linux-machines.ts";
import { nodeImage } from "./node-image.ts";
import { nodeSetup } from "./node-setup.ts";
import { podNetwork } from "./pod-network.ts";
import { toldNode } from "./told-node.ts";
import { windowsMachines } from "./windows-machines.ts";

/** What a lab tells about itself when it is up. */
export interface Lab {
  readonly kubeconfig: pulumi.Output<string>;
  readonly sshPrivateKey: pulumi.Output<string>;
  readonly controlPlane: pulumi.Output<object>;
  readonly nodes: pulumi.Output<object[]>;
}

/**
 * The topology of seed and rehearsal: a kind control plane in Docker and Windows machines on libvirt, one segment.
 *
 * Machines boot and are prepared while kind starts; only their join waits for both.
 */
export function kindOnLibvirt(settings: Settings, image: MachineImage): Lab {
  const names = labNames(settings.lab.name);
  const placed = toldPlacement(settings);
  const plan = addressPlan(settings.network.cidr);
  const libvirtProvider = hypervisorProvider("hypervisor", settings.hypervisor.uri);
  const dockerProvider = new docker.Provider("docker");

  const network = new LabNetwork("lab", {
    name: names.network,
    cidr: plan.cidr,
    bridge: settings.network.bridge,
    domain: settings.network.domain,
    gateway: plan.gateway,
    containerRange: plan.containerRange,
    libvirtProvider,
    dockerProvider,
  });

  const controlPlane = new KindCluster("control-plane", {
    name: names.kindCluster,
    kubernetesVersion: settings.cluster.kubernetesVersion,
    nodeImage: nodeImage(settings),
    controlPlanes: settings.cluster.controlPlanes,
    workers: settings.cluster.workers.map(({ name }) => name),
    podCidr: settings.cluster.podCidr,
    serviceCidr: settings.cluster.serviceCidr,
    network: network.dockerNetworkName,
    cni: settings.cni.kind,
  });
  const pods = podNetwork(settings).install(controlPlane);

  const present = presentNodes(settings);
  const placedHere = machineNodes(present);
  const machines = windowsMachines(settings, placedHere, image.disk, network, libvirtProvider);
  const linuxNodes = linuxMachines(settings, present.linuxNodes, {
    machines,
    controlPlane,
    podNetwork: pods.resource,
  });
  const routes = clusterRoutes(
    settings,
    controlPlane,
    linuxNodes.map(({ joined }) => joined.registered),
  );

  const cluster = {
    controlPlane,
    podNetwork: pods.resource,
    tokenTtlMinutes: settings.cluster.tokenTtlMinutes,
    programs: image,
    setup: nodeSetup(settings),
    routes,
  };
  const nodes = present.nodes.map((node) => joinedNode(node, machines.make(node), cluster));

  // The rollouts are awaited, so they come when the nodes that they roll out to are there. Not when these are Ready:
  // pods start meanwhile.
  const registered = nodes.map((node) => node.registered);
  pods.awaitOnWindows(registered);
  new KubeProxyWindows(
    "kube-proxy-windows",
    { controlPlane, network: pods.windows, image: settings.windows.kubeProxyImage },
    { dependsOn: registered },
  );

  return {
    kubeconfig: controlPlane.kubeconfig,
    sshPrivateKey: machines.login.key.privateKey,
    controlPlane: pulumi.output({
      endpoint: controlPlane.endpoint,
      hostsEntries: controlPlane.hostsEntries,
      kubernetesVersion: controlPlane.kubernetesVersion,
    }),
    nodes: pulumi.output(
      [
        ...nodes.map((node) => node.told(machines.login.user)),
        ...linuxNodes.map(({ machine, joined }) => toldNode(machine, joined.nodeName, linuxUser)),
      ].map((told) => ({ ...told, ...placed.get(told.name) })),
    ),
  };
}

/** What the stack's outputs say of where a node runs. */
interface ToldPlacement {
  /** Name of the hypervisor. */
  readonly hypervisor: string;
  /** Why that one. */
  readonly placement: string;
}

/**
 * Where each node's machine runs and why, by the node's name; told in the engine's output as well, in a preview already.
 * Nothing for a lab with one hypervisor.
 */
function toldPlacement({
  hypervisors,
  hyperVHosts,
  placement,
}: Pick<Settings, "hypervisors" | "hyperVHosts" | "placement">): ReadonlyMap<
  string,
  ToldPlacement
> {
  const worthTelling = hypervisors.length + hyperVHosts.length > 0 ? placement : [];
  return new Map(
    worthTelling.map(({ node, hypervisor, reason }) => {
      // Pulumi sees to it that what is logged arrives before the program ends.
      void pulumi.log.info(`${node} runs on ${hypervisor}: ${reason}`);
      return [node, { hypervisor, placement: reason }];
    }),
  );
}
