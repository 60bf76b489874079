import type { HostResource } from "../../components/host-resource.ts";

interface LabOnHost {
  readonly lab: string;
  readonly things: readonly HostResource[];
}

interface ForeignLab {
  readonly lab: string;
  readonly things: readonly (HostResource & { readonly byHand: string })[];
}

export interface Orphans {
  /** Those of the chosen stack's lab that are not in its state. */
  readonly own: readonly HostResource[];
  /** What neither this project nor another existing clone knows, with the commands that remove it. */
  readonly unknown: readonly ForeignLab[];
  readonly elsewhere: readonly (LabOnHost & { readonly project: string })[];
}

/** What is known of a project's labs. */
export interface OwnLabs {
  readonly own: string;
  /** Labs that a run is working on: what is not in their state yet is not orphaned. */
  readonly busy: ReadonlySet<string>;
  /** Identities of what is in the state of any of this project's stacks. */
  readonly owned: ReadonlySet<string>;
  /** What has the own lab's name and cannot be shown to be this stack's. */
  readonly foreign: ReadonlySet<HostResource>;
}

interface KnownLabs extends OwnLabs {
  readonly byHand: (thing: HostResource) => string;
  /** Labs that other clones run, with the clones' folders. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

/** Those that no state owns. */
function looseAmong(
  things: readonly HostResource[],
  { busy, owned }: OwnLabs,
): readonly HostResource[] {
  return things.filter(
    ({ lab, identity }) => !busy.has(lab) && (identity === undefined || !owned.has(identity)),
  );
}

/** Those of the own lab that no state owns, and that may be removed. */
export function ownOrphans(
  things: readonly HostResource[],
  known: OwnLabs,
): readonly HostResource[] {
  return looseAmong(things, known).filter(
    (thing) => thing.lab === known.own && thing.isOurs !== false && !known.foreign.has(thing),
  );
}

/** All that no state owns, by whose it is. */
export function sortOrphans(things: readonly HostResource[], known: KnownLabs): Orphans {
  const own = ownOrphans(things, known);
  const others = looseAmong(things, known).filter((thing) => !own.includes(thing));
  const labs = [...new Set(others.map((thing) => thing.lab))].sort().map((lab) => ({
    lab,
    things: others.filter((thing) => thing.lab === lab),
    project: known.elsewhere.get(lab),
  }));
  return {
    own,
    unknown: labs.flatMap(({ lab, things, project }) =>
      project === undefined
        ? [{ lab, things: things.map((each) => ({ ...each, byHand: known.byHand(each) })) }]
        : [],
    ),
    elsewhere: labs.flatMap(({ project, ...each }) => (project ? [{ ...each, project }] : [])),
  };
}
