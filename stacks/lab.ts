import * as docker from "@pulumi/docker";
import type * as libvirt from "@pulumi/libvirt";
import * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import { dockerEndpoint } from "../host/docker-engine.ts";
import { registryAddress, segmentPlan } from "../config/address-plan.ts";
import { containerCount } from "../config/checks/used-network.ts";
import { localRegistry } from "../config/local-registry.ts";
import { labNames } from "../config/names.ts";
import { isYours } from "../components/cni/pod-networks.ts";
import { KindCluster } from "../components/controlplane/kind-cluster.ts";
import { LocalRegistry } from "../components/controlplane/local-registry.ts";
import { KubeProxyWindows } from "../components/kubeproxy/kube-proxy-windows.ts";
import { otherHosts } from "../components/machine/machine-makers.ts";
import { randomLabId } from "../components/lab-id.ts";
import { labFabric } from "../components/network/fabric/fabric-host.ts";
import { sharedZone } from "../components/network/firewalld.ts";
import { LabNetwork, type UsedNetwork } from "../components/network/lab-network.ts";
import { defaultRequirements } from "../components/windows/host-requirements.ts";
import { clusterRoutes } from "./cluster-routes.ts";
import { existingMachine } from "./existing-cluster.ts";
import type { LabArgs } from "./lab-args.ts";
import type { LabImages } from "./lab-images.ts";
import { machineImage } from "./machine-image.ts";
import { hypervisorProvider } from "../components/machine/libvirt/hypervisor-provider.ts";
import {
  type JoinedCluster,
  joinedLinux,
  joinedWindows,
  type JoinedWindows,
} from "./joined-node.ts";
import { labMachines } from "./machines.ts";
import { nodeImage } from "./node-image.ts";
import { nodeSetup, ownSetup } from "./node-setup.ts";
import { isAway } from "./reachable-nodes.ts";
import type { WindowsNodeArgs } from "../components/windows/windows-node.ts";
import { ownSoftware } from "../components/windows/stack-software.ts";
import { isRouted } from "../components/network/fabric/fabric-ends.ts";
import type { NodeSettings } from "../config/sections/nodes.ts";

/**
 * A kind control plane in Docker and Windows machines on libvirt, on one network segment. Machines boot and are
 * prepared while kind starts; only their join waits for both. Machines that are there already are joined as well.
 *
 * ```ts
 * const lab = new Lab("lab", await labArgs(settings, nodes));
 * ```
 */
export class Lab extends pulumi.ComponentResource {
  /** Kubeconfig of the cluster's administrator; secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Private key that logs in to all machines that are made; secret. */
  readonly sshPrivateKey: pulumi.Output<string>;
  /** The API server's address, and the names of the control plane's nodes. */
  readonly controlPlane: pulumi.Output<object>;
  /** The nodes on machines: addresses, how to log in, where they run. */
  readonly nodes: pulumi.Output<object[]>;
  /** What was used of `args.images`, for previews on other hosts. */
  readonly images: LabImages["used"];

  constructor(name: string, args: LabArgs, opts?: pulumi.ComponentResourceOptions) {
    super("kindows:stacks:Lab", name, {}, opts);
    const { lab, cluster, images, archives, podNetwork } = args;
    const { certificates } = args.given;
    const { kubernetesVersion, tokenTtlMinutes } = cluster;
    const child = { parent: this };
    const windowsImage = machineImage(args, images);
    const placed = reportedPlacement(args);
    const labId = randomLabId(child);
    const libvirtProvider = hypervisorProvider("hypervisor", args.hypervisor.uri, child);
    const network = labNetwork(args, labId, libvirtProvider, child);
    const address = network.containerRange.apply((range) =>
      registryAddress(range, args.network.cidr),
    );
    const registry = args.registry
      ? address.apply((known) => `${known}:${localRegistry.containerPort}`)
      : undefined;

    const controlPlane = new KindCluster(
      "control-plane",
      {
        name: labNames(lab.name).kindCluster,
        kubernetesVersion,
        nodeImage: images.of("node", [cluster.nodeImage, kubernetesVersion], z.string(), () =>
          nodeImage(args),
        ),
        controlPlanes: cluster.controlPlanes,
        workers: cluster.workers.map(({ name }) => name),
        podCidr: cluster.podCidr,
        serviceCidr: cluster.serviceCidr,
        network: network.dockerNetworkName,
        cni: args.cni.kind,
        kindPatches: cluster.kindPatches,
        apiServer: cluster.apiServer,
        imageArchives: archives,
        certificates,
        registry,
      },
      child,
    );
    if (args.registry) {
      new LocalRegistry(
        "registry",
        {
          lab: labNames(lab.name).prefix,
          ...{ labId, network: network.dockerNetworkName, address, controlPlane },
        },
        child,
      );
    }
    const pods = podNetwork.install(controlPlane, args, child);

    const fabric = labFabric(args, isAway, labId, network, this);
    const { loginKey, machines } = labMachines(args, windowsImage?.disk, {
      ...{ network, fabric, labId, libvirtProvider },
      parent: this,
    });
    const joinedCluster = {
      ...{ controlPlane, podNetwork: pods.resource, tokenTtlMinutes },
      ...(isYours(args.cni.kind) && { awaitsReady: false }),
      parent: this,
    };
    const of = (os: NodeSettings["os"]) => machines.filter(({ node }) => node.os === os);
    const linux = of("linux").map((machine) =>
      joinedLinux(machine, joinedCluster, images, {
        ...{ imageArchives: archives, certificates, registry },
      }),
    );
    // The routes of Windows nodes include those of Linux nodes.
    const joined = linux.map(({ registered }) => registered);
    const routes = clusterRoutes(args, controlPlane, joined, child);
    const setup = { setup: nodeSetup(args), routes, registry };
    const made =
      windowsImage === undefined
        ? []
        : of("windows").map((machine) => {
            const { software, requirements } = windowsImage;
            return joinedWindows(machine, joinedCluster, { software, requirements, ...setup });
          });
    const windows = [...made, ...joinedOwn(args, joinedCluster, { routes, registry })];

    pods.awaitOnWindows?.(windows);
    // It waits for the pods' network by its name, which only the user knows.
    if (!isYours(args.cni.kind)) {
      new KubeProxyWindows(
        "kube-proxy-windows",
        {
          controlPlane,
          nodes: windows,
          network: pods.windows,
          image: args.windows.kubeProxyImage,
          pullSecrets: args.windows.kubeProxyPullSecrets,
        },
        child,
      );
    }

    this.kubeconfig = controlPlane.kubeconfig;
    this.sshPrivateKey = loginKey.privateKey;
    this.controlPlane = pulumi.output({
      endpoint: controlPlane.endpoint,
      hostsEntries: controlPlane.hostsEntries,
      kubernetesVersion,
      nodeNames: controlPlane.nodeNames,
      ...(registry !== undefined && { registry }),
    });
    this.nodes = pulumi.output(
      [...windows, ...linux].map(({ report }) => ({ ...report, ...placed.get(report.name) })),
    );
    this.images = images.used;
    this.registerOutputs({});
  }
}

