/**
 * The components with plain arguments, for programs in any Pulumi language. The plugin of `PulumiPlugin.yaml` serves
 * them, and TypeScript programs import them from `@kindows/components`. Each wraps the component of the same name,
 * which TypeScript programs can also import directly from its own file.
 */
import * as pulumi from "@pulumi/pulumi";
import { macAddress } from "../machine/mac-address.ts";
import * as calico from "../cni/calico/calico.ts";
import { calicoRelease } from "../cni/calico/release.ts";
import * as flannel from "../cni/flannel/flannel.ts";
import type { FlannelBackend } from "../cni/flannel/flannel-config.ts";
import { inExisting, podNetworkNamed, podNetworks } from "../cni/pod-networks.ts";
import { BootstrapToken } from "../controlplane/bootstrap-token.ts";
import * as existing from "../controlplane/existing/existing-control-plane.ts";
import { examineCluster, type ExaminedCluster } from "../controlplane/existing/examine-cluster.ts";
import * as kind from "../controlplane/kind-cluster.ts";
import * as kubeProxy from "../kubeproxy/kube-proxy-windows.ts";
import { ExistingMachine } from "../machine/existing/existing-machine.ts";
import { hypervisorProvider } from "../machine/libvirt/hypervisor-provider.ts";
import * as libvirt from "../machine/libvirt/libvirt-machine.ts";
import { MachineStorage } from "../machine/libvirt/machine-storage.ts";
import { SshKey } from "../machine/ssh-key.ts";
import type { Taint } from "../node/node-registration.ts";
import { fetchedSoftware } from "../windows/fetched-software.ts";
import { machineReset } from "../windows/machine-reset.ts";
import { defaultSetup } from "../windows/node-setup.ts";
import { defaultTimeouts } from "../windows/node-step.ts";
import { programArtifacts, officialSoftware, type WindowsSoftware } from "../windows/software.ts";
import * as windows from "../windows/windows-node.ts";
import { containerd, defaultCalico, defaultKubernetes } from "../../host/versions.ts";

/** An entry for the machine's hosts file, for a name that it cannot resolve otherwise. */
export interface HostsEntryArgs {
  /** IPv4 address of the host, as the machine reaches it, e.g. `192.168.1.10`. */
  address: string;
  /** Host name, e.g. `api.example.test`. */
  name: string;
}

/** A cluster that was created with kubeadm, by kind or otherwise. */
export interface ClusterArgs {
  /** Kubeconfig of an administrator as YAML, preferably a secret; its current context is used, e.g. the output of `kind get kubeconfig`. */
  kubeconfig: pulumi.Input<string>;
  /** Version of Kubernetes, without a leading `v`, e.g. `1.36.4`. Default: `1.36.4`. */
  kubernetesVersion?: string;
  /** `HOST:PORT` at which nodes reach the API server, e.g. `api.example.test:6443`. Default: the address in the cluster's ConfigMap `cluster-info`. */
  endpoint?: string;
  /** Hosts file entries for nodes that can't resolve the host in `endpoint`, e.g. `[{ address: "192.168.1.10", name: "api.example.test" }]`. Default: none. */
  hostsEntries?: HostsEntryArgs[];
  /** IPv4 range of pods in CIDR form, e.g. `10.244.0.0/16`. Default: `10.244.0.0/16`. */
  podCidr?: string;
  /** IPv4 range of services in CIDR form, e.g. `10.96.0.0/12`. Default: `10.96.0.0/12`. */
  serviceCidr?: string;
}

