import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../../host/failure.ts";
import { ClusterApi, hasStatus } from "../../../host/kubernetes/cluster-api.ts";
import { definitions } from "./definitions.ts";

/** The guest of an instance. */
export interface Guest {
  /** IPv4 address in the status of its instance. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Input of a guest's start. */
export interface GuestStart {
  readonly node: string;
  readonly mac: string;
  /** `user-data` of its identity disc. */
  readonly userData: string;
  /** Whether its disk is new. */
  readonly isNew: boolean;
}

interface Object {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly spec: MachineSpec;
  readonly status?: { readonly phase?: string; readonly nodeName?: string };
}

interface MachineSpec {
  readonly dataVolumeTemplates: readonly { readonly metadata: object; readonly spec: object }[];
  readonly template: {
    readonly metadata: object;
    readonly spec: {
      readonly domain: {
        readonly devices: { readonly interfaces: readonly { macAddress: string }[] };
      };
      readonly volumes: readonly {
        readonly cloudInitNoCloud?: { readonly secretRef: { readonly name: string } };
      }[];
    };
  };
}

const namespace = "windows";
const paths = {
  machines: `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`,
  instances: `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances`,
  volumes: `/apis/cdi.kubevirt.io/v1beta1/namespaces/${namespace}/datavolumes`,
} as const;
type Kind = keyof typeof paths;

const kindsOf = {
  machines: "VirtualMachine",
  instances: "VirtualMachineInstance",
  volumes: "DataVolume",
};

const noSpace = {
  type: "Running",
  status: "False",
  reason: "Error",
  message: "Unable to process data: write /data/disk.img: no space left on device",
};

/**
 * Does what KubeVirt and CDI do in a cluster: creates disks, starts a guest for each instance, updates their status,
 * and starts a lost instance again. Tests can make its storage full.
 */
export class KubeVirtStandIn {
  /** Nodes for whose disk the storage is full; `image` for the image. */
  readonly faults = new Set<string>();
  readonly #guests = new Map<string, Guest>();
  /** Machines that have started from their disk. */
  readonly #used = new Set<string>();
  readonly #ended = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  private constructor(
    readonly api: ClusterApi,
    private readonly start: (guest: GuestStart) => Promise<Guest>,
  ) {}

