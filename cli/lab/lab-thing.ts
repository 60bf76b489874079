import type { Host } from "./host.ts";

/** Something on this host that carries the name of a kindows lab. */
export interface LabThing {
  /** What it is, as shown to people, e.g. `libvirt domain`. */
  readonly kind: string;
  /** Its name, as its own tool shows it. */
  readonly name: string;
  /** Prefix of the lab it belongs to, e.g. `kindows-rehearsal`. */
  readonly lab: string;
  /**
   * Who it is, its kind and its id: compared with what is in the stack's state, so that a thing somebody made anew under the same name is
   * told apart. Nothing when no resource can own it.
   */
  readonly identity: string | undefined;
  /** What removing it needs to know beyond its name. */
  readonly place?: string;
  /** Name of the hypervisor it is on; that of this host where there is none. */
  readonly hypervisor?: string;
}

/** Finds one kind of things, and removes them. */
export interface Finder {
  readonly kind: string;
  /** All things of this kind that belong to any kindows lab; never one that only looks like it. */
  find(host: Host): Promise<readonly LabThing[]>;
  /** Removes one that `find` returned; fine when it is gone already. */
  remove(thing: LabThing, host: Host): Promise<void>;
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