/** A taint that a node registers with. */
export interface TaintArgs {
  /** Key of the taint, e.g. `os`. */
  key: string;
  /** Value of the taint, e.g. `windows`. Default: empty. */
  value?: string;
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`, e.g. `NoSchedule`. */
  effect: string;
}

export interface WindowsNodeArgs extends ClusterArgs {
  /** Name of the Windows Server machine and of its node: a DNS label of at most 15 characters, e.g. `win-1`. */
  computerName: string;
  /** IPv4 address of the machine, as other nodes reach it, e.g. `192.168.1.21`. */
  address: string;
  /** Host to connect to for SSH, e.g. `127.0.0.1` for a forwarded port. Default: `address`. */
  sshHost?: pulumi.Input<string>;
  /** SSH port, e.g. `22`. Default: `22`. */
  sshPort?: pulumi.Input<number>;
  /** Account of an administrator, e.g. `Administrator`. Default: `Administrator`. */
  user?: pulumi.Input<string>;
  /** Private key of that account in OpenSSH's format, preferably a secret, e.g. the content of `~/.ssh/id_ed25519`. */
  privateKey: pulumi.Input<string>;
  /** Public host key of its SSH server, which is pinned, e.g. `ssh-ed25519 AAAA...`. A changed host key means a new machine. */
  hostKey: pulumi.Input<string>;
  /** Version of containerd, without a leading `v`, e.g. `2.3.4`. Default: `2.3.4`. */
  containerdVersion?: string;
  /** SHA-256 of each program that is installed: `containerd`, `kubelet`, `kubeadm`, `kubeLogRunner`, `crictl` and, with Flannel, `flannel`, `flannelPlugin`, `cniPlugins`, e.g. `{ kubelet: "0123..." }`. Default: none; a program without a checksum is not installed. */
  checksums?: Record<string, string>;
  /** Whether the machine already has the programs in `C:\kindows\media`, e.g. because its image contains them, e.g. `true`. Default: `false`: they are downloaded and copied to the machine. */
  carriesPrograms?: boolean;
  /** Pod network of the cluster: `calico`, `flannel` or `none`, e.g. `calico`. Default: `none`: its pods have no network. */
  podNetwork?: string;
  /** Flannel's backend: `vxlan` or `host-gw`, e.g. `vxlan`. Default: `vxlan`. */
  flannelBackend?: string;
  /** IPv4 range of the nodes' own addresses, which Flannel needs, e.g. `192.168.1.0/24`. Default: none. */
  nodeCidr?: string;
  /** Labels that the node registers with, e.g. `{ zone: "a" }`. Default: none. */
  labels?: Record<string, string>;
  /** Taints that the node registers with, e.g. `[{ key: "os", value: "windows", effect: "NoSchedule" }]`. Default: none. */
  taints?: TaintArgs[];
  /** Lifetime of the join token in minutes, 1 to 120, e.g. `60`. Default: `60`. */
  tokenTtlMinutes?: number;
}

/** Pod networks that Windows nodes may have. */
const onWindows = { ...Object.fromEntries(inExisting), none: undefined };

/** Pod networks whose programs are published. WindowsNode has no arguments for programs of the others. */
const published = {
  ...Object.fromEntries([...inExisting].filter(([, network]) => network.programs === undefined)),
  none: undefined,
};

interface Joined {
  readonly nodeName: string;
  readonly windowsBuild: string;
}

/**
 * Joins an existing Windows Server machine to a cluster over SSH and waits until its node is Ready. Deleting it drains
 * the node, deletes it from the cluster and restores the machine's former state.
 */
export class WindowsNode extends pulumi.ComponentResource<Joined> {
  /** Name of the joined node. */
  readonly nodeName: pulumi.Output<string>;
  /** Windows version with build and revision, e.g. `10.0.20348.4405`. */
  readonly windowsBuild: pulumi.Output<string>;

  constructor(name: string, args: WindowsNodeArgs, opts?: pulumi.ComponentResourceOptions) {
    oneOf(published, "podNetwork", args.podNetwork ?? "none");
    super("kindows:index:WindowsNode", name, withSecrets(args, "kubeconfig", "privateKey"), opts);
    const joined = pulumi.output(this.getData());
    this.nodeName = joined.nodeName;
    this.windowsBuild = joined.windowsBuild;
  }

  /** Asynchronous, because programs may have to be downloaded first. */
  protected override async initialize(
    args: WindowsNodeArgs,
    _opts?: pulumi.ComponentResourceOptions,
    name = args.computerName,
  ): Promise<Joined> {
    const child = { parent: this };
    const { computerName, address, podNetwork = "none", nodeCidr = "" } = args;
    const { containerdVersion = containerd.default, checksums = {} } = args;
    const { kubernetesVersion } = rangesOf(args);
    const versions = { kubernetes: kubernetesVersion, containerd: containerdVersion };
    const programs = podNetworkNamed(podNetwork)?.programs;
    const known = { checksums, lock: {}, folders: {} };
    const software =
      args.carriesPrograms === true
        ? fromImage(officialSoftware(versions, known, programs))
        : await fetchedSoftware(versions, checksums, programs);
    const controlPlane = clusterOf(name, args, child, [{ name: computerName, nodeIp: address }]);
    const access = pulumi
      .all([args.sshHost ?? address, args.sshPort, args.user, args.privateKey, args.hostKey])
      .apply(([host, port = 22, user = "Administrator", privateKey, hostKey]) => ({
        host,
        port,
        user,
        privateKey,
        hostKey,
      }));
    const reset = machineReset(software);
    const identity = { computerName, os: "windows", address, hostKey: args.hostKey } as const;
    const machine = new ExistingMachine(name, { ...identity, access, reset }, child);
    const ttlMinutes = args.tokenTtlMinutes ?? 60;
    const { token } = new BootstrapToken(`${name}-token`, { controlPlane, machine, ttlMinutes });
    const network = { kind: podNetwork, backend: backendOf(args), nodeCidr };
    const setup = { ...defaultSetup, podNetwork: network };
    const { labels, taints = [] } = args;
    const node = {
      machine,
      controlPlane,
      token,
      software,
      setup,
      labels,
      taints: taints.map(({ value = "", ...taint }) => ({ ...taint, value }) as Taint),
    };
    const { nodeName, windowsBuild } = new windows.WindowsNode(name, node, child);
    return { nodeName, windowsBuild } as unknown as Joined;
  }
}

export interface LibvirtMachineArgs {
  /** Computer name: a DNS label of at most 15 characters, e.g. `win-1`. */
  computerName: string;
  /** Disk image to start from, a qcow2 file on this host. Its Windows must have OpenSSH and read its identity from a NoCloud disk (docs/windows-image.md), e.g. `/srv/images/windows-2022.qcow2`. */
  imagePath: string;
  /** Hash of that file, e.g. its SHA-256. New machines use the image with the new hash; existing ones keep their disks. */
  imageHash: string;
  /** IPv4 address, which libvirt's DHCP server reserves for the machine, e.g. `192.168.150.10`. */
  address: string;
  /** Id of the libvirt network to connect to, e.g. the `id` of a `libvirt:Network`. */
  networkId: pulumi.Input<string>;
  /** libvirt connection URI, e.g. `qemu:///system`. Default: `qemu:///system`. */
  uri?: string;
  /** Name of the storage pool to create, e.g. `kindows-dev`. Default: `kindows-` followed by the computer name. */
  poolName?: string;
  /** Virtual processors, e.g. `4`. Default: `4`. */
  cpus?: number;
  /** Memory in MiB, e.g. `6144`. Default: `6144`. */
  memoryMiB?: number;
  /** Size of the disk in GiB, at least that of the image, e.g. `60`. Default: `60`. */
  diskGiB?: number;
  /** `kvm`, or `qemu` (emulation) without KVM, e.g. `kvm`. Default: `kvm`. */
  domainType?: string;
  /** Account of an administrator, e.g. `Administrator`. Default: `Administrator`. */
  user?: string;
}

