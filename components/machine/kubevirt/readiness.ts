import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { findSuffix, quantityToScalar } from "@kubernetes/client-node/dist/util.js";
import semver from "semver";
import type { HostProblem } from "../../../config/host-problem.ts";
import { unless } from "../../../config/problem.ts";
import { messageOf } from "../../../host/failure.ts";
import { type ClusterApi, hasStatus } from "../../../host/kubernetes/cluster-api.ts";
import {
  isAllowed,
  managed,
  type Right,
  rightsTo,
  rightText,
} from "../../controlplane/existing/rights.ts";
import { type ImporterConfig, importerConfigPath } from "./image-upload.ts";
import { listPath, type Seen } from "./lab-watch.ts";
import {
  goldenImage,
  identityMetadata,
  importerApi,
  kubevirtApi,
  labLabels,
  machineName,
  type Lab,
} from "./objects.ts";
import { usualSize } from "./settings.ts";

/** Oldest releases with `LiveMigrateIfPossible` (KubeVirt) and clones of snapshots (CDI). */
const oldest = { KubeVirt: "1.1.0", CDI: "1.58.0" } as const;

const install = {
  KubeVirt:
    "Install it (https://kubevirt.io/user-guide/cluster_admin/installation/), or write the cluster that has it as kindows:machine.kubeconfig.",
  CDI: "Install KubeVirt's Containerized Data Importer there (https://github.com/kubevirt/containerized-data-importer).",
};

export type Asked = Pick<ClusterApi, "get" | "ask">;

/** Checks in parallel whether a lab's machines can be made in a cluster. Changes nothing. */
export async function clusterProblems(api: Asked, lab: Lab): Promise<HostProblem[]> {
  const check = new ClusterCheck(api, lab);
  try {
    const missing = await check.apiProblems();
    return missing.length > 0 ? missing : await check.problems();
  } catch (error) {
    return [
      {
        subject: "The cluster for the machines (kindows:machine)",
        why: `does not answer: ${messageOf(error)}`,
        instead:
          "Write another kindows:machine.kubeconfig, or make sure that this host can reach the cluster.",
      },
    ];
  }
}

interface Group {
  readonly versions: readonly { readonly groupVersion: string }[];
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

interface Quota {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

const multusApi = "/apis/k8s.cni.cncf.io/v1";
const notThere = "is not in the cluster for the machines";

class ClusterCheck {
  constructor(
    private readonly api: Asked,
    private readonly lab: Lab,
  ) {}

  /** Problems with KubeVirt and CDI themselves, without which nothing else can be checked. */
  async apiProblems(): Promise<HostProblem[]> {
    const [apis, kubevirt, importers] = await Promise.all([
      this.#get<{ groups: readonly Group[] }>("/apis"),
      this.#get<{ gitVersion?: string }>("/apis/subresources.kubevirt.io/v1/version"),
      this.#list<{ status?: { observedVersion?: string } }>(`/apis/${importerApi}/cdis`),
    ]);
    const groups = typeof apis === "object" ? apis.groups : [];
    const served = groups.flatMap(({ versions }) =>
      versions.map(({ groupVersion }) => groupVersion),
    );
    const version = typeof kubevirt === "object" ? kubevirt.gitVersion : undefined;
    return [
      ...released("KubeVirt", served.includes(kubevirtApi), version),
      ...released("CDI", served.includes(importerApi), importers?.[0]?.status?.observedVersion),
    ];
  }

  async problems(): Promise<HostProblem[]> {
    const found = await Promise.all([
      this.#namedProblems(),
      this.#storageProblems(),
      this.#uploadProblems(),
      this.#foreignProblems(),
      this.#quotaProblems(),
      this.#rightProblems(),
    ]);
    return found.flat();
  }

  /** Undefined if the object does not exist. */
  async #get<T>(path: string): Promise<T | "forbidden" | undefined> {
    try {
      return await this.api.get<T>(path);
    } catch (error) {
      if (hasStatus(error, 403)) return "forbidden";
      if (hasStatus(error, 404) || hasStatus(error, 503)) return undefined;
      throw error;
    }
  }

  /** Undefined if the resource does not exist, or this user may not list it. */
  async #list<T>(path: string): Promise<readonly T[] | undefined> {
    const found = await this.#get<{ items: readonly T[] }>(path);
    return typeof found === "object" ? found.items : undefined;
  }

