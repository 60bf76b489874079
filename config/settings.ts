import { z } from "zod";
import { defaultContainerdVersion, rehearsalVersions } from "./supported.ts";
import { address } from "./values/address.ts";
import { adminUser } from "./values/admin-user.ts";
import { bridgeName } from "./values/bridge-name.ts";
import { cidr } from "./values/cidr.ts";
import { computerName, dnsDomain, dnsLabel, labName } from "./values/dns-name.ts";
import { hypervisorUri } from "./values/hypervisor-uri.ts";
import { imagePath } from "./values/image-path.ts";
import { kubeletArgumentName, kubeletArgumentValue } from "./values/kubelet-argument.ts";
import { labelKey, labelValue, qualifiedName } from "./values/node-label.ts";
import { nodeIp } from "./values/node-ip.ts";
import { nodeImage } from "./values/node-image.ts";
import { noProxyEntry, proxyAddress } from "./values/proxy.ts";
import { mirrorAddress, registryName } from "./values/registry.ts";
import { sha256 } from "./values/sha256.ts";
import { containerdVersion, kubernetesVersion, windowsVersion } from "./values/version.ts";
import { atLeast, between, text } from "./values/value.ts";

const maxTokenMinutes = 120;

const lab = z.strictObject({
  name: text(labName).optional().meta({
    description: "Name of the lab; everything it makes is called `kindows-<name>`.",
    default: "the stack's name",
  }),
});

const network = z.strictObject({
  cidr: text(cidr).default("192.168.150.0/24").meta({
    description:
      "IPv4 range of the lab's segment, /24 or larger: `.1` is the gateway, `.2` to `.99` are for machines, the upper half is for kind's containers. Free on this host, and apart from `podCidr` and `serviceCidr`.",
  }),
  bridge: text(bridgeName).optional().meta({
    description: "Linux bridge of the segment, at most 15 characters; made by libvirt.",
    default: "`kw-<lab.name>`",
  }),
  domain: text(dnsDomain).optional().meta({
    description: "DNS domain the segment's own DNS server answers for.",
    default: "`<lab.name>.kindows.test`",
  }),
});

const worker = z.strictObject({
  name: text(dnsLabel(30)).meta({
    description: "Last part of the node's name, `kindows-<lab>-<name>`.",
  }),
});

const cluster = z.strictObject({
  kubernetesVersion: text(kubernetesVersion).default("1.36.4").meta({
    description: "Kubernetes version of the control plane and all nodes, without a leading `v`.",
  }),
  controlPlanes: z.literal([1, 3]).default(1).meta({
    description: "Number of control planes: 1, or 3 behind a load balancer.",
  }),
  workers: z
    .array(worker)
    .default([])
    .meta({ description: "Linux workers, as containers on this host." }),
  podCidr: text(cidr)
    .default("10.244.0.0/16")
    .meta({ description: "IPv4 range of pods; every node gets a part of it." }),
  serviceCidr: text(cidr).default("10.96.0.0/16").meta({ description: "IPv4 range of services." }),
  nodeImage: text(nodeImage).optional().meta({
    description: "kind node image of the control planes and Linux workers, pinned by digest.",
    default:
      "kind's own for `kubernetesVersion`, or the one built here where no registry is reachable",
  }),
  tokenTtlMinutes: between(1, maxTokenMinutes).default(60).meta({
    description: "How long a join token lives; it has to outlast a node's first boot.",
    unit: "minutes",
  }),
});

const cni = z.strictObject({
  kind: z.enum(["calico", "kind-default"]).default("calico").meta({
    description:
      "Pod network: `calico` (VXLAN, Windows too), or `kind-default`: kind's own for Linux pods, none on Windows.",
  }),
});

const hypervisor = z.strictObject({
  uri: text(hypervisorUri)
    .default("qemu:///system")
    .meta({ description: "libvirt's address, the system instance of this host." }),
  domainType: z.enum(["kvm", "qemu"]).default("kvm").meta({
    description:
      "`kvm`, or `qemu` (emulation, some ten times slower) where there is no KVM: fit for rehearsals only.",
  }),
});

const image = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("rehearsal") }).meta({
    description:
      "The rehearsal guest, which stands in for Windows: Kubernetes' own Windows programs under Wine.",
  }),
  z
    .strictObject({
      kind: z.literal("disk"),
      path: text(imagePath).meta({
        description:
          "Absolute path of the qcow2 image on this host: Windows, generalized, with OpenSSH and cloudbase-init.",
      }),
    })
    .meta({ description: "A prepared Windows disk that is already there." }),
  z.strictObject({ kind: z.literal("evaluation-iso") }).meta({
    description: "Microsoft's evaluation ISO, from which the image is made once (a later release).",
  }),
]);

const machineSize = {
  cpus: between(2, 64).meta({ description: "Virtual processors.", unit: "processors" }),
  memoryMiB: atLeast(1024).meta({
    description: "Memory; Windows needs 2048 at least.",
    unit: "MiB",
  }),
  diskGiB: atLeast(4).meta({
    description: "Disk; Windows needs 32 at least. Takes up only what is written.",
    unit: "GiB",
  }),
};

const proxy = z.strictObject({
  http: text(proxyAddress)
    .optional()
    .meta({ description: "Proxy for http, `http://HOST:PORT`; no login in it." }),
  https: text(proxyAddress)
    .optional()
    .meta({ description: "Proxy for https, which images are pulled over; no login in it." }),
  noProxy: z.array(text(noProxyEntry)).default([]).meta({
    description:
      "What is reached without it besides the lab itself: the segment, pods, services, the cluster's names and `localhost` are always added.",
  }),
});

