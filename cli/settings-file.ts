import { distance } from "fastest-levenshtein";
import { LineCounter, parseDocument } from "yaml";

import { messageOf } from "../host/failure.ts";
import { SettingsError } from "../config/problem.ts";
import type { SettingsProblem } from "../config/problem.ts";
import { resolveConfig } from "../config/resolve.ts";
import type { SettingsSource } from "../config/resolve.ts";
import type { Settings } from "../config/settings.ts";
import { settingsSchema } from "../config/settings.ts";
import { namespace } from "../config/stack-sections.ts";
import { yamlProblems } from "./yaml-problems.ts";

/** The part of a stack's file that this program reads. */
export interface SettingsFile {
  /** The content of `config:`, keys as written. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Mistakes around it. */
  readonly outside: readonly SettingsProblem[];
}

/**
 * All settings in a stack's file.
 *
 * @throws SettingsError with every mistake, around and in the settings.
 */
export function settingsIn({ config, outside }: SettingsFile, source: SettingsSource): Settings {
  return resolveConfig(config, source, outside);
}

/**
 * Parses a stack's file.
 *
 * @throws SettingsError if it is not YAML, or has no settings.
 */
export function readSettingsFile(text: string, file: string): SettingsFile {
  const lines = new LineCounter();
  // The engine takes merge keys (`<<: *base`) as well.
  const document = parseDocument(text, { merge: true, lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw new SettingsError(yamlProblems(document, text, lines), file);
  }
  const content: unknown = withinLimits(() => document.toJS() as unknown, file);
  if (content === null || content === undefined) {
    return { config: {}, outside: [] };
  }
  if (!isMapping(content)) {
    throw new SettingsError([notMapping("the whole file", content)], file);
  }
  const { config = null } = content;
  const outside = Object.entries(content).flatMap(([key, value]) => misplaced(key, value));
  if (config !== null && !isMapping(config)) {
    throw new SettingsError([...outside, notMapping("config", config)], file);
  }
  return { config: config ?? {}, outside };
}

/** Nested aliases can expand to gigabytes; the library refuses those. */
function withinLimits(read: () => unknown, file: string): unknown {
  try {
    return read();
  } catch (error) {
    const why = messageOf(error);
    throw new SettingsError(
      [
        {
          path: [],
          place: "the whole file",
          value: undefined,
          why: `can't be read: ${why.replace(/\.$/, "")}`,
          instead: "Write the settings out, without `*` and `<<`.",
        },
      ],
      file,
    );
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notMapping(place: string, value: unknown): SettingsProblem {
  return {
    path: [],
    place,
    value,
    why: "is not a group of settings",
    instead: `Write \`config:\`, below it \`${namespace}:network:\` and the others, and their settings indented below them.`,
  };
}

/** Settings where the engine reads none, and a misspelt `config`. */
function misplaced(key: string, value: unknown): SettingsProblem[] {
  const section = key.replace(`${namespace}:`, "");
  if (key.startsWith(`${namespace}:`) || section in settingsSchema.shape) {
    return [
      {
        path: [key],
        place: key,
        value,
        why: "stands beside `config:`, where nothing reads it",
        instead: `Write it as \`${namespace}:${section}:\` below \`config:\`, indented by two blanks.`,
      },
    ];
  }
  return key !== "config" && distance(key.toLowerCase(), "config") <= 2
    ? [
        {
          path: [key],
          place: key,
          value,
          why: "is no part of a stack's file",
          instead: "Did you mean config?",
        },
      ]
    : [];
}
