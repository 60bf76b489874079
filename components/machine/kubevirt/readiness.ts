import { constants } from "node:fs";
import { access } from "node:fs/promises";
import semver from "semver";
import type { HostProblem } from "../../../config/host-problem.ts";
import { pathText, unless } from "../../../config/problem.ts";
import { messageOf } from "../../../host/failure.ts";
import { ApiError, type ClusterApi } from "../../../kubernetes/cluster-api.ts";
import {
  accessReview,
  type Right,
  rightText,
  written,
} from "../../controlplane/existing/rights.ts";
import { type ImporterConfig, importerConfigPath } from "./image-upload.ts";
import { listPath, type Seen } from "./lab-watch.ts";
import { goldenImage, kubevirtApi, labLabels, machineName, type Lab } from "./objects.ts";
import { usualSize } from "./settings.ts";

/** Oldest releases that have everything that is asked for: `LiveMigrateIfPossible`, clones of snapshots. */
const oldest = { KubeVirt: "1.1.0", CDI: "1.58.0" } as const;

const install = {
  KubeVirt:
    "Install it (https://kubevirt.io/user-guide/cluster_admin/installation/), or write the cluster that has it as kindows:machine.kubeconfig.",
  CDI: "Install KubeVirt's Containerized Data Importer there (https://github.com/kubevirt/containerized-data-importer).",
};

/** The cluster that is asked. */
export type Asked = Pick<ClusterApi, "get" | "ask">;

/** An answer of the API server; undefined where there is no such thing, or it is not this user's to see. */
type Ask = <T>(path: string) => Promise<T | "forbidden" | undefined>;

/** What is in the way of making a lab's machines in a cluster; all is asked at once, and nothing changed. */
export async function clusterProblems(api: Asked, lab: Lab): Promise<HostProblem[]> {
  const ask: Ask = async <T>(path: string) => {
    try {
      return await api.get<T>(path);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 404 || error.status === 503) return undefined;
      if (error.status === 403) return "forbidden";
      throw error;
    }
  };
  try {
    const missing = await apiProblems(ask);
    if (missing.length > 0) return missing;
    const found = await Promise.all([
      ...[namedProblems, storageProblems, uploadProblems, foreignProblems, quotaProblems].map(
        (find) => find(ask, lab),
      ),
      rightProblems(api, lab),
    ]);
    return found.flat();
  } catch (error) {
    return [
      {
        subject: "The cluster for the machines (kindows:machine)",
        why: `does not answer: ${messageOf(error)}`,
        instead: `Write another ${pathText(["machine", "kubeconfig"])}, or see to it that this host reaches it.`,
      },
    ];
  }
}

interface Group {
  readonly name: string;
  readonly versions: readonly { readonly groupVersion: string }[];
}

async function apiProblems(ask: Ask): Promise<HostProblem[]> {
  const [groups, kubevirt, importers] = await Promise.all([
    ask<{ groups: readonly Group[] }>("/apis"),
    ask<{ gitVersion?: string }>("/apis/subresources.kubevirt.io/v1/version"),
    ask<{ items: readonly { status?: { observedVersion?: string } }[] }>(
      "/apis/cdi.kubevirt.io/v1beta1/cdis",
    ),
  ]);
  const has = (wanted: string): boolean =>
    typeof groups === "object" &&
    groups.groups.some(({ versions }) =>
      versions.some(({ groupVersion }) => groupVersion === wanted),
    );
  const importer = typeof importers === "object" ? importers.items[0] : undefined;
  return [
    ...released(
      "KubeVirt",
      has(kubevirtApi),
      typeof kubevirt === "object" ? kubevirt.gitVersion : undefined,
    ),
    ...released("CDI", has("cdi.kubevirt.io/v1beta1"), importer?.status?.observedVersion),
  ];
}

/** @param version undefined where it cannot be seen. */
function released(
  what: keyof typeof oldest,
  isThere: boolean,
  version: string | undefined,
): HostProblem[] {
  if (!isThere) {
    return [
      { subject: what, why: "is not in the cluster for the machines", instead: install[what] },
    ];
  }
  const number = semver.coerce(version);
  return number === null || semver.gte(number, oldest[what])
    ? []
    : [
        {
          subject: what,
          why: `is ${number.version} there, which is too old`,
          instead: `Use ${oldest[what]} or newer.`,
        },
      ];
}

