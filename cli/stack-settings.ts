import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { closest, distance } from "fastest-levenshtein";
import * as z from "zod";
import type { ExistingSettings } from "../config/existing.ts";
import { hypervisor as hypervisorSection } from "../components/machine/libvirt/settings.ts";
import { lab as labSection } from "../config/sections/lab.ts";
import { labNames } from "../config/names.ts";
import { type SettingsProblem, SettingsError } from "../config/problem.ts";
import { type Settings, settingsSchema } from "../config/settings.ts";
import { stackSections, type StackSections, namespace } from "../config/stack-sections.ts";
import { projectRoot } from "../toolchain/project.ts";
import { settingsFile, stackOf } from "./engine/folders.ts";
import { Failure, messageOf } from "../host/failure.ts";
import { LineCounter, parseDocument, isCollection, isScalar, visit, type Document } from "yaml";
import { networkIn, onThisHost, ownFilesIn, resolveOnHost } from "../config/resolve.ts";

/** All settings of a stack, from its file. @throws SettingsError with every mistake, as the Pulumi program does. */
export async function stackSettings(stack: string): Promise<Settings> {
  const { kind, sections, others } = await sectionsOf(stack);
  if (kind !== "lab") throw noLab(stack);
  // Only the program needs the keys of machines that are there.
  const { login, nodes } = sections;
  const readable = {
    ...sections,
    ...("login" in sections && { login: withoutSealed(login) }),
    ...("nodes" in sections && { nodes: withoutSealed(nodes) }),
  };
  return resolveOnHost(readable, { stack, file: fileName(stack) }, others);
}

/** All settings of a stack of existing machines, except for encrypted ones. Undefined for a lab. */
export async function existingSettings(stack: string): Promise<ExistingSettings | undefined> {
  const { kind, sections, others } = await sectionsOf(stack);
  if (kind === "lab") return undefined;
  // Loaded only here, because labs do not need it.
  const { resolveExisting } = await import("../config/existing.ts");
  const readable = withoutSealed(sections) as Record<string, unknown>;
  const own = await ownFilesIn(readable);
  const given = await onThisHost.given(readable);
  return resolveExisting(readable, { file: fileName(stack), own, given }, others);
}

/** Error of a command that works only on a lab of this host, for a stack of existing machines. */
export function noLab(stack: string): Failure {
  return new Failure(
    `${fileName(stack)} describes no lab on this host, but joins existing machines to an existing cluster: ` +
      `use plain pulumi for it, after eval "$(./kindows env --stack ${stack})" (docs/existing.md)`,
  );
}

export interface LabIdentity {
  readonly stack: string;
  /** Prefix of the names of the lab's resources, e.g. `kindows-rehearsal`. */
  readonly lab: string;
  readonly libvirtUri: string;
  /** The libvirt network that the lab uses instead of one of its own. */
  readonly usedNetwork?: string;
}

/** Identity of a stack's lab, even if its settings are otherwise wrong: the lab must still be removable. */
export async function labIdentity(stack: string): Promise<LabIdentity> {
  const identity = await findLab(stack);
  if (identity === undefined) throw noLab(stack);
  return identity;
}

/** Identity of a stack's lab; undefined for a stack of existing machines. */
export async function findLab(stack: string): Promise<LabIdentity | undefined> {
  const { kind, sections } = await sectionsOf(stack);
  if (kind !== "lab") return undefined;
  const usedNetwork = networkIn(sections);
  return {
    stack,
    ...(usedNetwork !== undefined && { usedNetwork }),
    lab: labNames(identitySetting(sections, "lab", "name", stack)).prefix,
    libvirtUri: identitySetting(sections, "hypervisor", "uri", "qemu:///system"),
  };
}

const identitySettings = {
  name: labSection.shape.name,
  uri: hypervisorSection.shape.uri,
} as const;

/**
 * A setting that tells what is removed, and where. Others may be wrong.
 *
 * @throws if it is written, and is wrong.
 */
