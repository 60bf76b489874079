import type { Host } from "../host/host.ts";

/** A resource of a stack's state. */
export interface KnownResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly parent?: string;
  readonly deletedWith?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** Something on a host that is named after a kindows lab. */
export interface HostResource {
  /** Kind of resource, as shown to users, e.g. `libvirt domain`. */
  readonly kind: string;
  /** Name, as the tool that manages it shows it. */
  readonly name: string;
  /** Name prefix of the lab that it belongs to, e.g. `kindows-rehearsal`. */
  readonly lab: string;
  /**
   * Kind and id, for comparison with what the stack's state owns. A resource that was recreated under the same name has
   * another identity. Undefined if no resource of the state can own it.
   */
  readonly identity: string | undefined;
  /** Random id of the lab that made it; empty if it carries none. Undefined for a kind that cannot carry one. */
  readonly mark?: string;
  /** Whether it is the current stack's, where that can be seen from it alone. What is not is never removed. */
  readonly isOurs?: boolean;
  /** Whether it runs, as its tool says it, e.g. `shut off`. */
  readonly state?: string;
  /** What `remove` needs to know besides the name, e.g. the pool of a volume. */
  readonly locator?: string;
  /** Name of the hypervisor that it is on. Default: this host. */
  readonly hypervisor?: string;
}

/** A host resource that a resource of the state owns. */
export interface Owned {
  /** The same as `HostResource.identity`. */
  readonly identity: string;
  /** Whether the resource of the state counts as gone if this host resource is gone. */
  readonly essential: boolean;
}

/** A kind of host resource: how it is listed, owned, started and removed. */
export interface ResourceKind<T extends HostResource = HostResource> {
  readonly kind: string;
  /** Lists those that certainly belong to a kindows lab. */
  find(host: Host): Promise<readonly T[]>;
  /** Removes a resource that `find` returned. Succeeds if it is already gone. */
  remove(resource: T, host: Host): Promise<void>;
  /** Command with which a person removes a resource that `find` returned. */
  byHand(resource: T, host: Host): string;
  /**
   * By the type of a resource of the state: the host resources of this kind that it owns. The ids of libvirt and Docker
   * in the state are the ones that `find` returns.
   */
  readonly owned?: Readonly<
    Record<string, (resource: KnownResource, component: string | undefined) => readonly Owned[]>
  >;
  /** Ways in which a lab's resources of this kind can be stopped, in the order of repair. */
  readonly stops?: readonly Stop[];
}

/** A host resource that is stopped. */
export interface Stopped {
  readonly name: string;
  /** What was observed, besides that it does not run. */
  readonly seen?: string;
  /** What the user has to do before it can be started. If set, it is not started automatically. */
  readonly first?: string;
}

/** A way in which resources of a lab can be stopped, and how to start them. */
export interface Stop {
  readonly kind: string;
  /** The verb for starting it, and its past participle. Default: `start`, `started`. */
  readonly verb?: readonly [infinitive: string, past: string];
  /** Whether it must run for the lab to be removed. */
  readonly neededToRemove?: boolean;
  find(host: Host, lab: string): Promise<readonly Stopped[]>;
  start(host: Host, name: string, lab: string): Promise<void>;
}

/** The resources of a kind that are in the given state, which `start` ends. */
export function stopIn(
  state: string,
  { kind, find }: Pick<ResourceKind, "kind" | "find">,
  start: Stop["start"],
): Stop {
  return {
    kind,
    find: async (host, lab) =>
      (await find(host))
        .filter((each) => each.lab === lab && each.state === state)
        .map(({ name }) => ({ name })),
    start,
  };
}

/** Whether the name is the prefix of a lab's names. Networks, pools, clusters and contexts have just that name. */
export function isLabPrefix(name: string): boolean {
  return /^kindows-[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name);
}

/** The lab's resources that run. */
export function runningOf<T extends HostResource>(found: readonly T[], lab: string): readonly T[] {
  return found.filter((each) => each.lab === lab && each.state === "running");
}
