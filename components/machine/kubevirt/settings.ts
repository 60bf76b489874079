import * as z from "zod";
import { fileSha256, localFile } from "../../../config/named-file.ts";
import {
  pathText,
  type Check,
  type Complaint,
  repeated,
  type SettingsProblem,
  unless,
} from "../../../config/problem.ts";
import { nodeTaints, registration } from "../../../config/sections/node-registration.ts";
import { machineSize } from "../../../config/values/machine-size.ts";
import { computerName, dnsDomain, dnsLabel, unnamed } from "../../../config/values/dns-name.ts";
import { machineAddress } from "../../../config/values/ip-address.ts";
import { between, ofForm, text } from "../../../config/values/value.ts";
import { cluster, kubeconfigProblems } from "../../controlplane/existing/settings.ts";

const namespaceName = dnsLabel(63);

const objectName = dnsDomain;

/** It must use TLS, because a token is sent to it. */
const uploadProxy = ofForm(
  (value) => URL.canParse(value) && new URL(value).protocol === "https:" && !value.includes("@"),
  "is not an https address",
  "Write https://HOST or https://HOST:PORT.",
);

const zone = ofForm(
  (value) => value === "UTC" || Intl.supportedValuesOf("timeZone").includes(value),
  "is not a time zone",
  "Write one such as Europe/Berlin, or UTC.",
);

const attachment = ofForm(
  (value) => /^[^/]+\/[^/]+$/.test(value) && value.split("/").every((part) => !objectName(part)),
  "does not name a NetworkAttachmentDefinition",
  "Write NAMESPACE/NAME.",
);

const credentials = text(objectName).optional().meta({
  description:
    "Secret in the namespace with `accessKeyId` and `secretKey`, if the server requires a login.",
});

/** An existing claim or snapshot, from which machines are cloned. */
function existing<Kind extends "pvc" | "snapshot">(kind: Kind, description: string) {
  return z
    .strictObject({
      kind: z.literal(kind),
      name: text(objectName).meta({
        description: "Name of the claim or snapshot; it is never changed or removed.",
        placeholder: unnamed,
      }),
      namespace: text(namespaceName).optional().meta({
        description: "Its namespace.",
        default: "`machine.namespace`",
      }),
    })
    .meta({ description });
}

const image = z.discriminatedUnion("kind", [
  z
    .strictObject({
      kind: z.literal("http"),
      url: text(diskUrl).meta({
        description: "Address of the disk: raw or qcow2, also compressed by gzip or xz.",
        placeholder: () => "https://unnamed/",
      }),
      secret: credentials,
    })
    .meta({ description: "A disk that the cluster downloads." }),
  z
    .strictObject({
      kind: z.literal("registry"),
      reference: text(containerDisk).meta({
        description: "Container disk, `REGISTRY/NAME:TAG` or `REGISTRY/NAME@sha256:DIGEST`.",
        placeholder: () => "unnamed/unnamed:1",
      }),
      secret: credentials,
    })
    .meta({ description: "A container disk of a registry." }),
  z
    .strictObject({
      kind: z.literal("upload"),
      path: text(localFile).meta({
        description:
          "Absolute path of the disk on this host: raw or qcow2, also compressed by gzip or xz.",
        placeholder: () => "/unnamed",
      }),
      sha256: text(fileSha256).meta({
        description: "Its SHA-256, in lower case. If it changes, the image is replaced.",
        placeholder: () => "0".repeat(64),
      }),
      proxy: text(uploadProxy).optional().meta({
        description: "Address of CDI's upload proxy, as this host reaches it.",
        default: "the one in CDI's configuration",
      }),
    })
    .meta({ description: "A disk on this host, which is uploaded." }),
  existing("pvc", "An existing PersistentVolumeClaim."),
  existing("snapshot", "An existing VolumeSnapshot."),
]);

const node = z.strictObject({
  name: text(computerName).meta({
    description: "Node and computer name: a DNS label of at most 15 characters.",
    placeholder: unnamed,
  }),
  address: text(machineAddress).optional().meta({
    description: "IPv4 address of the machine, if its status in the cluster does not show it.",
    default: "the one in the status of its VirtualMachineInstance",
  }),
  localPort: between(1024, 65535).optional().meta({
    description: "With `portForward`: port of this host that leads to it while the program runs.",
    default: "a port derived from its name",
  }),
  ...registration,
});

/** Default size of machines without an instance type. */
export const usualSize = { cpus: 4, memoryMiB: 8192 } as const;

