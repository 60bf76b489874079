import type { Ownership } from "../lab/claim.ts";
import type { LabThing } from "../lab/lab-thing.ts";

/** A lab that something on this host belongs to. */
export interface LabOnHost {
  /** Prefix of its names. */
  readonly lab: string;
  readonly things: readonly LabThing[];
}

/** How things on this host relate to the labs that are known. */
export interface Leftovers {
  /** Belong to the chosen stack's lab, but not to its state. */
  readonly own: readonly LabThing[];
  /** Labs that neither this project nor another living clone knows of. */
  readonly unknown: readonly LabOnHost[];
  /** Labs that another clone runs, and the folder of that clone. */
  readonly elsewhere: readonly (LabOnHost & { readonly project: string })[];
}

/** What is known of labs when things are sorted. */
export interface KnownLabs {
  /** Lab of the chosen stack. */
  readonly own: string;
  /** Labs that a run works on right now: what of them is not in a state yet is not left over. */
  readonly busy: ReadonlySet<string>;
  /** Identities that the states of all this project's stacks own. */
  readonly owned: ReadonlySet<string>;
  /** Labs of this project's other stacks. */
  readonly siblings: ReadonlySet<string>;
  readonly ownershipOf: (lab: string) => Ownership;
}

/** Sorts what was found on a host into what is in order and what is left over. */
export function sortLeftovers(things: readonly LabThing[], known: KnownLabs): Leftovers {
  const loose = things.filter(
    (thing) =>
      !known.busy.has(thing.lab) &&
      (thing.identity === undefined || !known.owned.has(thing.identity)),
  );
  const own = loose.filter((thing) => thing.lab === known.own);
  const labs = [...new Set(loose.map((thing) => thing.lab))]
    .filter((lab) => lab !== known.own)
    .sort()
    .map((lab) => ({ lab, things: loose.filter((thing) => thing.lab === lab) }));
  const elsewhere = labs.flatMap((each) => {
    const ownership = known.ownershipOf(each.lab);
    return ownership.kind === "theirs" && !known.siblings.has(each.lab)
      ? [{ ...each, project: ownership.claim.project }]
      : [];
  });
  const unknown = labs.filter(({ lab }) => !elsewhere.some((each) => each.lab === lab));
  return { own, unknown, elsewhere };
}
