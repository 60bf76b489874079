import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { closest } from "fastest-levenshtein";
import * as z from "zod";

import type { ExistingSettings } from "../config/existing/settings.ts";
import { labNames, type LabNames } from "../config/names.ts";
import type { SettingsProblem } from "../config/problem.ts";
import type { Settings } from "../config/settings.ts";
import { stackSections, type StackSections } from "../config/stack-sections.ts";
import { projectRoot } from "../toolchain/project.ts";
import { settingsFile } from "./engine/folders.ts";
import { Failure } from "../host/failure.ts";
import { type SettingsFile, readSettingsFile, settingsIn } from "./settings-file.ts";

/**
 * All settings of a stack, from its file.
 *
 * @throws SettingsError with every mistake, as the Pulumi program does.
 */
export async function stackSettings(stack: string): Promise<Settings> {
  const file = await settingsOf(stack);
  assertLab(stack, partsOf(stack, file));
  return settingsIn(file, { stack, file: fileName(stack) });
}

/**
 * All settings of a stack of existing machines, except for encrypted ones.
 *
 * @returns undefined for a lab.
 * @throws SettingsError with every mistake, as the Pulumi program does.
 */
export async function existingSettings(stack: string): Promise<ExistingSettings | undefined> {
  const { kind, sections, others } = partsOf(stack, await settingsOf(stack));
  if (kind === "lab") {
    return undefined;
  }
  // Labs need none of it.
  const { resolveExisting } = await import("../config/existing/resolve.ts");
  const readable = withoutSealed(sections) as Record<string, unknown>;
  return resolveExisting(readable, { file: fileName(stack) }, others);
}

/** Sections of a stack's file, their kind, and mistakes around them. */
function partsOf(
  stack: string,
  { config, outside }: SettingsFile,
): StackSections & { readonly others: readonly SettingsProblem[] } {
  const parts = stackSections(config, fileName(stack));
  return { ...parts, others: [...outside, ...parts.strays] };
}

/** @throws Failure for a stack of another kind, as most commands are about a lab on this host. */
function assertLab(stack: string, { kind }: Pick<StackSections, "kind">): void {
  if (kind !== "lab") {
    throw new Failure(
      `${fileName(stack)} is no lab of this host but joins machines that are there to a cluster that is there: ` +
        `use plain pulumi for it, after eval "$(./kindows env --stack ${stack})" (docs/existing.md)`,
    );
  }
}

/** What is needed to clean up after a lab. */
export interface LabIdentity {
  readonly stack: string;
  readonly names: LabNames;
  /** libvirt connection of its machines. */
  readonly libvirtUri: string;
}

/** Identity of a stack's lab, even if its settings are otherwise wrong: the lab must still be removable. */
export async function labIdentity(stack: string): Promise<LabIdentity> {
  const known = partsOf(stack, await settingsOf(stack));
  assertLab(stack, known);
  const { sections } = known;
  const lab = z.object({ name: z.string() }).safeParse(sections["lab"]);
  const hypervisor = z.object({ uri: z.string() }).safeParse(sections["hypervisor"]);
  return {
    stack,
    names: labNames(lab.success ? lab.data.name : stack),
    libvirtUri: hypervisor.success ? hypervisor.data.uri : "qemu:///system",
  };
}

/** Stacks of this project: those with a settings file. */
export async function knownStacks(): Promise<readonly string[]> {
  const names = await readdir(projectRoot);
  return names.flatMap((name) => /^Pulumi\.([A-Za-z0-9_.-]+)\.yaml$/.exec(name)?.[1] ?? []).sort();
}

function fileName(stack: string): string {
  return path.basename(settingsFile(stack));
}

/** Content of the stack's file. */
async function settingsOf(stack: string): Promise<SettingsFile> {
  return readSettingsFile(await settingsText(stack), fileName(stack));
}

/** The stack's file as written. */
async function settingsText(stack: string): Promise<string> {
  const known = await knownStacks();
  if (!known.includes(stack)) {
    const hint = known.length > 0 ? ` Did you mean ${closest(stack, [...known])}?` : "";
    throw new Failure(
      `there is no stack "${stack}": Pulumi.${stack}.yaml does not exist. Stacks: ${known.join(", ")}.${hint}`,
    );
  }
  try {
    return await readFile(settingsFile(stack), "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(
      code === "EISDIR"
        ? `${fileName(stack)} is a folder: the stack's settings are a file. Move the folder away`
        : `${fileName(stack)} cannot be read: ${message}`,
    );
  }
}

/** Placeholders for encrypted settings, by their keys, for commands that do not need them. */
const placeholders: Readonly<Record<string, readonly [key: string, value: string]>> = {
  text: ["file", "/sealed"],
  privateKey: ["privateKeyFile", "/sealed"],
};

/** Sections as written in a stack's file, with placeholders for encrypted values (`secure: v1:...`). */
export function withoutSealed(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutSealed);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, unknown] => {
      if (!isSealed(inner)) return [key, withoutSealed(inner)];
      const [other, text] = placeholders[key] ?? [key, "sealed"];
      return [other, text];
    }),
  );
}

function isSealed(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length === 1 &&
    "secure" in value
  );
}