function labNetwork(
  args: LabArgs,
  labId: pulumi.Output<string>,
  libvirtProvider: libvirt.Provider,
  child: pulumi.ComponentResourceOptions,
): LabNetwork {
  const { lab, network, hypervisor } = args;
  const plan = segmentPlan(network);
  const endpoint = dockerEndpoint();
  const dockerProvider = new docker.Provider(
    "docker",
    {
      // A preview does not need a running Docker.
      disableDockerDaemonCheck: true,
      // kind follows the context by itself, the provider only DOCKER_HOST.
      ...(endpoint.by === "context" && { host: endpoint.host }),
    },
    child,
  );
  return new LabNetwork(
    "lab",
    {
      name: labNames(lab.name).network,
      cidr: plan.cidr,
      bridge: network.bridge,
      domain: network.domain,
      gateway: plan.gateway,
      containers: plan.containerRange ?? usedNetwork(args),
      mtu: network.mtu,
      dnsForwarders: network.dnsForwarders,
      zone: sharedZone(hypervisor.uri),
      mode: isRouted(args) ? "route" : "nat",
      ...{ libvirtProvider, dockerProvider, labId },
    },
    child,
  );
}

/** Joins the machines that are there already. */
function joinedOwn(
  args: LabArgs,
  cluster: JoinedCluster,
  more: Pick<WindowsNodeArgs, "routes" | "registry">,
): JoinedWindows[] {
  const { ownNodes, access } = args;
  // Most labs make all their machines.
  if (ownNodes.length === 0) return [];
  const programs = { software: ownSoftware(args), requirements: defaultRequirements };
  const setup = ownSetup(args);
  return ownNodes.map((node) => {
    const { port: sshPort, privateKeyFile: sshKeyFile } = node.login;
    const machine = existingMachine(node, access(node), programs, cluster.parent);
    const ssh = { sshPort, ...(sshKeyFile !== undefined && { sshKeyFile }) };
    return joinedWindows({ ...machine, ssh }, cluster, { ...programs, setup, ...more });
  });
}

/** The libvirt network that the settings name, for a lab that makes none. */
function usedNetwork(args: LabArgs): UsedNetwork {
  const { hypervisor, network, ownNodes } = args;
  return {
    uri: hypervisor.uri,
    name: network.libvirtNetwork ?? "",
    uuid: network.found?.uuid ?? "",
    containers: containerCount(args),
    avoid: ownNodes.flatMap(({ address, nodeIp }) => [...new Set([address, nodeIp])]),
  };
}

/**
 * Where each node's machine runs and why, by the node's name. Also logs this, even in a preview. Empty for a lab with
 * one hypervisor.
 */
function reportedPlacement(
  args: LabArgs,
): ReadonlyMap<string, { readonly hypervisor: string; readonly placement: string }> {
  const placement = otherHosts(args).length > 0 ? args.placement : [];
  return new Map(
    placement.map(({ node, hypervisor, reason }) => {
      // Pulumi delivers log messages before the program ends.
      void pulumi.log.info(`${node} runs on ${hypervisor}: ${reason}`);
      return [node, { hypervisor, placement: reason }];
    }),
  );
}