interface StorageClass {
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

const defaultMarks = [
  "storageclass.kubevirt.io/is-default-virt-class",
  "storageclass.kubernetes.io/is-default-class",
];

async function storageProblems(ask: Ask, { machine }: Lab): Promise<HostProblem[]> {
  const found = await ask<{ items: readonly StorageClass[] }>(
    "/apis/storage.k8s.io/v1/storageclasses",
  );
  if (typeof found !== "object") return [];
  const { storageClass } = machine;
  const names = found.items.map(({ metadata: { name } }) => name);
  const known = names.length === 0 ? "there is none" : `there are ${names.join(", ")}`;
  if (storageClass !== undefined) {
    return names.includes(storageClass)
      ? []
      : [
          {
            subject: `The storage class ${storageClass}`,
            why: `is not in the cluster for the machines (${known})`,
            instead: "Write another machine.storageClass.",
          },
        ];
  }
  return found.items.some(({ metadata: { annotations = {} } }) =>
    defaultMarks.some((mark) => annotations[mark] === "true"),
  )
    ? []
    : [
        {
          subject: "The cluster for the machines",
          why: `has no default storage class (${known})`,
          instead: "Write one as machine.storageClass.",
        },
      ];
}

/** What the settings name, in the order of problems: where it is, and what to do where it is not. */
function named(
  { machine }: Lab,
  hasMultus: boolean,
): { readonly path: string; readonly subject: string; readonly instead: string }[] {
  const { namespace, network, image, instanceType } = machine;
  const [netNamespace = "", netName = ""] = network.multus?.split("/") ?? [];
  const instanceTypes = "/apis/instancetype.kubevirt.io/v1beta1/virtualmachineclusterinstancetypes";
  return [
    {
      path: `/api/v1/namespaces/${namespace}`,
      subject: `The namespace ${namespace}`,
      instead: `Make it (kubectl create namespace ${namespace}), or write another machine.namespace.`,
    },
    ...(network.multus === undefined
      ? []
      : hasMultus
        ? [
            {
              path: `${multusApi}/namespaces/${netNamespace}/network-attachment-definitions/${netName}`,
              subject: `The NetworkAttachmentDefinition ${network.multus}`,
              instead: "Make it, or write another machine.network.multus.",
            },
          ]
        : [
            {
              path: multusApi,
              subject: "Multus",
              instead:
                "Install it, or write machine.network.pod: bridge where the pod network permits that.",
            },
          ]),
    ...(image.kind === "pvc"
      ? [
          {
            path: `/api/v1/namespaces/${image.namespace ?? namespace}/persistentvolumeclaims/${image.name}`,
            subject: `The PersistentVolumeClaim ${image.namespace ?? namespace}/${image.name}`,
            instead: "Write another machine.image.",
          },
        ]
      : []),
    ...(image.kind === "snapshot"
      ? [
          {
            path: `/apis/snapshot.storage.k8s.io/v1/namespaces/${image.namespace ?? namespace}/volumesnapshots/${image.name}`,
            subject: `The VolumeSnapshot ${image.namespace ?? namespace}/${image.name}`,
            instead: "Write another machine.image.",
          },
        ]
      : []),
    ...(instanceType === undefined
      ? []
      : [
          {
            path: `${instanceTypes}/${instanceType}`,
            subject: `The instance type ${instanceType}`,
            instead: "Write another machine.instanceType, or cpus and memoryMiB instead.",
          },
        ]),
  ];
}

const multusApi = "/apis/k8s.cni.cncf.io/v1";

async function namedProblems(ask: Ask, lab: Lab): Promise<HostProblem[]> {
  const why = "is not in the cluster for the machines";
  const hasMultus = (await ask(multusApi)) !== undefined;
  const found = await Promise.all(
    named(lab, hasMultus).map(async ({ path, subject, instead }) =>
      (await ask(path)) === undefined ? [{ subject, why, instead }] : [],
    ),
  );
  return found.flat();
}

async function uploadProblems(ask: Ask, { machine: { image } }: Lab): Promise<HostProblem[]> {
  if (image.kind !== "upload") return [];
  const isReadable = await access(image.path, constants.R_OK).then(
    () => true,
    () => false,
  );
  const config = await ask<ImporterConfig>(importerConfigPath);
  const hasProxy =
    image.proxy !== undefined ||
    typeof config !== "object" ||
    config.status?.uploadProxyURL !== undefined;
  return [
    ...unless(isReadable, {
      ...{ subject: image.path, why: "cannot be read" },
      instead: "Write the path of a disk on this host as machine.image.path.",
    }),
    ...unless(hasProxy, {
      ...{ subject: "CDI", why: "knows no address of its upload proxy" },
      instead: "Write one as machine.image.proxy (docs/kubevirt.md).",
    }),
  ];
}

/** Objects of the lab's names that are not the lab's: they would be taken over, and be removed with it. */
async function foreignProblems(ask: Ask, lab: Lab): Promise<HostProblem[]> {
  const { namespace, nodes } = lab.machine;
  const golden = goldenImage(lab);
  const names = nodes.map(({ name }) => machineName(lab, name));
  const of = async (kind: "machines" | "volumes", title: string, own: readonly string[]) => {
    const found = await ask<{ items: readonly Seen[] }>(listPath(kind, namespace));
    return (typeof found === "object" ? found.items : [])
      .filter(
        ({ metadata: { name, labels = {} } }) =>
          own.includes(name) &&
          Object.entries(labLabels(lab)).some(([key, value]) => labels[key] !== value),
      )
      .map(({ metadata: { name } }) => ({
        subject: `The ${title} ${namespace}/${name}`,
        why: "is there, and not this stack's: it is neither taken over nor removed",
        instead: "Remove it, or give the node or the stack another name.",
      }));
  };
  const found = await Promise.all([
    of("machines", "VirtualMachine", names),
    of("volumes", "DataVolume", [
      ...names,
      ...(golden === undefined ? [] : [golden.metadata.name]),
    ]),
  ]);
  return found.flat();
}

interface Quota {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

/** Whether machines that are not there yet fit into what the namespace's quotas leave. */
async function quotaProblems(ask: Ask, lab: Lab): Promise<HostProblem[]> {
  const { namespace, nodes, diskGiB, instanceType } = lab.machine;
  const { memoryMiB = usualSize.memoryMiB } = lab.machine;
  const [quotas, there] = await Promise.all([
    ask<{ items: readonly Quota[] }>(`/api/v1/namespaces/${namespace}/resourcequotas`),
    ask<{ items: readonly Seen[] }>(listPath("machines", namespace)),
  ]);
  if (typeof quotas !== "object" || typeof there !== "object") return [];
  const known = new Set(there.items.map(({ metadata: { name } }) => name));
  const count = nodes.filter(({ name }) => !known.has(machineName(lab, name))).length;
  const memory = instanceType === undefined ? count * memoryMiB * 2 ** 20 : 0;
  const needed: Readonly<Record<string, number>> = {
    "requests.storage": count * diskGiB * 2 ** 30,
    "requests.memory": memory,
    memory,
    "limits.memory": memory,
  };
  return quotas.items.flatMap(({ metadata, status: { hard = {}, used = {} } = {} }) =>
    Object.entries(needed).flatMap(([resource, bytes]) => {
      const limit = quantity(hard[resource]);
      const left = (limit ?? 0) - (quantity(used[resource]) ?? 0);
      return limit === undefined || bytes <= left
        ? []
        : [
            {
              subject: `The ResourceQuota ${namespace}/${metadata.name}`,
              why: `leaves ${gib(left)} GiB of ${resource}, and ${count === 1 ? "the machine that is" : `the ${count} machines that are`} to be made ${count === 1 ? "needs" : "need"} ${gib(bytes)}`,
              instead: "Have it raised, or make fewer or smaller machines.",
            },
          ];
    }),
  );
}

function gib(bytes: number): number {
  return Math.round((bytes / 2 ** 30) * 10) / 10;
}

const units: Readonly<Record<string, number>> = {
  ...{ "": 1, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50 },
};

/** A quantity as Kubernetes writes it, in its unit. */
function quantity(text: string | undefined): number | undefined {
  const [, number, unit = ""] = /^(-?[\d.]+)([A-Za-z]*)$/.exec(text ?? "") ?? [];
  const factor = units[unit];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

/** All that making, finding, reaching and removing the machines takes. */
function neededRights(lab: Lab): readonly Right[] {
  const { namespace, image, portForward } = lab.machine;
  const right =
    (group: string, resource: string, purpose: string, subresource?: string) =>
    (verb: string): Right => ({
      ...{ verb, group, resource, purpose, namespace },
      ...(subresource !== undefined && { subresource }),
    });
  const seen = ["list", "watch"];
  const elsewhere = "namespace" in image ? (image.namespace ?? namespace) : namespace;
  return [
    ...[...written, ...seen].map(right("kubevirt.io", "virtualmachines", "to make machines")),
    ...seen.map(right("kubevirt.io", "virtualmachineinstances", "to see whether they run")),
    ...[...(goldenImage(lab) === undefined ? [] : written), ...seen].map(
      right("cdi.kubevirt.io", "datavolumes", "for their disks"),
    ),
    ...written.map(right("", "secrets", "for their identity discs")),
    ...(portForward ? ["get"] : []).map(
      right("subresources.kubevirt.io", "virtualmachineinstances", "for SSH", "portforward"),
    ),
    ...(image.kind === "upload" ? ["create"] : []).map(
      right("upload.cdi.kubevirt.io", "uploadtokenrequests", "to upload the image"),
    ),
    ...(elsewhere === namespace
      ? []
      : [
          {
            ...{ verb: "create", group: "cdi.kubevirt.io", resource: "datavolumes" },
            ...{ subresource: "source", namespace: elsewhere },
            purpose: "to clone a disk of another namespace",
          },
        ]),
  ];
}

async function rightProblems(api: Asked, lab: Lab): Promise<HostProblem[]> {
  const missing = await Promise.all(
    neededRights(lab).map(async (right) => {
      const { status } = await api.ask<{ status?: { allowed?: boolean } }>(
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        accessReview(right),
      );
      return status?.allowed === true ? [] : [rightText(right)];
    }),
  );
  const rights = missing.flat();
  return rights.length === 0
    ? []
    : [
        {
          subject: "The kubeconfig's user in the cluster for the machines",
          why: `may not: ${rights.join(", ")}`,
          instead: `Have an administrator allow that in the namespace ${lab.machine.namespace} (docs/kubevirt.md has a Role).`,
        },
      ];
}