  async #namedProblems(): Promise<HostProblem[]> {
    const { namespace, network, image, instanceType } = this.lab.machine;
    const missing = async (path: string, subject: string, instead: string) =>
      unless((await this.#get(path)) !== undefined, { subject, why: notThere, instead });
    const attachment = async (multus: string): Promise<HostProblem[]> => {
      const instead =
        "Install it, or write machine.network.pod: bridge if the pod network permits that.";
      const noMultus = await missing(multusApi, "Multus", instead);
      if (noMultus.length > 0) return noMultus;
      return missing(
        `${multusApi}/namespaces/${multus.replace("/", "/network-attachment-definitions/")}`,
        `The NetworkAttachmentDefinition ${multus}`,
        "Make it, or write another machine.network.multus.",
      );
    };
    const source = async (): Promise<HostProblem[]> => {
      if (image.kind !== "pvc" && image.kind !== "snapshot") return [];
      const [api, title] =
        image.kind === "pvc"
          ? ["/api/v1", "PersistentVolumeClaim"]
          : ["/apis/snapshot.storage.k8s.io/v1", "VolumeSnapshot"];
      const { name, namespace: where = namespace } = image;
      const path = `${api}/namespaces/${where}/${title.toLowerCase()}s/${name}`;
      return missing(path, `The ${title} ${where}/${name}`, "Write another machine.image.");
    };
    const instanceTypes =
      "/apis/instancetype.kubevirt.io/v1beta1/virtualmachineclusterinstancetypes";
    const found = await Promise.all([
      missing(
        `/api/v1/namespaces/${namespace}`,
        `The namespace ${namespace}`,
        `Make it (kubectl create namespace ${namespace}), or write another machine.namespace.`,
      ),
      network.multus === undefined ? [] : attachment(network.multus),
      source(),
      instanceType === undefined
        ? []
        : missing(
            `${instanceTypes}/${instanceType}`,
            `The instance type ${instanceType}`,
            "Write another machine.instanceType, or cpus and memoryMiB instead.",
          ),
    ]);
    return found.flat();
  }

  async #storageProblems(): Promise<HostProblem[]> {
    const classes = await this.#list<StorageClass>("/apis/storage.k8s.io/v1/storageclasses");
    if (classes === undefined) return [];
    const { storageClass } = this.lab.machine;
    const names = classes.map(({ metadata: { name } }) => name);
    const known = names.length === 0 ? "there is none" : `there are ${names.join(", ")}`;
    if (storageClass !== undefined) {
      return unless(names.includes(storageClass), {
        subject: `The storage class ${storageClass}`,
        why: `${notThere} (${known})`,
        instead: "Write another machine.storageClass.",
      });
    }
    const hasDefault = classes.some(({ metadata: { annotations = {} } }) =>
      defaultMarks.some((mark) => annotations[mark] === "true"),
    );
    return unless(hasDefault, {
      subject: "The cluster for the machines",
      why: `has no default storage class (${known})`,
      instead: "Write one as machine.storageClass.",
    });
  }

