import * as pulumi from "@pulumi/pulumi";
import * as docker from "@pulumi/docker";
import * as libvirt from "@pulumi/libvirt";
import { addressPlan } from "../config/address-plan.ts";
import { labNames } from "../config/names.ts";
import type { NodeSettings, Settings } from "../config/settings.ts";
import { BootstrapToken } from "../components/controlplane/bootstrap-token.ts";
import { KindCluster } from "../components/controlplane/kind-cluster.ts";
import { KubeProxyWindows } from "../components/kubeproxy/kube-proxy-windows.ts";
import { LabNetwork } from "../components/network/lab-network.ts";
import { WindowsNode } from "../components/windows/windows-node.ts";
import type { MachineImage } from "./machine-image.ts";
import { nodeImage } from "./node-image.ts";
import { nodeSetup } from "./node-setup.ts";
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
  const plan = addressPlan(settings.network.cidr);
  const libvirtProvider = new libvirt.Provider(
    "hypervisor",
    { uri: settings.hypervisor.uri },
    // The bridge reports its own version as an input that is never stored.
    { ignoreChanges: ["version"] },
  );
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
    cni: settings.cni.kind === "kind-default" ? "kind-default" : "none",
  });

  const machines = windowsMachines(settings, image.disk, network, libvirtProvider);

  const joinWindowsNode = (node: NodeSettings) => {
    const machine = machines.make(node);
    const token = new BootstrapToken(node.name, {
      controlPlane,
      nodeName: node.name,
      instanceId: machine.instanceId,
      ttlMinutes: settings.cluster.tokenTtlMinutes,
    });
    const joined = new WindowsNode(node.name, {
      machine,
      controlPlane,
      token: token.token,
      software: image.software,
      requirements: image.requirements,
      setup: nodeSetup(settings),
      labels: node.labels,
      taints: node.taints,
      kubeletArgs: node.kubeletArgs,
      nodeIp: node.nodeIp,
    });
    return { machine, joined };
  };
  const nodes = settings.nodes.map(joinWindowsNode);

  // Its rollout is awaited, so it comes when the nodes that it rolls out to are there. Not when they are Ready: its pods
  // start meanwhile.
  new KubeProxyWindows(
    "kube-proxy-windows",
    { controlPlane },
    { dependsOn: nodes.map(({ joined }) => joined.registered) },
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
      nodes.map(({ machine, joined }) => ({
        name: machine.name,
        os: machine.os,
        address: machine.address,
        hostKey: machine.hostKey,
        sshUser: machines.login.user,
        nodeName: joined.nodeName,
      })),
    ),
  };
}