/** A Windows virtual machine on libvirt. Its outputs are inputs of a WindowsNode. */
export class LibvirtMachine extends pulumi.ComponentResource {
  /** IPv4 address; known once the machine has booted. */
  readonly address: pulumi.Output<string>;
  /** Private key to log in with; secret. */
  readonly privateKey: pulumi.Output<string>;
  /** Public host key of its SSH server. */
  readonly hostKey: pulumi.Output<string>;

  constructor(name: string, args: LibvirtMachineArgs, opts?: pulumi.ComponentResourceOptions) {
    super("kindows:index:LibvirtMachine", name, args, opts);
    const child = { parent: this };
    const { computerName, address, networkId, uri = "qemu:///system" } = args;
    const { user = "Administrator", cpus = 4, memoryMiB = 6144, diskGiB = 60 } = args;
    const poolName = args.poolName ?? `kindows-${computerName}`;
    const libvirtProvider = hypervisorProvider(`${name}-hypervisor`, uri, child);
    const storage = new MachineStorage(
      name,
      {
        uri,
        poolName,
        poolPath: `/var/lib/libvirt/images/${poolName}`,
        libvirtProvider,
        image: { path: args.imagePath, hash: args.imageHash },
      },
      child,
    );
    const key = new SshKey(`${name}-login`, { comment: poolName }, child);
    const machine = new libvirt.LibvirtMachine(
      name,
      {
        computerName,
        os: "windows",
        guest: "windows",
        domainName: poolName,
        domainType: args.domainType === "qemu" ? "qemu" : "kvm",
        cpus,
        memoryMiB,
        diskGiB,
        address,
        storage,
        libvirtProvider,
        mac: macAddress(poolName, computerName),
        segment: { kind: "network", networkId },
        login: { user, key },
        bootSeconds: defaultTimeouts.bootSeconds,
      },
      child,
    );
    // Resolves once the machine has booted, so that its users wait for the machine.
    this.address = machine.resource.urn.apply(() => address);
    this.privateKey = key.privateKey;
    this.hostKey = machine.hostKey;
    this.registerOutputs({ address, privateKey: this.privateKey, hostKey: this.hostKey });
  }
}

