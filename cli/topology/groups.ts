import { StackFacts } from "../engine/facts.ts";
import { type Previewed, type PreviewedResource, sourcesOf } from "../preview-diff/previewed.ts";

/** Resources of one component that wait for the same. */
export interface Group {
  /** Unique: the component, the machine it is for, and which part of it: `WindowsNode win-1 (2)`. */
  readonly title: string;
  readonly machine?: string;
  readonly resources: readonly PreviewedResource[];
  /** Titles of the groups of which something is made before something of this one; none that follows from others. */
  readonly after: readonly string[];
}

interface Part {
  readonly base: string;
  readonly title: string;
  readonly machine: string | undefined;
  readonly resources: PreviewedResource[];
  /** Groups it comes directly after. */
  readonly after: Set<Part>;
}

/**
 * A stack's resources by components, and which waits for which. What of a component waits for less than the rest is a
 * group of its own: a machine is prepared while the cluster starts, and only its join waits for both. What everything
 * begins with (networks, keys, storage) does not count, for that is soon there.
 *
 * There is always an order: all of a group wait for the same groups, so these were there before it.
 *
 * Providers that are in no component are in no group.
 */
export function groupsOf({
  resources,
  components,
}: Pick<Previewed, "resources" | "components">): readonly Group[] {
  const facts = new StackFacts([...components, ...resources]);
  const named = resources.flatMap((resource) => {
    const component = componentOf(resource, facts);
    if (component === undefined) return [];
    const machine = facts.nodeOf(resource.urn);
    const title = machine === undefined ? component : `${component} ${machine}`;
    return [{ resource, machine, title }];
  });
  const titles = new Map(named.map(({ resource, title }) => [resource.urn, title]));
  const waiting = new Set(
    named.flatMap(({ resource, title }) =>
      beforeOf(resource).some((urn) => (titles.get(urn) ?? title) !== title) ? [title] : [],
    ),
  );
  const parts = new Map<string, Part>();
  const placed = new Map<string, { readonly part: Part; readonly waits: ReadonlySet<Part> }>();
  for (const { resource, machine, title } of named) {
    const before = beforeOf(resource).flatMap((urn) => placed.get(urn) ?? []);
    const waits = new Set(
      before.flatMap(({ part, waits: earlier }) => {
        if (part.base === title) return [...earlier];
        return waiting.has(part.base) ? [part] : [];
      }),
    );
    const key = [title, ...[...waits].map((part) => part.title).sort()].join("\n");
    const others = [...parts.values()].filter(({ base }) => base === title).length;
    const part: Part = parts.get(key) ?? {
      base: title,
      title: others === 0 ? title : `${title} (${others + 1})`,
      machine,
      resources: [],
      after: new Set(),
    };
    parts.set(key, part);
    part.resources.push(resource);
    placed.set(resource.urn, { part, waits });
    for (const { part: each } of before) if (each !== part) part.after.add(each);
  }
  return [...parts.values()].map(({ title, machine, resources: made, after }) => ({
    title,
    ...(machine !== undefined && { machine }),
    resources: made,
    after: [...after]
      .filter((each) => ![...after].some((other) => waitsFor(other, each)))
      .map((each) => each.title)
      .sort(),
  }));
}

function componentOf({ urn }: PreviewedResource, facts: StackFacts): string | undefined {
  const within = facts.chain(urn).filter(({ type }) => type !== "pulumi:pulumi:Stack");
  return within.length > 1 ? within.at(-1)?.type.split(":").at(-1) : undefined;
}

function beforeOf(resource: PreviewedResource): readonly string[] {
  return [...new Set(sourcesOf(resource))];
}

/** Whether a group comes after another one, by way of others too; not after itself. */
function waitsFor(group: Part, other: Part): boolean {
  return [...group.after].some((each) => each === other || waitsFor(each, other));
}