const checksum = (file: string): z.ZodOptional<z.ZodString> =>
  text(sha256)
    .optional()
    .meta({
      description: `SHA-256 of ${file}, in lower case.`,
      default: "what `software.lock.json` has for its version",
    });

const checksums = z.strictObject({
  containerd: checksum("`containerd-VERSION-windows-amd64.tar.gz`"),
  kubelet: checksum("`kubelet.exe`"),
  kubeadm: checksum("`kubeadm.exe`"),
  kubeLogRunner: checksum("`kube-log-runner.exe`"),
});

const windows = z.strictObject({
  version: text(windowsVersion).default("2022").meta({ description: "Windows Server version." }),
  image: image
    .default({ kind: "evaluation-iso" })
    .meta({ description: "Where the machines' disk comes from." }),
  cpus: machineSize.cpus.default(2),
  memoryMiB: machineSize.memoryMiB.default(4096),
  diskGiB: machineSize.diskGiB.default(60),
  containerdVersion: text(containerdVersion)
    .optional()
    .meta({
      description: "containerd on the Windows nodes, without a leading `v`.",
      default: `${defaultContainerdVersion}; ${rehearsalVersions.containerd} in a rehearsal`,
    }),
  checksums: checksums.prefault({}).meta({
    description:
      "Checksums of what is installed on the nodes; without any, `./kindows fetch` takes those of the publishers.",
  }),
  adminUser: text(adminUser)
    .default("Administrator")
    .meta({ description: "Account the nodes are set up with over SSH." }),
  registryMirrors: z
    .record(text(registryName), z.array(text(mirrorAddress)))
    .default({})
    .meta({
      description:
        "Mirrors by registry, e.g. `docker.io: [https://mirror.example.com]`; asked in their order, then the registry itself.",
    }),
  proxy: proxy
    .prefault({})
    .meta({ description: "HTTP proxy of the nodes, their containerd and their kubelet." }),
  defenderExclusions: z.boolean().default(true).meta({
    description:
      "Whether Microsoft Defender leaves containerd, kubelet and their folders alone; scanned, images take minutes longer to unpack.",
  }),
});

const taint = z.strictObject({
  key: text(qualifiedName).meta({ description: "Taint key." }),
  value: text(labelValue).default("").meta({ description: "Taint value." }),
  effect: z
    .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
    .meta({ description: "What it does to pods that don't tolerate it." }),
});

const node = z.strictObject({
  name: text(computerName).meta({
    description: "Node and computer name: a DNS label of at most 15 characters.",
  }),
  address: text(address).optional().meta({
    description:
      "IPv4 address, from `.2` to `.99` of the segment. Give one to nodes that must keep theirs when an earlier one goes.",
    default: "the first free one from `.10` upward",
  }),
  cpus: machineSize.cpus.optional().meta({ default: "`windows.cpus`" }),
  memoryMiB: machineSize.memoryMiB.optional().meta({ default: "`windows.memoryMiB`" }),
  diskGiB: machineSize.diskGiB.optional().meta({ default: "`windows.diskGiB`" }),
  labels: z
    .record(text(labelKey), text(labelValue))
    .default({})
    .meta({ description: "Labels the node registers with; changed ones are set on it." }),
  taints: z
    .array(taint)
    .default([])
    .meta({ description: "Taints the node registers with; changed ones are set on it." }),
  kubeletArgs: z.record(text(kubeletArgumentName), text(kubeletArgumentValue)).default({}).meta({
    description:
      'Arguments of kubelet in addition, by name without dashes, e.g. `max-pods: "60"`. Those that this program gives are refused.',
  }),
  nodeIp: text(nodeIp).optional().meta({
    description:
      "IPv4 address the node registers with, where the machine has several; it must be on the machine when it joins.",
    default: "`address`",
  }),
});

/** Every setting below the namespace `kindows`, as written: names derived from others may still be missing. */
export const settingsSchema = z.strictObject({
  lab: lab.prefault({}).meta({ description: "The lab itself." }),
  network: network
    .prefault({})
    .meta({ description: "The segment all machines and containers share." }),
  cluster: cluster
    .prefault({})
    .meta({ description: "Control plane and Linux workers, made by kind." }),
  cni: cni.prefault({}).meta({ description: "Network of the pods." }),
  hypervisor: hypervisor.prefault({}).meta({ description: "Where the machines run." }),
  windows: windows.prefault({}).meta({ description: "What all Windows machines have in common." }),
  nodes: z.array(node).default([]).meta({ description: "The Windows nodes." }),
});

/** The settings as written, defaults filled in. */
export type WrittenSettings = z.output<typeof settingsSchema>;

/** The settings with what follows from the lab's name and the image filled in: what cross-checks look at. */
export interface NamedSettings extends WrittenSettings {
  lab: Required<WrittenSettings["lab"]>;
  network: Required<WrittenSettings["network"]>;
  windows: Required<WrittenSettings["windows"]>;
}

/** A Windows node with everything filled in. */
export type NodeSettings = Required<WrittenSettings["nodes"][number]>;

/** A taint a node registers with. */
export type NodeTaint = NodeSettings["taints"][number];

/** Everything the program is told, checked and with nothing left open; only `cluster.nodeImage` may be absent. */
export interface Settings extends NamedSettings {
  nodes: NodeSettings[];
}