export interface KindClusterArgs {
  /** Name of the kind cluster and prefix of its containers' names, e.g. `kindows-dev`. */
  name: string;
  /** kind node image of that Kubernetes version, with a digest, e.g. `kindest/node:v1.36.4@sha256:0123...`. */
  nodeImage: string;
  /** Name of the Docker network, which the machines share, e.g. `kindows-dev`. */
  network: pulumi.Input<string>;
  /** Version of Kubernetes, without a leading `v`, e.g. `1.36.4`. Default: `1.36.4`. */
  kubernetesVersion?: string;
  /** Number of control plane nodes, 1 or 3, e.g. `1`. Default: `1`. */
  controlPlanes?: number;
  /** Names of Linux workers, e.g. `["worker-1"]`. Default: none. */
  workers?: string[];
  /** IPv4 range of pods in CIDR form, e.g. `10.244.0.0/16`. Default: `10.244.0.0/16`. */
  podCidr?: string;
  /** IPv4 range of services in CIDR form, e.g. `10.96.0.0/12`. Default: `10.96.0.0/12`. */
  serviceCidr?: string;
  /** Pod network: `kind-default`, or `calico` or `flannel`, which are installed by components of their own, e.g. `calico`. Default: `kind-default`. */
  podNetwork?: string;
}

/** A kind cluster in containers on this host. The program `kind` must be in the PATH. */
export class KindCluster extends pulumi.ComponentResource {
  /** Admin kubeconfig as YAML; secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** `HOST:PORT` of the API server as nodes see it. */
  readonly endpoint: pulumi.Output<string>;

  constructor(name: string, args: KindClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("kindows:index:KindCluster", name, args, opts);
    const { podNetwork = "kind-default", nodeImage, network, workers = [] } = args;
    const cluster = new kind.KindCluster(
      name,
      {
        name: args.name,
        nodeImage,
        network,
        workers,
        ...rangesOf(args),
        controlPlanes: args.controlPlanes === 3 ? 3 : 1,
        cni: oneOf(podNetworks, "podNetwork", podNetwork),
      },
      { parent: this },
    );
    this.kubeconfig = cluster.kubeconfig;
    this.endpoint = cluster.endpoint;
    this.registerOutputs({ kubeconfig: this.kubeconfig, endpoint: this.endpoint });
  }
}

export interface CalicoArgs extends ClusterArgs {
  /** Calico's version, without a leading `v`, e.g. `3.32.1`. Default: `3.32.1`. */
  version?: string;
  /** MTU of Linux pods in bytes, e.g. `1450`. Default: detected by Calico. */
  mtu?: number;
  /** Whether Windows nodes get the network too, e.g. `true`. Default: `true`. */
  windows?: boolean;
}

/** Calico with VXLAN, installed by its operator into a cluster that has no pod network yet. */
export class Calico extends pulumi.ComponentResource {
  constructor(name: string, args: CalicoArgs, opts?: pulumi.ComponentResourceOptions) {
    super("kindows:index:Calico", name, withSecrets(args, "kubeconfig"), opts);
    const child = { parent: this };
    new calico.Calico(
      name,
      {
        controlPlane: clusterOf(name, args, child),
        release: calicoRelease(args.version ?? defaultCalico),
        network: {
          encapsulation: "VXLAN",
          bgp: "Disabled",
          mtu: args.mtu,
          windows: args.windows ?? true,
        },
        configuration: { felix: {} },
      },
      child,
    );
    this.registerOutputs({});
  }
}

export interface FlannelArgs extends ClusterArgs {
  /** `vxlan` or `host-gw`, e.g. `vxlan`. Default: `vxlan`. */
  flannelBackend?: string;
  /** Whether the cluster already has Flannel, so that only what Windows nodes need is added, e.g. `true`. Default: `false`. */
  isThere?: boolean;
}

