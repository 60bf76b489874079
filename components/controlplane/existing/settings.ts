import * as z from "zod";
import semver from "semver";
import { parseRange } from "../../../config/ipv4.ts";
import { localFile } from "../../../config/named-file.ts";
import {
  type Check,
  type Complaint,
  repeated,
  type SettingsProblem,
  unless,
} from "../../../config/problem.ts";
import { defaultKubernetes, kubernetesLimits, leastKubernetes } from "../../../host/versions.ts";
import { hostName } from "../../../config/values/dns-name.ts";
import { cidr, machineAddress } from "../../../config/values/ip-address.ts";
import { between, text } from "../../../config/values/value.ts";

const kubeconfig = z.strictObject({
  file: text(localFile)
    .optional()
    .meta({ description: "Absolute path of the kubeconfig on this host." }),
  text: z.string().optional().meta({
    description:
      "Instead of `file`, the kubeconfig's content as a secret: `pulumi config set --secret --path 'kindows:cluster.kubeconfig.text' < FILE`.",
  }),
  context: z.string().min(1).optional().meta({
    description: "Context to use.",
    default: "the current context",
  }),
});

const hostsEntry = z.strictObject({
  name: text(hostName).meta({ description: "Host name, as in `endpoint`." }),
  address: text(machineAddress).meta({
    description: "IPv4 address that the machines reach it at.",
  }),
});

export const cluster = z.strictObject({
  kubeconfig: kubeconfig.prefault({}).meta({
    description: "How this host reaches the cluster. Exec and token users work too.",
  }),
  endpoint: text(endpoint).optional().meta({
    description: "`HOST:PORT` at which the machines reach the API server.",
    default: "what the cluster's own `cluster-info` says",
  }),
  hostsEntries: z.array(hostsEntry).default([]).meta({
    description:
      "Entries for the machines' hosts files, for names that they cannot resolve otherwise.",
  }),
  kubernetesVersion: text(fullVersion)
    .default(defaultKubernetes)
    .meta({
      description: `Version of kubelet, kubeadm and kube-proxy on the Windows nodes: the cluster's, or up to three minor versions older, and ${leastKubernetes} at least.`,
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
    description: "Lifetime of a join token.",
    unit: "minutes",
  }),
});

const endpointForm = "Write HOST:PORT, e.g. api.example.com:6443.";

function endpoint(value: string): Complaint | undefined {
  if (/^[a-z]+:\/\//i.test(value)) {
    return {
      why: "is an address with a scheme",
      instead: `Write ${value.replace(/^[a-z]+:\/\//i, "").replace(/\/.*$/, "")} alone, as HOST:PORT.`,
    };
  }
  const [, host, port] = /^([^:]+):(\d{1,5})$/.exec(value) ?? [];
  if (host === undefined || port === undefined) {
    return { why: "is not a host and a port", instead: endpointForm };
  }
  if (Number(port) < 1 || Number(port) > 65535) {
    return { why: `has the port ${port}, which is not from 1 to 65535`, instead: endpointForm };
  }
  if (hostName(host) === undefined) return undefined;
  return { why: `has no host name or IPv4 address before the port`, instead: endpointForm };
}

const tooOld: Complaint = {
  why: kubernetesLimits.kubeadm.why,
  instead: `Write ${leastKubernetes} or newer; the cluster's control plane must be at least as new.`,
};

function fullVersion(value: string): Complaint | undefined {
  if (/^\d+\.\d+\.\d+$/.test(value) && semver.valid(value) === value) {
    return semver.gte(value, leastKubernetes) ? undefined : tooOld;
  }
  const written = /^\d+\.\d+$/.test(value)
    ? `${value}.0`
    : (/^v?(\d+\.\d+\.\d+)/.exec(value)?.[1] ?? defaultKubernetes);
  const isTaken = semver.valid(written) !== null && semver.gte(written, leastKubernetes);
  const nearest = isTaken ? written : leastKubernetes;
  return {
    why: "is not a version of three numbers without a leading v",
    instead: `Write one in full and in quotes, e.g. "${nearest}".`,
  };
}

interface ClusterSection {
  readonly cluster: z.output<typeof cluster>;
}

/** A kubeconfig comes either from a file or from the settings. @param instead the remedy if both are missing */
export function kubeconfigProblems(
  { file, text }: ClusterSection["cluster"]["kubeconfig"],
  path: readonly string[],
  instead: string,
): SettingsProblem[] {
  if (file === undefined && text === undefined) {
    return [{ path, why: "names no kubeconfig", instead }];
  }
  const isOne = file === undefined || text === undefined;
  return unless(isOne, { path, why: "has file and text", instead: "Keep one of them." });
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host);
}

const rangesApart: Check<ClusterSection> = {
  reads: ["cluster.podCidr", "cluster.serviceCidr"],
  run: ({ cluster: { podCidr, serviceCidr } }) => {
    const [pods, services] = [podCidr, serviceCidr].map((one) => one && parseRange(one));
    const isApart = !pods || !services || pods.first > services.last || services.first > pods.last;
    return unless(isApart, {
      path: ["cluster", "serviceCidr"],
      why: `overlaps kindows:cluster.podCidr, ${podCidr ?? ""}`,
      instead: "Write both as the cluster has them, or leave them out.",
    });
  },
};

export const clusterChecks: readonly Check<ClusterSection>[] = [
  {
    reads: ["cluster.kubeconfig.file", "cluster.kubeconfig.text"],
    run: ({ cluster: { kubeconfig } }) =>
      kubeconfigProblems(
        kubeconfig,
        ["cluster", "kubeconfig"],
        "Write file, its absolute path, or text, its content as a secret.",
      ),
  },
  // A hosts entry is for a name, and each name has only one.
  {
    run: ({ cluster: { hostsEntries } }) => [
      ...hostsEntries.flatMap(({ name }, index) =>
        unless(!isAddress(name), {
          path: ["cluster", "hostsEntries", index, "name"],
          why: "is an address, which needs no entry",
          instead: "Write a name, or leave the entry out.",
        }),
      ),
      ...repeated(hostsEntries, ({ name }) => (isAddress(name) ? undefined : name)).map(
        ({ index }) => ({
          path: ["cluster", "hostsEntries", index, "name"],
          why: "is listed twice",
          instead: "Remove one of them.",
        }),
      ),
    ],
  },
  rangesApart,
];
