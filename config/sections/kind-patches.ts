import * as z from "zod";
import { parse } from "yaml";
import { localFile } from "../named-file.ts";
import { type Check, type Complaint, repeated, type SettingsProblem } from "../problem.ts";
import { ipv4 } from "../values/ip-address.ts";
import { between, ofForm, text } from "../values/value.ts";

const path = text(localFile);

const port = between(1, 65_535);

const mount = z.strictObject({
  hostPath: path.meta({ description: "File or folder on this host." }),
  containerPath: text(mountPoint).meta({
    description: "Where the nodes have it.",
    placeholder: (index: number) => `/unnamed-${String(index)}`,
  }),
  readOnly: z.boolean().optional().meta({
    description: "Whether the nodes may only read it.",
    default: "`false`",
  }),
});

const portMapping = z.strictObject({
  containerPort: port.meta({ description: "Port of the control plane, e.g. a NodePort." }),
  hostPort: port.meta({
    description: "Port of this host.",
    placeholder: (index: number) => 65_535 - index,
  }),
  listenAddress: text(ipv4("Write an address of this host, or 0.0.0.0 for all."))
    .optional()
    .meta({ description: "Address of this host.", default: "`0.0.0.0`" }),
  protocol: z
    .enum(["TCP", "UDP", "SCTP"])
    .optional()
    .meta({ description: "Protocol.", default: "`TCP`" }),
});

/** Parts of kind's own configuration: https://kind.sigs.k8s.io/docs/user/configuration/. */
export const kindPatches = z.strictObject({
  featureGates: z
    .record(
      text(
        ofForm(
          /^[A-Za-z][A-Za-z0-9]*$/,
          "is not the name of a feature gate",
          "Write it as Kubernetes does, e.g. InPlacePodVerticalScaling.",
        ),
      ),
      z.boolean(),
    )
    .optional()
    .meta({
      description:
        "Kubernetes' feature gates, for every component and every kubelet, e.g. `{ WindowsGracefulNodeShutdown: true }`.",
    }),
  runtimeConfig: z.record(z.string(), z.string()).optional().meta({
    description: "API versions to serve, e.g. `{ api/alpha: 'true' }`.",
  }),
  kubeadmConfigPatches: z.array(text(kubeadmPatch)).optional().meta({
    description:
      "Merge patches in YAML of kubeadm's configuration, each with `kind:` ClusterConfiguration, InitConfiguration, KubeletConfiguration or KubeProxyConfiguration.",
  }),
  containerdConfigPatches: z.array(text(containerdPatch)).optional().meta({
    description:
      "Merge patches in TOML of containerd's configuration on control planes and workers.",
  }),
  extraMounts: z
    .array(mount)
    .optional()
    .meta({ description: "Files and folders of this host for control planes and workers." }),
  extraPortMappings: z.array(portMapping).optional().meta({
    description: "Ports of this host that lead to the only control plane.",
  }),
  apiServerAddress: text(ipv4("Write an address of this host, or 0.0.0.0 for all."))
    .optional()
    .meta({
      description:
        "Address of this host on which the API server is also reached, e.g. from other computers. It becomes a name in the API server's certificate.",
      default: "`127.0.0.1`",
    }),
  apiServerPort: port.optional().meta({
    description: "Port of this host for the API server.",
    default: "a free one",
  }),
});

export type KindPatches = z.output<typeof kindPatches>;

/** Paths at which kind, kubeadm or kindows mount something themselves. */
const taken = [
  "/",
  "/var",
  "/tmp",
  "/run",
  "/lib/modules",
  "/kind",
  "/etc/kubernetes",
  "/proc",
  "/sys",
];

function mountPoint(value: string): Complaint | undefined {
  const relative = localFile(value);
  if (relative !== undefined) return relative;
  return taken.includes(value.replace(/(?<=.)\/+$/, ""))
    ? {
        why: "is a folder that the node itself needs",
        instead: "Write another path, e.g. /mnt/data.",
      }
    : undefined;
}

/** What kindows or kind sets, by the kind of kubeadm's document, and the setting for it. */
const own: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ClusterConfiguration: {
    kubernetesVersion: "kindows:cluster.kubernetesVersion",
    networking: "kindows:cluster.podCidr and kindows:cluster.serviceCidr",
    controlPlaneEndpoint: "",
    clusterName: "",
  },
  InitConfiguration: { bootstrapTokens: "kindows:cluster.tokenTtlMinutes", localAPIEndpoint: "" },
  KubeletConfiguration: {
    failCgroupV1: "",
    featureGates: "kindows:cluster.kindPatches.featureGates",
  },
  KubeProxyConfiguration: { clusterCIDR: "kindows:cluster.podCidr" },
};

function kubeadmPatch(value: string): Complaint | undefined {
  let document: unknown;
  try {
    document = parse(value);
  } catch {
    return {
      why: "is not YAML",
      instead: "Write one YAML document, below a line that ends with |.",
    };
  }
  const kinds = Object.keys(own).join(", ");
  const kind = isRecord(document) ? document["kind"] : undefined;
  const reserved = typeof kind === "string" ? own[kind] : undefined;
  if (!isRecord(document) || reserved === undefined) {
    return {
      why: "is no patch of kubeadm's configuration",
      instead: `Write one document with a kind: ${kinds}.`,
    };
  }
  const set = Object.keys(document).find((key) => Object.hasOwn(reserved, key));
  if (set === undefined) return undefined;
  const setting = reserved[set] ?? "";
  return {
    why: `sets ${set}, which kindows sets itself`,
    instead: setting === "" ? `Leave ${set} out.` : `Leave ${set} out, and write ${setting}.`,
  };
}

function containerdPatch(value: string): Complaint | undefined {
  return /^\s*\[|=/m.test(value)
    ? undefined
    : { why: "is not TOML", instead: "Write a table and its keys, below a line that ends with |." };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface PatchedCluster {
  readonly cluster: {
    readonly controlPlanes: number;
    readonly kindPatches?: KindPatches | undefined;
  };
}

export const patchesFit: Check<PatchedCluster> = {
  reads: ["cluster.kindPatches", "cluster.controlPlanes"],
  run: ({ cluster: { kindPatches = {}, controlPlanes } }) => {
    const { extraMounts = [], extraPortMappings = [] } = kindPatches;
    const at = (...path: readonly (string | number)[]) => ["cluster", "kindPatches", ...path];
    const several: SettingsProblem[] =
      controlPlanes > 1 && extraPortMappings.length > 0
        ? [
            {
              path: at("extraPortMappings"),
              value: extraPortMappings,
              why: `would give one port of this host to ${controlPlanes} control planes`,
              instead: "Write kindows:cluster.controlPlanes: 1, or leave it out.",
            },
          ]
        : [];
    return [
      ...repeated(extraMounts, ({ containerPath }) => containerPath).map(({ index }) => ({
        path: at("extraMounts", index, "containerPath"),
        why: "is listed twice",
        instead: "Write another path.",
      })),
      ...repeated(
        extraPortMappings,
        ({ hostPort, protocol = "TCP" }) => `${hostPort}/${protocol}`,
      ).map(({ index }) => ({
        path: at("extraPortMappings", index, "hostPort"),
        why: "is listed twice",
        instead: "Write another port.",
      })),
      ...several,
    ];
  },
};
