import { distance } from "fastest-levenshtein";
import { SettingsError, type SettingsProblem } from "./problem.ts";
import { settingsSchema } from "./settings.ts";

export const namespace = "kindows";

/** What a stack is: a lab that is made on this host, or machines and a cluster that are there already. */
export const stackKinds = ["lab", "existing"] as const;

export type StackKind = (typeof stackKinds)[number];

export interface StackSections {
  readonly kind: StackKind;
  /** The settings below the namespace, section by section; without the one that says the kind. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** Mistakes outside of the sections. */
  readonly others: readonly SettingsProblem[];
}

/**
 * A key without a namespace has the project's, as for the engine.
 *
 * @param outside mistakes outside of the configuration.
 * @throws SettingsError when it is no kind that there is.
 */
export function stackSections(
  config: Readonly<Record<string, unknown>>,
  file: string,
  outside: readonly SettingsProblem[] = [],
): StackSections {
  const entries = Object.entries(config).map(([key, value]) => ({ ...parted(key), value }));
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
  const others = [...outside, ...strays];
  const isEmpty = others.length === 0 && Object.keys(sections).length === 0;
  return { kind, sections, others: isEmpty && kind === "lab" ? [nothingWritten] : others };
}

/** Everything has a default, but a lab without any setting is a mistake. */
const nothingWritten: SettingsProblem = {
  path: ["nodes"],
  why: "is missing, and so is every other setting",
  instead:
    "Write at least `kindows:nodes:` below `config:`, with `- name: win-1` indented below it; all settings are in docs/settings.md.",
};

function parted(key: string): { readonly space: string; readonly name: string } {
  const colon = key.indexOf(":");
  return colon < 0
    ? { space: namespace, name: key }
    : { space: key.slice(0, colon), name: key.slice(colon + 1) };
}

/** Whether the namespace is this one with a typo, or with something behind it: a provider's is never that close. */
function isMisspelt(space: string): boolean {
  const start = space.slice(0, namespace.length).toLowerCase();
  return space !== namespace && distance(start, namespace) <= 2;
}

function stray(space: string, name: string, value: unknown): SettingsProblem {
  return {
    path: [name],
    place: `${space}:${name}`,
    value,
    why: "is read by nothing",
    instead:
      name in settingsSchema.shape
        ? `Did you mean ${namespace}:${name}?`
        : `Leave it out. Every setting starts with ${namespace}:, and what providers need follows from those.`,
  };
}
