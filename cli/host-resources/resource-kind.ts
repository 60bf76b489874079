import type { StateResource } from "../engine/deployment.ts";
import type { Host } from "../lab/host.ts";

/** Something on this host that carries the name of a kindows lab. */
export interface HostResource {
  /** What it is, as shown to people, e.g. `libvirt domain`. */
  readonly kind: string;
  /** Its name, as its own tool shows it. */
  readonly name: string;
  /** Prefix of the lab it belongs to, e.g. `kindows-rehearsal`. */
  readonly lab: string;
  /**
   * Its kind and its id: compared with what the stack's state owns, so that one that somebody recreated under the same
   * name is told apart. Nothing when no resource of the state can own it.
   */
  readonly identity: string | undefined;
  /** Whether it runs, in its tool's own word. */
  readonly state?: string;
  /** What removing it needs to know beyond its name. */
  readonly place?: string;
  /** Name of the hypervisor it is on; that of this host where there is none. */
  readonly hypervisor?: string;
}

/** What a resource of the state owns on the host. */
export interface Owned {
  /** As `HostResource.identity` has it. */
  readonly identity: string;
  /** Whether the resource is gone when this is; others come and go with what is essential. */
  readonly essential: boolean;
}

/** One kind of what labs leave on a host: how it is found, owned, started and removed. */
export interface ResourceKind<T extends HostResource = HostResource> {
  readonly kind: string;
  /** All of this kind that belong to any kindows lab; never one that only looks like it. */
  find(host: Host): Promise<readonly T[]>;
  /** Removes one that `find` returned; fine when it is gone already. */
  remove(resource: T, host: Host): Promise<void>;
  /**
   * What of this kind a resource of the state owns, by the resource's type. libvirt's and Docker's ids are those that
   * `find` sees.
   */
  readonly owned?: Readonly<
    Record<string, (resource: StateResource, component: string | undefined) => readonly Owned[]>
  >;
  /** Ways in which those of a lab stand still, in the order they are put right. */
  readonly stops?: readonly Stop[];
}

/** One that stands still. */
export interface Stopped {
  readonly name: string;
  /** What was seen, beyond that it does not run. */
  readonly seen?: string;
  /** What a person has to do before it can be started; where this is said, nothing tries to. */
  readonly first?: string;
}

/** A way in which something of a lab stands still, and what it takes to get it going. */
export interface Stop {
  readonly kind: string;
  /** What is done about it, in the infinitive, and that it was done. Default: `start`, `started`. */
  readonly verb?: readonly [infinitive: string, past: string];
  /** Removing the lab needs it running. */
  readonly neededToRemove?: boolean;
  find(host: Host, lab: string): Promise<readonly Stopped[]>;
  start(host: Host, name: string, lab: string): Promise<void>;
}

/** Those of a kind that are in some state, which one command gets going. */
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

/** Lab of a libvirt pool: `kindows-a`, and `kindows-a.b` for its pool on the hypervisor b, are of the lab `kindows-a`. */
export function labOfPool(name: string): string | undefined {
  const lab = name.replace(/\.[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "");
  return isLabPrefix(lab) ? lab : undefined;
}

/** Those of a lab that run. */
export function runningOf<T extends HostResource>(found: readonly T[], lab: string): readonly T[] {
  return found.filter((each) => each.lab === lab && each.state === "running");
}