export const kubevirtSettings = z
  .strictObject({
    kind: z.literal("kubevirt").meta({ description: "Who makes them." }),
    kubeconfig: cluster.shape.kubeconfig.unwrap().optional().meta({
      description: "How this host reaches the cluster that runs the machines.",
      default: "`cluster.kubeconfig`: Windows nodes for the cluster that hosts them",
    }),
    namespace: text(namespaceName).meta({
      description: "Namespace there for the machines; it must exist.",
      placeholder: unnamed,
    }),
    storageClass: text(objectName).optional().meta({
      description: "Storage class of the disks.",
      default: "the cluster's own for virtual machines",
    }),
    image: image.meta({
      description: "Disk that machines start from. Changing it replaces the machines.",
      placeholder: () => ({ kind: "pvc", name: "unnamed" }),
    }),
    firmware: z.enum(["uefi", "bios"]).default("uefi").meta({
      description: "Firmware with which the image was installed.",
    }),
    secureBoot: z.boolean().default(false).meta({
      description: "Whether machines with UEFI start with Secure Boot.",
    }),
    instanceType: text(objectName).optional().meta({
      description:
        "VirtualMachineClusterInstancetype of the machines, instead of cpus and memoryMiB.",
    }),
    cpus: machineSize.cpus.optional().meta({ default: String(usualSize.cpus) }),
    memoryMiB: machineSize.memoryMiB.optional().meta({ default: String(usualSize.memoryMiB) }),
    diskGiB: machineSize.diskGiB.default(64),
    timeZone: text(zone).default("UTC").meta({
      description:
        "Time zone of the image's Windows, e.g. `Europe/Berlin`. Windows treats the machine's clock as local time.",
    }),
    network: z
      .strictObject({
        multus: text(attachment).optional().meta({
          description:
            "NetworkAttachmentDefinition, `NAMESPACE/NAME`, that the machines are bridged to.",
        }),
        pod: text(podBinding).optional().meta({
          description:
            "`bridge`: the machine has its pod's address, if the cluster's pod network permits that. It then cannot be migrated while it runs.",
        }),
      })
      .meta({
        description: "Network of the machines: either `multus` or `pod`.",
        placeholder: () => ({ multus: "unnamed/unnamed" }),
      }),
    portForward: z.boolean().default(false).meta({
      description:
        "Whether SSH goes through the API server (KubeVirt's `portforward`), for machines that cannot be reached otherwise.",
    }),
    nodeSelector: z.record(z.string(), z.string()).default({}).meta({
      description: "Labels of the nodes there that may run machines.",
    }),
    tolerations: z
      .array(
        z.strictObject({
          key: z.string().optional().meta({ description: "Key of the taint; none: any." }),
          operator: z.enum(["Exists", "Equal"]).default("Equal").meta({
            description: "Whether `value` counts.",
          }),
          value: z.string().optional().meta({ description: "Value of the taint." }),
          effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]).optional().meta({
            description: "Effect of the taint; none: any.",
          }),
        }),
      )
      .default([])
      .meta({ description: "Taints of nodes there that machines tolerate." }),
    spread: z.enum(["preferred", "required"]).default("preferred").meta({
      description: "Whether the lab's machines should or must run on different nodes there.",
    }),
    evictionStrategy: z
      .enum(["LiveMigrateIfPossible", "LiveMigrate", "None"])
      .default("LiveMigrateIfPossible")
      .meta({ description: "What happens to a machine whose node there is drained." }),
    startMinutes: between(1, 240).default(30).meta({
      description: "Longest wait for the image, and then for a machine to run and have an address.",
      unit: "minutes",
    }),
    nodes: z.array(node).default([]).meta({ description: "The nodes, each with a machine." }),
  })
  .meta({ description: "VirtualMachines on a cluster with KubeVirt." });

export type KubeVirtSettings = z.output<typeof kubevirtSettings>;
export type KubeVirtNode = KubeVirtSettings["nodes"][number];

function diskUrl(value: string): Complaint | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return {
      why: "is not an HTTP address",
      instead:
        "Write https://HOST/PATH of a disk, e.g. https://images.example.com/windows-2022.qcow2.",
    };
  }
  return url.username === "" && url.password === ""
    ? undefined
    : {
        why: "contains a login, which everybody could read in the DataVolume",
        instead: "Put it into a Secret, and write its name as secret.",
      };
}

