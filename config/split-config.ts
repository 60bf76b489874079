import type { SettingsProblem } from "./problem.ts";
import { settingsSchema } from "./settings.ts";

/** Namespace of this program's settings: the project's name. */
export const namespace = "kindows";

/** Namespaces of the engine's own. */
const ofTheEngine = ["pulumi"];

/** A stack's configuration, seen by this program. */
export interface SplitConfig {
  /** The settings below the namespace, section by section. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** What stands there and is never read. */
  readonly strays: readonly SettingsProblem[];
}

/** Parts a configuration; a key without a namespace has the project's, as for the engine. */
export function splitConfig(config: Readonly<Record<string, unknown>>): SplitConfig {
  const entries = Object.entries(config).map(([key, value]) => ({ ...parted(key), value }));
  const sections = entries.filter((entry) => entry.space === namespace);
  return {
    sections: Object.fromEntries(sections.map(({ name, value }) => [name, value])),
    strays: entries
      .filter(({ space }) => space !== namespace && !ofTheEngine.includes(space))
      .map(({ space, name, value }) => stray(space, name, value)),
  };
}

function parted(key: string): { readonly space: string; readonly name: string } {
  const colon = key.indexOf(":");
  return colon < 0
    ? { space: namespace, name: key }
    : { space: key.slice(0, colon), name: key.slice(colon + 1) };
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
