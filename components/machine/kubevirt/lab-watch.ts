import { messageOf } from "../../../host/failure.ts";
import { ApiError, hasStatus, type ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { importerApi, kubevirtApi, labSelector, type Lab } from "./objects.ts";

export interface Seen {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly phase?: string;
    readonly printableStatus?: string;
    /** Progress of an import, e.g. `43.2%`. */
    readonly progress?: string;
    readonly nodeName?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly interfaces?: readonly {
      readonly name?: string;
      readonly mac?: string;
      readonly ipAddress?: string;
      readonly ipAddresses?: readonly string[];
    }[];
  };
}

/** API and resource name of the watched objects. */
const resources = {
  machines: [kubevirtApi, "virtualmachines"],
  instances: [kubevirtApi, "virtualmachineinstances"],
  volumes: [importerApi, "datavolumes"],
} as const;

type Kind = keyof typeof resources;

const kinds = Object.keys(resources) as readonly Kind[];

/** A lab's objects, by kind and name. */
export type LabObjects = Readonly<Record<Kind, ReadonlyMap<string, Seen>>>;

export function listPath(kind: Kind, namespace: string): string {
  const [api, resource] = resources[kind];
  return `/apis/${api}/namespaces/${namespace}/${resource}`;
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Seen[];
}

interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  /** A `Status` if the type is ERROR. */
  readonly object: Seen & { readonly code?: number; readonly message?: string };
}

interface Wait {
  /** What is waited for, as in "waited 60 s for <what>". */
  readonly what: string;
  readonly seconds: number;
  readonly onChange: (state: string) => void;
}

/** Time for which watches are kept open after a wait, as the next wait often follows at once. */
const idleMilliseconds = 1000;

/**
 * The current state of a lab's machines, their instances and disks in the cluster. They are listed once, and watched
 * while `until` waits. This takes three requests for any number of machines.
 */
export class LabWatch {
  readonly objects = {
    machines: new Map<string, Seen>(),
    instances: new Map<string, Seen>(),
    volumes: new Map<string, Seen>(),
  } satisfies LabObjects;
  readonly #versions = new Map<Kind, string>();
  readonly #changed = new Set<() => void>();
  #following: AbortController | undefined;
  #lost: string | undefined;

  private constructor(
    private readonly api: ClusterApi,
    private readonly lab: Lab,
    private readonly againMilliseconds: number,
  ) {}

  /**
   * @param againMilliseconds pause before a retry after the connection was lost or a watch ended at once.
   * @throws if the cluster does not answer, or refuses this user.
   */
  static async open(api: ClusterApi, lab: Lab, againMilliseconds = 2000): Promise<LabWatch> {
    const watch = new LabWatch(api, lab, againMilliseconds);
    await Promise.all(kinds.map((kind) => watch.#list(kind)));
    return watch;
  }

  /**
   * Waits until `check` finds a result in the objects.
   *
   * @param check returns the result, or a description of the current state.
   * @throws after the time limit, with the last state and the cluster's last warnings about `names`.
   */
  async until<T>(
    { what, seconds, onChange }: Wait,
    names: readonly string[],
    check: (objects: LabObjects) => string | { readonly found: T },
  ): Promise<T> {
    let last = "";
    return new Promise<T>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#changed.delete(again);
        setTimeout(() => this.#stop(), idleMilliseconds);
      };
      const again = (): void => {
        const result = check(this.objects);
        if (typeof result === "string") {
          const state = this.#lost === undefined ? result : `${result}; ${this.#lost}`;
          if (state !== last) onChange(state);
          last = state;
        } else {
          end();
          resolve(result.found);
        }
      };
      const timer = setTimeout(() => {
        end();
        void this.#warnings(names).then((warnings) => {
          const seen = [last, ...warnings].join("; ");
          reject(new Error(`waited ${seconds} s for ${what}; last seen: ${seen}`));
        });
      }, seconds * 1000);
      this.#changed.add(again);
      again();
      if (this.#changed.size > 0) this.#follow();
    });
  }

  #follow(): void {
    if (this.#following !== undefined) return;
    this.#following = new AbortController();
    const { signal } = this.#following;
    for (const kind of kinds) void this.#followKind(kind, signal);
  }

  #stop(): void {
    if (this.#changed.size > 0) return;
    this.#following?.abort();
    this.#following = undefined;
  }

  async #followKind(kind: Kind, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = Date.now();
      try {
        await this.#watch(kind, signal);
        if (Date.now() - began < this.againMilliseconds) await sleep(this.againMilliseconds);
      } catch (error) {
        if (signal.aborted) return;
        // 410: the resource version is too old, so the objects are listed again without a pause.
        if (!hasStatus(error, 410)) {
          this.#lost = `the cluster does not answer: ${messageOf(error)}`;
          this.#notify();
          await sleep(this.againMilliseconds);
        }
        await this.#list(kind).catch(() => undefined);
      }
      this.#notify();
    }
  }

  async #watch(kind: Kind, signal: AbortSignal): Promise<void> {
    const resourceVersion = this.#versions.get(kind) ?? "";
    const query = { ...labSelector(this.lab), resourceVersion, allowWatchBookmarks: "true" };
    const objects = this.objects[kind];
    const refused: ApiError[] = [];
    await this.api.watch<WatchEvent>(
      listPath(kind, this.lab.machine.namespace),
      { query, signal },
      ({ type, object }) => {
        if (type === "ERROR") {
          refused.push(new ApiError(object.code ?? 0, object.message ?? "it ended the watch"));
          return;
        }
        this.#versions.set(kind, object.metadata.resourceVersion);
        if (type === "DELETED") objects.delete(object.metadata.name);
        else if (type !== "BOOKMARK") objects.set(object.metadata.name, object);
        this.#notify();
      },
    );
    const [error] = refused;
    if (error !== undefined) throw error;
  }

  async #list(kind: Kind): Promise<void> {
    const path = listPath(kind, this.lab.machine.namespace);
    const query = labSelector(this.lab);
    const { metadata, items } = await this.api.request<List>("GET", path, { query });
    this.#lost = undefined;
    this.#versions.set(kind, metadata.resourceVersion);
    const objects = this.objects[kind];
    objects.clear();
    for (const item of items) objects.set(item.metadata.name, item);
  }

  #notify(): void {
    for (const changed of [...this.#changed]) changed();
  }

  /** The cluster's last warning events about objects; none if this user may not list them. */
  async #warnings(names: readonly string[]): Promise<string[]> {
    const path = `/api/v1/namespaces/${this.lab.machine.namespace}/events`;
    const query = { fieldSelector: "type=Warning" };
    const events = await this.api
      .request<{ items: readonly Warning[] }>("GET", path, { query })
      .catch(() => ({ items: [] }));
    const texts = events.items
      .filter(({ involvedObject: { name } }) =>
        // Names of pods and claims have suffixes.
        names.some((each) => name === each || name.includes(`${each}-`)),
      )
      .map(({ involvedObject: { kind, name }, message }) => `${kind} ${name}: ${message}`);
    return [...new Set(texts)].slice(-3);
  }
}

interface Warning {
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly message: string;
}