  async #uploadProblems(): Promise<HostProblem[]> {
    const { image } = this.lab.machine;
    if (image.kind !== "upload") return [];
    const isReadable = await access(image.path, constants.R_OK).then(
      () => true,
      () => false,
    );
    const config = await this.#get<ImporterConfig>(importerConfigPath);
    const hasProxy =
      image.proxy !== undefined ||
      typeof config !== "object" ||
      config.status?.uploadProxyURL !== undefined;
    return [
      ...unless(isReadable, {
        subject: image.path,
        why: "cannot be read",
        instead: "Write the path of a disk on this host as machine.image.path.",
      }),
      ...unless(hasProxy, {
        subject: "CDI",
        why: "has no address of its upload proxy in its configuration",
        instead: "Write one as machine.image.proxy (docs/kubevirt.md).",
      }),
    ];
  }

  /**
   * Objects with names of the lab that do not belong to it. Otherwise they would be taken over, and removed with the
   * lab.
   */
  async #foreignProblems(): Promise<HostProblem[]> {
    const { namespace, nodes } = this.lab.machine;
    const machines = nodes.map(({ name }) => machineName(this.lab, name));
    const image = goldenImage(this.lab)?.metadata.name;
    const volumes = image === undefined ? machines : [...machines, image];
    const foreign = async (
      kind: "machines" | "volumes",
      title: string,
      own: readonly string[],
    ): Promise<HostProblem[]> => {
      const found = (await this.#list<Seen>(listPath(kind, namespace))) ?? [];
      return describe(
        title,
        found.filter(({ metadata: { name } }) => own.includes(name)),
      );
    };
    // Before the stack has its id, nothing is its own.
    const describe = (title: string, found: readonly Seen[]): HostProblem[] =>
      found
        .filter(
          ({ metadata: { labels = {} } }) =>
            this.lab.id === undefined ||
            Object.entries(labLabels(this.lab)).some(([key, value]) => labels[key] !== value),
        )
        .map(({ metadata: { name } }) => ({
          subject: `The ${title} ${namespace}/${name}`,
          why: "exists and does not belong to this stack, which neither takes it over nor removes it",
          instead: "Remove it, or give the node or the stack another name.",
        }));
    const secrets = await Promise.all(
      nodes.map(({ name }) =>
        this.#get<Seen>(
          `/api/v1/namespaces/${namespace}/secrets/${identityMetadata(this.lab, name).name}`,
        ),
      ),
    );
    return [
      ...describe(
        "Secret",
        secrets.filter((each) => typeof each === "object"),
      ),
      ...(await foreign("machines", "VirtualMachine", machines)),
      ...(await foreign("volumes", "DataVolume", volumes)),
    ];
  }

  /** Whether the namespace's quotas leave room for the machines that do not exist yet. */
  async #quotaProblems(): Promise<HostProblem[]> {
    const { namespace, nodes, diskGiB, instanceType } = this.lab.machine;
    const { memoryMiB = usualSize.memoryMiB } = this.lab.machine;
    const [quotas, there] = await Promise.all([
      this.#list<Quota>(`/api/v1/namespaces/${namespace}/resourcequotas`),
      this.#list<Seen>(listPath("machines", namespace)),
    ]);
    if (quotas === undefined || there === undefined) return [];
    const known = new Set(there.map(({ metadata: { name } }) => name));
    const count = nodes.filter(({ name }) => !known.has(machineName(this.lab, name))).length;
    const made = count === 1 ? "the new machine needs" : `the ${count} new machines need`;
    const memory = instanceType === undefined ? count * memoryMiB * 2 ** 20 : 0;
    const needed: Readonly<Record<string, number>> = {
      "requests.storage": count * diskGiB * 2 ** 30,
      "requests.memory": memory,
      memory,
      "limits.memory": memory,
    };
    return quotas.flatMap(({ metadata, status: { hard = {}, used = {} } = {} }) =>
      Object.entries(needed).flatMap(([resource, bytes]) => {
        const left = quantity(hard[resource]) - quantity(used[resource]);
        return unless(hard[resource] === undefined || bytes <= left, {
          subject: `The ResourceQuota ${namespace}/${metadata.name}`,
          why: `leaves ${gib(left)} GiB of ${resource}, but ${made} ${gib(bytes)}`,
          instead: "Have it raised, or use fewer or smaller machines.",
        });
      }),
    );
  }

  async #rightProblems(): Promise<HostProblem[]> {
    const asked = await Promise.all(
      neededRights(this.lab).map(async (right) =>
        (await isAllowed(this.api, right)) ? [] : [rightText(right)],
      ),
    );
    const missing = asked.flat();
    return unless(missing.length === 0, {
      subject: "The kubeconfig's user in the cluster for the machines",
      why: `may not: ${missing.join(", ")}`,
      instead: `Have an administrator allow that in the namespace ${this.lab.machine.namespace} (docs/kubevirt.md has a Role).`,
    });
  }
}

/** @param version undefined if unknown, which is accepted. */
function released(
  what: keyof typeof oldest,
  isThere: boolean,
  version: string | undefined,
): HostProblem[] {
  if (!isThere) return [{ subject: what, why: notThere, instead: install[what] }];
  const number = semver.coerce(version) ?? oldest[what];
  return unless(semver.gte(number, oldest[what]), {
    subject: what,
    why: `is ${String(number)} there, which is too old`,
    instead: `Use ${oldest[what]} or newer.`,
  });
}

/** The client library knows all units, but does not accept fractions before most of them. */
function quantity(text = "0"): number {
  const unit = findSuffix(text);
  return Number(text.slice(0, text.length - unit.length)) * Number(quantityToScalar(`1${unit}`));
}

function gib(bytes: number): number {
  return Math.round((bytes / 2 ** 30) * 10) / 10;
}

/** The rights that are needed to make, find, reach and remove the machines. */
function neededRights(lab: Lab): readonly Right[] {
  const { namespace, image, portForward } = lab.machine;
  const there = { namespace };
  const forward = { ...there, subresource: "portforward" };
  const seen = ["list", "watch"];
  const imageVerbs = goldenImage(lab) === undefined ? seen : [...managed, ...seen];
  const instances = "virtualmachineinstances";
  const uploads = "uploadtokenrequests";
  const elsewhere = "namespace" in image ? (image.namespace ?? namespace) : namespace;
  const ofDisk = { namespace: elsewhere, subresource: "source" };
  const clone = "to clone a disk of another namespace";
  return [
    ...rightsTo([...managed, ...seen], "kubevirt.io", "virtualmachines", "to make machines", there),
    ...rightsTo(seen, "kubevirt.io", instances, "to see whether they run", there),
    ...rightsTo(imageVerbs, "cdi.kubevirt.io", "datavolumes", "for their disks", there),
    ...rightsTo(managed, "", "secrets", "for their identity discs", there),
    ...(portForward
      ? rightsTo(["get"], "subresources.kubevirt.io", instances, "for SSH", forward)
      : []),
    ...(image.kind === "upload"
      ? rightsTo(["create"], "upload.cdi.kubevirt.io", uploads, "to upload the image", there)
      : []),
    ...(elsewhere === namespace
      ? []
      : rightsTo(["create"], "cdi.kubevirt.io", "datavolumes", clone, ofDisk)),
  ];
}
