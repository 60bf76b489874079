import type { Difference } from "../../../cli/preview-diff/difference.ts";

/** Several resources under one name, for readers of a table. */
export interface Group {
  readonly title: string;
  readonly names: readonly string[];
}

/** What a change plans for which resources: `<last word of the type> <name>`, or groups of them. */
export type Planned = Readonly<
  Partial<Record<"created" | "replaced" | "changed" | "deleted", readonly (string | Group)[]>>
>;

/** A change of one setting or one input of a stack, and the operations it plans. */
export interface SettingChange {
  readonly name: string;
  /** Changed settings, by section. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Other changed inputs. */
  readonly host?: "new image" | { readonly editedStep: string };
  readonly plans: Planned;
  /** Further updates in place on a running lab, whose state has values that a fresh preview does not know. */
  readonly alsoWhenUp?: readonly string[];
}

/** Name of a resource as in these tables. */
export function named({ type, name }: { readonly type: string; readonly name: string }): string {
  return `${type.slice(type.lastIndexOf(":") + 1)} ${name}`;
}

/** A difference in the form of these tables, sorted by name. */
export function plannedBy({ created, changed, deleted }: Difference): Required<Planned> {
  const of = (wanted: boolean): readonly string[] =>
    changed
      .filter(({ replaced }) => replaced === wanted)
      .map(({ resource }) => named(resource))
      .sort();
  return {
    created: created.map(named).sort(),
    replaced: of(true),
    changed: of(false),
    deleted: deleted.map(named).sort(),
  };
}

/** The same for what a table says. */
export function plannedIn(planned: Planned): Required<Planned> {
  const names = (what: keyof Planned): readonly string[] =>
    (planned[what] ?? [])
      .flatMap((each) => (typeof each === "string" ? [each] : each.names))
      .sort();
  return {
    created: names("created"),
    replaced: names("replaced"),
    changed: names("changed"),
    deleted: names("deleted"),
  };
}
