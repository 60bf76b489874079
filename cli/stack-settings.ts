import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { closest } from "fastest-levenshtein";
import { parse } from "yaml";
import { z } from "zod";

import { labNames } from "../config/names.ts";
import type { LabNames } from "../config/names.ts";
import { resolveSettings } from "../config/resolve.ts";
import type { Settings } from "../config/settings.ts";
import { projectRoot } from "../toolchain/project.ts";
import { settingsFile } from "./engine/folders.ts";
import { Failure } from "./failure.ts";

const namespace = "kindows:";

const fileSchema = z.object({ config: z.record(z.string(), z.unknown()).nullish() }).nullish();

/**
 * All settings of a stack, from its file.
 *
 * @throws SettingsError with every mistake, as the program itself would.
 */
export async function stackSettings(stack: string): Promise<Settings> {
  const file = path.basename(settingsFile(stack));
  return resolveSettings(await sectionsOf(stack), { stack, file });
}

/** What must be known of a lab to clean up after it. */
export interface LabIdentity {
  readonly stack: string;
  readonly names: LabNames;
  /** libvirt connection of its machines. */
  readonly libvirtUri: string;
}

/** Which lab a stack is: also when its settings are wrong otherwise, for a lab must be removable then. */
export async function labIdentity(stack: string): Promise<LabIdentity> {
  const written = await sectionsOf(stack);
  const lab = z.object({ name: z.string() }).safeParse(written["lab"]);
  const hypervisor = z.object({ uri: z.string() }).safeParse(written["hypervisor"]);
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

/** The sections of the settings as written in the stack's file. */
async function sectionsOf(stack: string): Promise<Readonly<Record<string, unknown>>> {
  const known = await knownStacks();
  if (!known.includes(stack)) {
    const hint = known.length > 0 ? ` Did you mean ${closest(stack, [...known])}?` : "";
    throw new Failure(
      `there is no stack "${stack}": Pulumi.${stack}.yaml does not exist. Stacks: ${known.join(", ")}.${hint}`,
    );
  }
  const file = settingsFile(stack);
  let content: z.infer<typeof fileSchema>;
  try {
    content = fileSchema.parse(parse(await readFile(file, "utf8")));
  } catch (error) {
    const reason = error instanceof z.ZodError ? "`config` is not a mapping" : String(error);
    throw new Failure(`${path.basename(file)} cannot be read: ${reason}`);
  }
  return Object.fromEntries(
    Object.entries(content?.config ?? {})
      .filter(([key]) => key.startsWith(namespace))
      .map(([key, value]) => [key.slice(namespace.length), value]),
  );
}