export function identitySetting(
  sections: Readonly<Record<string, unknown>>,
  section: "lab" | "hypervisor",
  name: keyof typeof identitySettings,
  otherwise: string,
): string {
  const group = z.record(z.string(), z.unknown()).safeParse(sections[section]).data;
  if (group?.[name] === undefined) return otherwise;
  const value = identitySettings[name].safeParse(group[name]);
  if (value.success) return value.data ?? otherwise;
  throw new Failure(
    `kindows:${section}.${name} is wrong, which tells what lab this is: ${value.error.issues.map(({ message }) => message).join("; ")}. Correct it first`,
  );
}

/** Stacks of this project: those with a settings file. */
export async function knownStacks(): Promise<readonly string[]> {
  return (await readdir(projectRoot)).flatMap((name) => stackOf(name) ?? []).sort();
}

function fileName(stack: string): string {
  return path.basename(settingsFile(stack));
}

async function sectionsOf(stack: string): Promise<StackSections> {
  const known = await knownStacks();
  if (!known.includes(stack)) {
    const hint = known.length > 0 ? ` Did you mean ${closest(stack, [...known])}?` : "";
    throw new Failure(
      `there is no stack "${stack}": Pulumi.${stack}.yaml does not exist. Stacks: ${known.join(", ")}.${hint}`,
    );
  }
  const file = fileName(stack);
  const text = await readFile(settingsFile(stack), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      error.code === "EISDIR"
        ? `${file} is a folder: the stack's settings are a file. Move the folder away`
        : `${file} cannot be read: ${error.message}`,
    );
  });
  const { config, outside } = readSettingsFile(text, file);
  return stackSections(config, file, outside);
}

/** Placeholders for encrypted settings, by their keys, for commands that do not need them. */
const placeholders: Readonly<Record<string, readonly [key: string, value: string]>> = {
  text: ["file", "/sealed"],
  privateKey: ["privateKeyFile", "/sealed"],
};

/** Sections as written in a stack's file, with placeholders for encrypted values (`secure: v1:...`). */
export function withoutSealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSealed);
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): readonly [string, unknown] => {
    const isSealed = isMapping(inner) && Object.keys(inner).join() === "secure";
    return isSealed ? (placeholders[key] ?? [key, "sealed"]) : [key, withoutSealed(inner)];
  });
  return Object.fromEntries(entries);
}

