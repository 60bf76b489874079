import { readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";

import { localFolder } from "./project.ts";

const imageSchema = z.object({ reference: z.string(), archive: z.string() });

const builtSchema = z.object({
  /** Absolute paths of the tools by name: pulumi, kubectl, kind. */
  tools: z.record(z.string(), z.string()),
  /** Node image of kind, where it was built here: its reference and the archive for `docker load`. */
  nodeImage: imageSchema.optional(),
  /** Load balancer image of kind, where it was built here. */
  loadBalancerImage: imageSchema.optional(),
  /** Disk of the rehearsal guest, the first 12 digits of its content's hash, and its manifest. */
  rehearsalImage: z.object({ path: z.string(), hash: z.string(), manifest: z.string() }).optional(),
  /** Folders of fetched programs for Windows nodes, by SHA-256. */
  windowsPrograms: z.record(z.string(), z.string()).optional(),
});

/** What `kindows prepare` has put in place for this clone; absolute paths and image references. */
export type BuiltArtifacts = z.infer<typeof builtSchema>;

const file = path.join(localFolder, "artifacts.json");

/** @throws when nothing has been prepared yet, with the command that does it. */
export function builtArtifacts(): BuiltArtifacts {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new Error(
      "the tools are not prepared (.kindows/artifacts.json is missing): run `./kindows prepare`",
    );
  }
  const parsed = builtSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new Error(".kindows/artifacts.json is damaged: run `./kindows prepare`");
  }
  return parsed.data;
}

/**
 * Absolute path of a tool.
 *
 * @throws when it was not prepared, with the command that does it.
 */
export function builtTool(name: string): string {
  const found = builtArtifacts().tools[name];
  if (found === undefined) {
    throw new Error(`the tool ${name} is not prepared: run \`./kindows prepare\``);
  }
  return found;
}

/** Adds to what was prepared earlier, for this stack or another one; what is left out stays. Replaced in one step. */
export async function recordBuilt(added: BuiltArtifacts): Promise<void> {
  let earlier: BuiltArtifacts = { tools: {} };
  try {
    earlier = builtArtifacts();
  } catch {
    // None or a damaged one: written anew.
  }
  const given = Object.fromEntries(
    Object.entries(added).filter(([, value]) => value !== undefined),
  );
  const all = {
    ...earlier,
    ...given,
    tools: { ...earlier.tools, ...added.tools },
    windowsPrograms: { ...earlier.windowsPrograms, ...added.windowsPrograms },
  };
  const text = `${JSON.stringify(all, undefined, 2)}\n`;
  if (JSON.stringify(earlier) === JSON.stringify(all)) {
    return;
  }
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, text);
  await rename(`${file}.${process.pid}`, file);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
