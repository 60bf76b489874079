import * as pulumi from "@pulumi/pulumi";
import { allConfig } from "@pulumi/pulumi/runtime/config.js";
import * as z from "zod";
import type { ExistingSettings } from "./existing.ts";
import { SettingsError } from "./problem.ts";
import { type Finders, onThisHost, ownFilesIn, resolveOnHost } from "./resolve.ts";
import { bare } from "./schema-paths.ts";
import { type Settings, settingsSchema } from "./settings.ts";
import { namespace, stackSections } from "./stack-sections.ts";

export type StackSettings =
  | { readonly kind: "lab"; readonly settings: Settings }
  | { readonly kind: "existing"; readonly settings: ExistingSettings };

/**
 * Reads and checks the stack's configuration.
 *
 * @param find reads the libvirt network and the programs that the settings name. Default: those of this host.
 * @throws RunError, which Pulumi prints without a stack trace.
 */
export async function loadStack(find: Partial<Finders> = {}): Promise<StackSettings> {
  const stack = pulumi.getStack();
  const file = `Pulumi.${stack}.yaml`;
  try {
    const config = parsedConfig(allConfig());
    const { kind, sections, others } = stackSections(config, file);
    if (kind === "lab") {
      return { kind, settings: await resolveOnHost(sections, { stack, file }, others, find) };
    }
    // Loaded only here, because labs do not need it.
    const { resolveExisting } = await import("./existing.ts");
    const own = await ownFilesIn(sections, find.files);
    const given = await (find.given ?? onThisHost.given)(sections);
    return { kind, settings: resolveExisting(sections, { file, own, given }, others) };
  } catch (error) {
    throw error instanceof SettingsError ? new pulumi.RunError(error.message) : error;
  }
}

/** What the sections that a stack leaves out have in Pulumi.yaml, which needs a default of each. */
const empty = ["{}", "[]"];
const switches = Object.entries(settingsSchema.shape).flatMap(([name, schema]) =>
  bare(schema) instanceof z.ZodBoolean ? [`${namespace}:${name}`] : [],
);

/** Pulumi passes objects as JSON and text as it is. */
function parsedConfig(config: Readonly<Record<string, string>>): Record<string, unknown> {
  const written = Object.entries(config).filter(
    ([key, value]) => !empty.includes(value) && !(value === "false" && switches.includes(key)),
  );
  return Object.fromEntries(written.map(([key, value]) => [key, parsed(value)]));
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