/** Flannel on the Linux nodes of a cluster, and the permissions that it needs on Windows nodes. */
export class Flannel extends pulumi.ComponentResource {
  constructor(name: string, args: FlannelArgs, opts?: pulumi.ComponentResourceOptions) {
    super("kindows:index:Flannel", name, withSecrets(args, "kubeconfig"), opts);
    const child = { parent: this };
    const controlPlane = clusterOf(name, args, child);
    if (args.isThere === true) {
      flannel.complete(this, name, controlPlane);
    } else {
      const backend = backendOf(args);
      new flannel.Flannel(name, { controlPlane, backend, windows: true }, child);
    }
    this.registerOutputs({});
  }
}

export interface KubeProxyWindowsArgs extends ClusterArgs {
  /** Pod network of the nodes: `calico`, `flannel`, `ovn-kubernetes` or `none`, e.g. `calico`. Default: `none`. */
  podNetwork?: string;
  /** Flannel's backend: `vxlan` or `host-gw`, e.g. `vxlan`. Default: `vxlan`. */
  flannelBackend?: string;
  /** Image to use instead, e.g. `registry.example.test/kube-proxy:v1.36.4`. Default: the image of exactly the cluster's version. */
  image?: string;
}

/** kube-proxy on all Windows nodes of a cluster, as a DaemonSet. It should depend on the program's nodes. */
export class KubeProxyWindows extends pulumi.ComponentResource {
  constructor(name: string, args: KubeProxyWindowsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("kindows:index:KubeProxyWindows", name, withSecrets(args, "kubeconfig"), opts);
    const child = { parent: this };
    const kind = oneOf(onWindows, "podNetwork", args.podNetwork ?? "none");
    const pods = { kind, backend: backendOf(args) };
    const network = inExisting.get(kind)?.hnsNetwork(pods);
    const controlPlane = clusterOf(name, args, child);
    new kubeProxy.KubeProxyWindows(name, { controlPlane, network, image: args.image }, child);
    this.registerOutputs({});
  }
}

/** The cluster's version and IP ranges, with defaults. */
function rangesOf({
  kubernetesVersion = defaultKubernetes,
  podCidr = "10.244.0.0/16",
  serviceCidr = "10.96.0.0/12",
}: Pick<ClusterArgs, "kubernetesVersion" | "podCidr" | "serviceCidr">) {
  return { kubernetesVersion, podCidr, serviceCidr };
}

/** The cluster of a kubeconfig, examined as soon as the kubeconfig is known. Creates and removes nothing. */
function clusterOf(
  name: string,
  args: ClusterArgs,
  opts: pulumi.ComponentResourceOptions,
  nodes: readonly { readonly name: string; readonly nodeIp: string }[] = [],
): existing.ExistingControlPlane {
  const { endpoint, hostsEntries = [] } = args;
  const ranges = rangesOf(args);
  const { kubernetesVersion, ...wantedRanges } = ranges;
  const cni = { kind: "none", mayChange: false };
  const examined = pulumi.output(args.kubeconfig).apply(async (text): Promise<ExaminedCluster> => {
    const found = await examineCluster({ text }, { kubernetesVersion, endpoint, nodes, cni });
    for (const [name, wanted] of Object.entries(wantedRanges)) {
      const actual = found.facts[name as keyof typeof wantedRanges];
      if (actual !== wanted)
        throw new Error(`${name}: is ${wanted}, but the cluster has ${actual}: write ${actual}`);
    }
    return found;
  });
  const cluster = { examined, hostsEntries, ...ranges };
  return new existing.ExistingControlPlane(`${name}-cluster`, cluster, opts);
}

function backendOf({ flannelBackend = "vxlan" }: { flannelBackend?: string }): FlannelBackend {
  return oneOf({ vxlan: true, "host-gw": true }, "flannelBackend", flannelBackend);
}

/** @throws an error that names the argument and the choices. */
function oneOf<T extends object>(choices: T, argument: string, given: string): keyof T & string {
  if (!Object.keys(choices).includes(given)) {
    const list = Object.keys(choices).join(", ");
    throw new pulumi.RunError(`${argument}: "${given}" is not one of ${list}`);
  }
  return given as keyof T & string;
}

/** The software with programs that the machine's image already contains. */
function fromImage(software: WindowsSoftware): WindowsSoftware {
  const programs = programArtifacts(software).map(([name, one]) => [
    name,
    { ...one, origin: "image" },
  ]);
  return { ...software, ...(Object.fromEntries(programs) as object) };
}

/** Marks arguments as secrets, so that the state keeps them encrypted. */
function withSecrets<Args extends object>(args: Args, ...secrets: (keyof Args)[]): Args {
  return {
    ...args,
    ...Object.fromEntries(secrets.map((name) => [name, pulumi.secret(args[name])])),
  };
}
