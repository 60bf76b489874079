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

/** Something on this host that carries the name of a kindows lab. */
export interface HostResource {
  /** What it is, as shown to people, e.g. `libvirt domain`. */
  readonly kind: string;
  /** Its name, as its own tool shows it. */
  readonly name: string;
  /** Prefix of the lab it belongs to, e.g. `kindows-rehearsal`. */
  readonly lab: string;
  /**
   * Its kind and its id, for comparison with what the stack's state owns: one that somebody recreated under the same name
   * differs. Undefined if no resource of the state can own it.
   */
  readonly identity: string | undefined;
  /** Whether it runs, in its tool's own word. */
  readonly state?: string;
  /** What its removal needs beyond the name. */
  readonly place?: string;
  /** Name of its hypervisor. Default: this host's. */
  readonly hypervisor?: string;
}

/** What a resource of the state owns on the host. */
export interface Owned {
  /** As `HostResource.identity` has it. */
  readonly identity: string;
  /** Whether the resource is gone if this is; others depend on an essential one. */
  readonly essential: boolean;
}

/** A kind of host resource: how it is listed, owned, started and removed. */
export interface ResourceKind<T extends HostResource = HostResource> {
  readonly kind: string;
  /** All of this kind that certainly belong to a kindows lab. */
  find(host: Host): Promise<readonly T[]>;
  /** Removes one that `find` returned; succeeds if it is already gone. */
  remove(resource: T, host: Host): Promise<void>;
  /**
   * What a resource of the state owns of this kind, by the resource's type. libvirt's and Docker's ids are those that `find`
   * returns.
   */
  readonly owned?: Readonly<
    Record<string, (resource: KnownResource, component: string | undefined) => readonly Owned[]>
  >;
  /** Ways in which those of a lab can be stopped, in the order of repair. */
  readonly stops?: readonly Stop[];
}

/** One that is stopped. */
export interface Stopped {
  readonly name: string;
  /** What was observed, beyond that it does not run. */
  readonly seen?: string;
  /** What a person has to do before it can be started; if set, it is not started automatically. */
  readonly first?: string;
}

/** A way in which something of a lab can be stopped, and how to start it. */
export interface Stop {
  readonly kind: string;
  /** The verb for starting it, and its past participle. Default: `start`, `started`. */
  readonly verb?: readonly [infinitive: string, past: string];
  /** Whether removing the lab needs it running. */
  readonly neededToRemove?: boolean;
  find(host: Host, lab: string): Promise<readonly Stopped[]>;
  start(host: Host, name: string, lab: string): Promise<void>;
}

/** Those of a kind in a given state, which one command starts. */
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

/** Whether the name is that of a lab as a whole: networks, pools, clusters and contexts have it. */
export function isLabPrefix(name: string): boolean {
  return /^kindows-[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name);
}

/** The running ones of a lab. */
export function runningOf<T extends HostResource>(found: readonly T[], lab: string): readonly T[] {
  return found.filter((each) => each.lab === lab && each.state === "running");
}
