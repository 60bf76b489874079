import type { Difference } from "../../../cli/preview-diff/difference.ts";

/** Several resources under one name, as a table for people calls them. */
export interface Group {
  readonly title: string;
  readonly names: readonly string[];
}

/** What a change plans for which resources: `<last word of the type> <name>`, or groups of them. */
export type Planned = Readonly<
  Partial<Record<"created" | "replaced" | "changed" | "deleted", readonly (string | Group)[]>>
>;

/** A change of one setting, or of what a stack is made of, and what it plans. */
export interface SettingChange {
  readonly name: string;
  /** The settings that are written, by section: those that are left out stay. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What else changes, where it is no setting. */
  readonly host?: "new image" | { readonly editedStep: string };
  readonly plans: Planned;
  /** What it changes besides in place on a lab that is up, where a state tells what was not known before. */
  readonly alsoWhenUp?: readonly string[];
}

/** Name of a resource as in these tables. */
export function named({ type, name }: { readonly type: string; readonly name: string }): string {
  return `${type.slice(type.lastIndexOf(":") + 1)} ${name}`;
}

/** What a difference plans, as in these tables; in the order of the names, for that of the resources is reported elsewhere. */
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