  /** Creates the definitions and other users' objects in a cluster, and starts. */
  static async begin(
    kubeconfig: string,
    start: (guest: GuestStart) => Promise<Guest>,
  ): Promise<KubeVirtStandIn> {
    const standIn = new KubeVirtStandIn(new ClusterApi(kubeconfig), start);
    const { api } = standIn;
    for (const definition of definitions) {
      await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    }
    await api.post("/api/v1/namespaces", { metadata: { name: namespace } });
    await api.post("/apis/storage.k8s.io/v1/storageclasses", {
      metadata: { name: "fast" },
      provisioner: "example.test/disks",
    });
    const lan = { apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition" };
    const networks = `/apis/k8s.cni.cncf.io/v1/namespaces/${namespace}/network-attachment-definitions`;
    // The API server serves definitions only a little later.
    for (let left = 100; ; left--) {
      try {
        await Promise.all(Object.values(paths).map((path) => api.get(path)));
        await api.post(networks, { ...lan, metadata: { name: "lan" }, spec: { config: "{}" } });
        break;
      } catch (error) {
        if (left === 0) throw error;
        await sleep(100);
      }
    }
    standIn.#loop = standIn.#run();
    return standIn;
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#loop;
    for (const guest of this.#guests.values()) await guest.stop();
  }

  list(kind: Kind): Promise<readonly Object[]> {
    return this.api.get<{ items: Object[] }>(paths[kind]).then(({ items }) => items);
  }

  /** Like the loss of its host. */
  async kill(machine: string): Promise<void> {
    await this.api.delete(`${paths.instances}/${machine}`);
  }

  /** Reports a live migration as KubeVirt does: the same instance on another host. */
  async move(machine: string): Promise<void> {
    await this.#say("instances", machine, { nodeName: "rack-4" });
  }

  /** Like a drain: migrates the instance, or restarts it elsewhere, as its strategy says. */
  async evict(machine: string): Promise<void> {
    const { spec } = await this.api.get<{ spec: { evictionStrategy: string } }>(
      `${paths.instances}/${machine}`,
    );
    if (spec.evictionStrategy === "None") {
      await this.#say("instances", machine, { phase: "Succeeded" });
    } else {
      await this.move(machine);
    }
  }

  async #run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      // Retries if the object has changed meanwhile or the API server is busy.
      await this.#reconcile().catch((error: unknown) => {
        const isPassing =
          [404, 409].some((status) => hasStatus(error, status)) ||
          /socket hang up|ECONNRESET|does not answer/.test(messageOf(error));
        if (!isPassing) throw error;
      });
      await sleep(100);
    }
  }

  async #reconcile(): Promise<void> {
    const [machines, instances, volumes] = await Promise.all([
      this.list("machines"),
      this.list("instances"),
      this.list("volumes"),
    ]);
    const owners = new Set(machines.map(({ metadata: { uid } }) => uid));
    for (const [kind, objects] of Object.entries({ instances, volumes })) {
      for (const { metadata } of objects) {
        const owner = metadata.ownerReferences?.[0]?.uid;
        if (owner !== undefined && !owners.has(owner)) {
          await this.api.delete(`${paths[kind as Kind]}/${metadata.name}`);
          if (kind === "volumes") this.#used.delete(metadata.name);
        }
      }
    }
    for (const [name, guest] of this.#guests) {
      if (!instances.some(({ metadata }) => metadata.name === name)) {
        this.#guests.delete(name);
        await guest.stop();
      }
    }
    for (const volume of volumes) await this.#import(volume);
    for (const machine of machines) {
      if (machine.metadata.deletionTimestamp !== undefined) continue;
      await this.#runMachine(machine, instances, volumes);
    }
  }

  async #import(volume: Object): Promise<void> {
    const { labels, name } = volume.metadata;
    if (volume.status?.phase === "Succeeded") return;
    if (this.faults.has(labels?.["kindows.dev/node"] ?? "image")) {
      return this.#say("volumes", name, { phase: "ImportInProgress", conditions: [noSpace] });
    }
    const isNew = volume.status?.phase === undefined;
    const [phase, progress] = isNew ? ["ImportInProgress", "43.20%"] : ["Succeeded", "100.0%"];
    await this.#say("volumes", name, { phase, progress });
  }

  async #runMachine(
    { metadata, spec }: Object,
    instances: readonly Object[],
    volumes: readonly Object[],
  ): Promise<void> {
    const { name, uid, labels } = metadata;
    const ownerReferences = [
      { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", name, uid, controller: true },
    ];
    const volume = volumes.find((each) => each.metadata.name === name);
    if (volume === undefined) {
      const [template] = spec.dataVolumeTemplates;
      await this.#make("volumes", { ...template?.metadata, ownerReferences }, template?.spec);
      await this.#say("machines", name, { printableStatus: "Provisioning" });
      return;
    }
    if (volume.status?.phase !== "Succeeded") return;
    const instance = instances.find((each) => each.metadata.name === name);
    if (instance === undefined) {
      const { metadata: own, spec: template } = spec.template;
      await this.#make("instances", { name, ...own, ownerReferences }, template);
      await this.#say("machines", name, { printableStatus: "Starting", conditions: [] });
      return;
    }
    if (instance.status?.phase === "Running") return;
    if (instance.status?.phase === "Succeeded") return this.kill(name);
    const guest = await this.#boot(labels?.["kindows.dev/node"] ?? "", name, spec);
    const shown = { name: "nodes", ipAddress: guest.address, ipAddresses: [guest.address] };
    await this.#say("instances", name, {
      phase: "Running",
      nodeName: "rack-3",
      conditions: [],
      interfaces: [shown],
    });
    await this.#say("machines", name, { printableStatus: "Running" });
  }

  async #boot(node: string, name: string, { template }: MachineSpec): Promise<Guest> {
    const secret = template.spec.volumes.find(({ cloudInitNoCloud }) => cloudInitNoCloud)
      ?.cloudInitNoCloud?.secretRef.name;
    const { data } = await this.api.get<{ data: { userdata: string } }>(
      `/api/v1/namespaces/${namespace}/secrets/${secret ?? ""}`,
    );
    const mac = template.spec.domain.devices.interfaces[0]?.macAddress ?? "";
    const userData = Buffer.from(data.userdata, "base64").toString();
    const guest = await this.start({ node, mac, userData, isNew: !this.#used.has(name) });
    this.#used.add(name);
    this.#guests.set(name, guest);
    return guest;
  }

  async #make(kind: Kind, metadata: object, spec: object | undefined): Promise<void> {
    const apiVersion = kind === "volumes" ? "cdi.kubevirt.io/v1beta1" : "kubevirt.io/v1";
    await this.api.post(paths[kind], { apiVersion, kind: kindsOf[kind], metadata, spec });
  }

  async #say(kind: Kind, name: string, status: object): Promise<void> {
    await this.api.request("PATCH", `${paths[kind]}/${name}/status`, {
      body: { status },
      contentType: "application/merge-patch+json",
    });
  }
}
