import { StackFacts } from "../engine/facts.ts";
import { type Previewed, type PreviewedResource, sourcesOf } from "../preview-diff/previewed.ts";

/** Resources of one component that wait for the same groups. */
export interface Group {
  /** Unique: the component, its machine, and the number of the part: `WindowsNode win-1 (2)`. */
  readonly title: string;
  readonly machine?: string;
  readonly resources: readonly PreviewedResource[];
  /** Titles of the groups that this one directly waits for, without those that follow from the others. */
  readonly after: readonly string[];
}

interface Part {
  readonly base: string;
  readonly title: string;
  readonly machine: string | undefined;
  readonly resources: PreviewedResource[];
  /** Groups with resources that this one's depend on. */
  readonly after: Set<Part>;
}

/**
 * Groups a stack's resources by component, and orders the groups. Resources of a component that wait for different
 * groups form groups of their own: a machine is prepared while the cluster starts, and only its join waits for both.
 * Components that wait for no other (networks, keys, storage) do not split groups, because they are soon there.
 *
 * The groups have no cycles: all resources of a group wait for the same groups, which existed before it.
 *
 * Providers outside of components are in no group.
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

/** Whether a group waits for another one, directly or through others. */
function waitsFor(group: Part, other: Part): boolean {
  return [...group.after].some((each) => each === other || waitsFor(each, other));
}