interface SettingsFile {
  /** The content of `config:`, keys as written. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly outside: readonly SettingsProblem[];
}

/** Parses a stack's file. @throws SettingsError if it is not YAML, or no mapping. */
export function readSettingsFile(text: string, file: string): SettingsFile {
  const lines = new LineCounter();
  // The engine takes merge keys (`<<: *base`) as well.
  const document = parseDocument(text, { merge: true, lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw new SettingsError(yamlProblems(document, text, lines), file);
  }
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    // Nested aliases can expand to gigabytes; the library refuses those.
    const why = `can't be read: ${messageOf(error).replace(/\.$/, "")}`;
    const instead = "Write the settings out, without `*` and `<<`.";
    throw new SettingsError([{ ...wholeFile, why, instead }], file);
  }
  if (holdsItself(content)) {
    const why = "can't be read: a value is a part of itself";
    throw new SettingsError(
      [{ ...wholeFile, why, instead: "Write the settings out, without `*`." }],
      file,
    );
  }
  if (content === null || content === undefined) return { config: {}, outside: [] };
  if (!isMapping(content)) throw new SettingsError([notMapping(wholeFile.location, content)], file);
  const { config = null } = content;
  const outside = Object.entries(content).flatMap(([key, value]) => misplaced(key, value));
  if (config !== null && !isMapping(config)) {
    throw new SettingsError([...outside, notMapping("config", config)], file);
  }
  return { config: config ?? {}, outside };
}

function holdsItself(
  value: unknown,
  above = new Set<unknown>(),
  done = new Set<unknown>(),
): boolean {
  if (typeof value !== "object" || value === null || done.has(value)) return false;
  if (above.has(value)) return true;
  above.add(value);
  const found = Object.values(value).some((inner) => holdsItself(inner, above, done));
  above.delete(value);
  done.add(value);
  return found;
}

const wholeFile = { path: [], location: "the whole file" };

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notMapping(location: string, value: unknown): SettingsProblem {
  return {
    path: [],
    location,
    value,
    why: "is not a group of settings",
    instead: `Write \`config:\`, below it \`${namespace}:network:\` and the others, and their settings indented below them.`,
  };
}

function misplaced(key: string, value: unknown): SettingsProblem[] {
  const section = key.replace(`${namespace}:`, "");
  const at = { path: [key], location: key, value };
  if (key.startsWith(`${namespace}:`) || section in settingsSchema.shape) {
    const instead = `Write it as \`${namespace}:${section}:\` below \`config:\`, indented by two blanks.`;
    return [{ ...at, why: "is next to `config:`, where nothing reads it", instead }];
  }
  return key !== "config" && distance(key.toLowerCase(), "config") <= 2
    ? [{ ...at, why: "is not a key of a stack's file", instead: "Did you mean config?" }]
    : [];
}

/** Reasons and remedies by the YAML library's error codes. */
const explanations: Readonly<Record<string, readonly [why: string, instead: string]>> = {
  TAB_AS_INDENT: ["is indented with a tab", "Indent it with blanks."],
  BAD_INDENT: [
    "is not indented as its neighbours are, or as what it belongs to",
    "Indent it with as many blanks as they are.",
  ],
  DUPLICATE_KEY: ["is written twice", "Remove one of the two, or put all settings below one."],
  BLOCK_AS_IMPLICIT_KEY: [
    "has two keys on one line",
    "Write one `key: value` a line, or put a value with a colon in quotes.",
  ],
  MISSING_CHAR: ["has no end: a quote, a bracket, a comma or a colon is missing", "Add it."],
  MULTILINE_IMPLICIT_KEY: [
    "has no colon",
    "Write `key: value`, or indent it as a part of the value before.",
  ],
  MULTIPLE_DOCS: [
    "begins a second document, which is ignored",
    "Remove this line, and write every setting once.",
  ],
  conflict: [
    "is left over from a git conflict",
    "Choose one of the two sides, and remove the three marker lines.",
  ],
};

const conflict = /^(<{7}|={7}|>{7})( |$)/;

function yamlProblems(
  document: Document.Parsed,
  text: string,
  counter: LineCounter,
): SettingsProblem[] {
  const lines = text.split("\n");
  const seen = new Set<number>();
  // If there are tabs, nothing else can be said about the lines around them.
  const tabs = document.errors.filter(({ code }) => code === "TAB_AS_INDENT");
  return (tabs.length > 0 ? tabs : document.errors).flatMap((error) => {
    const start = startOf(document, error.pos[0]);
    const { line, col } = counter.linePos(start);
    // Further problems on the same line follow from the first.
    if (seen.has(line)) return [];
    seen.add(line);
    const written = (lines[line - 1] ?? "").trim();
    const code = start < error.pos[0] ? "MISSING_CHAR" : error.code;
    const [why, instead] = explanations[conflict.test(written) ? "conflict" : code] ?? [
      `is not YAML: ${error.message.split("\n")[0]?.replace(/[.:]$/, "") ?? ""}`,
      "Write it as in Pulumi.rehearsal.yaml, or put the value in quotes.",
    ];
    return [
      {
        // The key, if it can be recognized: it decides whether the value may be shown.
        path: [/^[-\s]*([\w:.]+)\s*:/.exec(written)?.[1] ?? ""],
        location: `line ${line}, column ${col}`,
        value: written,
        why,
        instead,
      },
    ];
  });
}

/** Start of the unterminated element at `position`: the library reports only its end. */
function startOf(document: Document.Parsed, position: number): number {
  let start = position;
  visit(document, {
    Node(_, node) {
      const open =
        (isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE")) ||
        (isCollection(node) && node.flow === true);
      if (open && node.range && node.range[0] < position && position <= node.range[1]) {
        start = node.range[0];
      }
    },
  });
  return start;
}
