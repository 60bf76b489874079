import { distance } from "fastest-levenshtein";
import { SettingsError, type SettingsProblem } from "./problem.ts";
import { settingsSchema } from "./settings.ts";

export const namespace = "kindows";

/** A stack is either a lab that is created on this host, or a cluster and machines that exist already. */
export const stackKinds = ["lab", "existing"] as const;

type StackKind = (typeof stackKinds)[number];

export interface StackSections {
  readonly kind: StackKind;
  /** The settings below the namespace by section, without the `stack` setting that gives the kind. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** Mistakes outside the sections. */
  readonly others: readonly SettingsProblem[];
}

/**
 * Splits a stack's configuration into its kind and its sections. As in the engine, a key without a namespace belongs to
 * the project's namespace.
 *
 * @param outside mistakes outside the configuration, to report as well.
 * @throws SettingsError if the kind of stack does not exist.
 */
export function stackSections(
  config: Readonly<Record<string, unknown>>,
  file: string,
  outside: readonly SettingsProblem[] = [],
): StackSections {
  const entries = Object.entries(config).map(([key, value]) => ({ ...splitKey(key), value }));
  const { stack: value, ...sections } = Object.fromEntries(
    entries.filter(({ space }) => space === namespace).map(({ name, value }) => [name, value]),
  );
  const kind = value === undefined ? "lab" : stackKinds.find((each) => each === value);
  if (kind === undefined) {
    const why = "is not one of the choices";
    const instead = `Write ${stackKinds.join(" or ")}.`;
    throw new SettingsError([{ path: ["stack"], value, why, instead }], file);
  }
  const strays = entries
    .filter(({ space }) => isMisspelt(space))
    .map(({ space, name, value }) => stray(space, name, value));
  const others = [...outside, ...strays, ...forbiddenKeys(sections)];
  const isEmpty = others.length === 0 && Object.keys(sections).length === 0;
  return { kind, sections, others: isEmpty && kind === "lab" ? [nothingWritten] : others };
}

/** The one key that JavaScript's objects do not keep as a key, so that it would be dropped without a word. */
const forbiddenKey = "__proto__";

function forbiddenKeys(value: unknown, path: readonly (string | number)[] = []): SettingsProblem[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === forbiddenKey
      ? [{ path: [...path, key], value: inner, why: "is no setting", instead: "Leave it out." }]
      : forbiddenKeys(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** Everything has a default, but a lab without any setting is a mistake. */
const nothingWritten: SettingsProblem = {
  path: ["nodes"],
  why: "is missing, and so is every other setting",
  instead:
    "Write at least `kindows:nodes:` below `config:`, with `- name: win-1` indented below it; all settings are in docs/settings.md.",
};

function splitKey(key: string): { readonly space: string; readonly name: string } {
  const colon = key.indexOf(":");
  return colon < 0
    ? { space: namespace, name: key }
    : { space: key.slice(0, colon), name: key.slice(colon + 1) };
}

/**
 * Whether the namespace is a misspelling of this one, or starts with one; the namespaces of providers are not that
 * similar.
 */
function isMisspelt(space: string): boolean {
  const start = space.slice(0, namespace.length).toLowerCase();
  return space !== namespace && distance(start, namespace) <= 2;
}

function stray(space: string, name: string, value: unknown): SettingsProblem {
  return {
    path: [name],
    location: `${space}:${name}`,
    value,
    why: "is not read by anything",
    instead:
      name in settingsSchema.shape
        ? `Did you mean ${namespace}:${name}?`
        : `Leave it out. Every setting starts with ${namespace}:, and providers are configured from these settings.`,
  };
}
