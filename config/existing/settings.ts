import * as z from "zod";
import { registration } from "../registration-settings.ts";
import { machineAddress } from "../values/machine-address.ts";
import { cidr } from "../values/cidr.ts";
import { computerName } from "../values/dns-name.ts";
import { endpoint, hostName } from "../values/endpoint.ts";
import { hostKey } from "../values/host-key.ts";
import { localFile } from "../values/local-file.ts";
import { nodeIp } from "../values/node-ip.ts";
import { fullVersion } from "../values/full-version.ts";
import { between, text } from "../values/value.ts";
import { windows } from "../windows-settings.ts";
import { login, ownLogin } from "./login-settings.ts";

const kubeconfig = z.strictObject({
  file: text(localFile)
    .optional()
    .meta({ description: "Absolute path of the kubeconfig on this host." }),
  text: z.string().optional().meta({
    description:
      "Or the kubeconfig itself, as a secret: `pulumi config set --secret --path 'kindows:cluster.kubeconfig.text' < FILE`.",
  }),
  context: z.string().min(1).optional().meta({
    description: "Context of it.",
    default: "its current one",
  }),
});

const hostsEntry = z.strictObject({
  name: text(hostName).meta({ description: "Host name, as in `endpoint`." }),
  address: text(machineAddress).meta({
    description: "IPv4 address that the machines reach it at.",
  }),
});

const cluster = z.strictObject({
  kubeconfig: kubeconfig.prefault({}).meta({
    description: "With which the cluster is reached from this host. Exec and token users too.",
  }),
  endpoint: text(endpoint).optional().meta({
    description: "`HOST:PORT` of the API server as the machines reach it.",
    default: "what the cluster's own `cluster-info` says",
  }),
  hostsEntries: z.array(hostsEntry).default([]).meta({
    description: "Names that the machines cannot resolve otherwise, for their hosts file.",
  }),
  kubernetesVersion: text(fullVersion).default("1.36.4").meta({
    description:
      "Version of kubelet, kubeadm and kube-proxy on the Windows nodes: the cluster's, or up to three minor versions older.",
  }),
  podCidr: text(cidr("10.244.0.0/16")).optional().meta({
    description: "IPv4 range of pods.",
    default: "what kubeadm's own settings in the cluster say",
  }),
  serviceCidr: text(cidr("10.96.0.0/16")).optional().meta({
    description: "IPv4 range of services.",
    default: "what kubeadm's own settings in the cluster say",
  }),
  tokenTtlMinutes: between(1, 120).default(60).meta({
    description: "How long a join token lives.",
    unit: "minutes",
  }),
});

const cni = z.strictObject({
  kind: z.enum(["found", "calico", "flannel", "none"]).default("found").meta({
    description:
      "Pod network of the cluster: found out, or the one that it must be; `none`: pods on the Windows nodes get none from here, whatever the cluster has.",
  }),
  mayChange: z.boolean().default(false).meta({
    description:
      "Whether what Calico or Flannel lack for Windows nodes may be set in the cluster; a preview shows it. Else it is only told.",
  }),
  nodeCidr: text(cidr("192.168.1.0/24")).optional().meta({
    description: "IPv4 range of the nodes' own addresses; needed with Flannel.",
  }),
});

const node = z.strictObject({
  name: text(computerName).meta({
    description: "Computer name of the machine, and name of its node.",
  }),
  os: z.enum(["windows", "linux"]).default("windows").meta({
    description: "System of the machine; only Windows machines are joined.",
  }),
  address: text(machineAddress).meta({
    description: "IPv4 address of the machine, for SSH and, without `nodeIp`, as node.",
  }),
  hostKey: text(hostKey).meta({
    description:
      "The machine's SSH host key, `ssh-ed25519 AAAA...`; `./kindows host-key ADDRESS` prints it, to be compared on its console once.",
  }),
  ...ownLogin,
  ...registration,
  nodeIp: text(nodeIp).optional().meta({
    description: "IPv4 address the node registers with, where the machine has several.",
    default: "`address`",
  }),
});

/** Every setting of a stack of existing machines, as written. */
export const existingSchema = z.strictObject({
  cluster: cluster.prefault({}).meta({ description: "The cluster that is there." }),
  cni: cni.prefault({}).meta({ description: "The cluster's pod network." }),
  windows: windows
    .pick({
      containerdVersion: true,
      checksums: true,
      registryMirrors: true,
      proxy: true,
      dnsServers: true,
      kubeProxyImage: true,
      defenderExclusions: true,
      automaticUpdates: true,
    })
    .prefault({})
    .meta({ description: "What all Windows machines have in common." }),
  login: login.prefault({}).meta({ description: "How the machines are logged in to." }),
  nodes: z.array(node).default([]).meta({ description: "The machines that become nodes." }),
});

/** The settings as written, defaults filled in. */
export type WrittenExisting = z.output<typeof existingSchema>;

type WrittenNode = WrittenExisting["nodes"][number];

/** A host in between. */
export type Bastion = WrittenExisting["login"]["bastions"][number];

/** A machine with everything filled in. */
export interface ExistingNode extends Omit<WrittenNode, keyof typeof ownLogin | "nodeIp"> {
  readonly login: WrittenExisting["login"];
  readonly nodeIp: string;
}

/** Everything the program is told of existing machines and their cluster, checked. */
export interface ExistingSettings extends Omit<WrittenExisting, "nodes" | "windows"> {
  readonly windows: WrittenExisting["windows"] & { readonly containerdVersion: string };
  readonly nodes: readonly ExistingNode[];
}