/** Accepts only container disks with a digest or a tag other than `latest`. */
function containerDisk(value: string): Complaint | undefined {
  if (/^[a-z]+:\/\//.test(value)) {
    return {
      why: "is an address with a scheme",
      instead: `Write ${value.replace(/^.*:\/\//, "")}.`,
    };
  }
  return /(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/.test(value) && !value.endsWith(":latest")
    ? undefined
    : {
        why: "has neither a digest nor a tag other than latest, so it could become another image",
        instead: "Write NAME:TAG or NAME@sha256:DIGEST.",
      };
}

const bridgeInstead =
  "Write bridge, if the cluster's pod network permits it, or multus: NAMESPACE/NAME instead.";

/** Refuses `masquerade`, with which all machines have the same address, and kubelet would register with it. */
function podBinding(value: string): Complaint | undefined {
  if (value === "bridge") return undefined;
  return value === "masquerade"
    ? {
        why: "gives every machine the same address, so every node would register with it (kubevirt/kubevirt pull request 2493)",
        instead: bridgeInstead,
      }
    : { why: "is not a supported binding to the pod network", instead: bridgeInstead };
}

export interface KubeVirtSection {
  readonly machine?: KubeVirtSettings | undefined;
  readonly nodes: readonly { readonly name: string }[];
  readonly login: { readonly bastions: readonly unknown[] };
}

const section = "machine";

/** @param run returns problems with paths relative to the section. */
function check(
  reads: readonly string[],
  run: (machine: KubeVirtSettings, settings: KubeVirtSection, file: string) => SettingsProblem[],
): Check<KubeVirtSection> {
  return {
    reads: reads.map((path) => `${section}.${path}`),
    run: (settings, file) =>
      settings.machine === undefined
        ? []
        : run(settings.machine, settings, file).map((problem) => ({
            ...problem,
            path: [section, ...problem.path],
          })),
  };
}

export const kubevirtChecks: readonly Check<KubeVirtSection>[] = [
  check(["kubeconfig", "kubeconfig.file", "kubeconfig.text"], ({ kubeconfig }) =>
    kubeconfig === undefined
      ? []
      : kubeconfigProblems(
          kubeconfig,
          ["kubeconfig"],
          "Write file or text, or leave it out for that of kindows:cluster.",
        ),
  ),
  check(["firmware"], ({ firmware, secureBoot }) =>
    unless(!secureBoot || firmware === "uefi", {
      path: ["secureBoot"],
      why: "is for machines that start with UEFI",
      instead: "Leave it out, or write firmware: uefi for an image that was installed with it.",
    }),
  ),
  check(["instanceType"], ({ instanceType, cpus, memoryMiB }) =>
    Object.entries({ cpus, memoryMiB })
      .filter(([, value]) => instanceType !== undefined && value !== undefined)
      .map(([key]) => ({
        path: [key],
        why: `is already defined by the instance type ${instanceType ?? ""}`,
        instead: "Leave it out, or leave instanceType out.",
      })),
  ),
  check(
    ["network", "network.multus", "network.pod"],
    ({ network: { multus, pod }, evictionStrategy }) => {
      if ((multus === undefined) === (pod === undefined)) {
        const why = multus === undefined ? "names no network" : "names two networks";
        const instead = "Write multus: NAMESPACE/NAME, or pod: bridge.";
        return [{ path: ["network"], why, instead }];
      }
      return unless(pod === undefined || evictionStrategy !== "LiveMigrate", {
        path: ["evictionStrategy"],
        why: "does not work: KubeVirt cannot migrate machines that are bridged to the pod network, so drains would never end",
        instead: "Write LiveMigrateIfPossible or None, or use network.multus.",
      });
    },
  ),
  check(["portForward"], ({ portForward }, { login }) =>
    unless(!portForward || login.bastions.length === 0, {
      path: ["portForward"],
      why: "cannot be combined with kindows:login.bastions",
      instead: "Keep one of the two ways to the machines.",
    }),
  ),
  check([], ({ nodes }, { nodes: others }) => {
    const taken = (key: "name" | "address", index: number, by: SettingsProblem["path"]) => ({
      path: ["nodes", index, key],
      why: `is that of ${pathText(by)} too`,
      instead: `Write another ${key}.`,
    });
    return [
      ...(["name", "address"] as const).flatMap((key) =>
        repeated(nodes, (node) => node[key]).map(({ index, first }) =>
          taken(key, index, [section, "nodes", first]),
        ),
      ),
      ...nodes.flatMap(({ name }, index) => {
        const existing = others.findIndex((other) => other.name === name);
        return existing < 0 ? [] : [taken("name", index, ["nodes", existing])];
      }),
    ];
  }),
  check([], ({ nodes }, _, file) => nodeTaints.run({ nodes }, file)),
];
