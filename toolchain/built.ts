import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { parseJson } from "./parse-json.ts";
import { localFolder } from "./project.ts";

const imageSchema = z.object({ reference: z.string(), archive: z.string() });

/** A disk of the rehearsal guest, the first 12 digits of its content's hash, and its manifest. */
const guestSchema = z.object({ path: z.string(), hash: z.string(), manifest: z.string() });

const builtSchema = z.object({
  /** Absolute paths of the tools by name: pulumi, kubectl, kind. */
  tools: z.record(z.string(), z.string()),
  /** Node image of kind, where it was built here: its reference and the archive for `docker load`. */
  nodeImage: imageSchema.optional(),
  /** Load balancer image of kind, where it was built here. */
  loadBalancerImage: imageSchema.optional(),
  /** The rehearsal guest fresh from its making. */
  rehearsalImage: guestSchema.optional(),
  /** The same with what every node needs already in it. */
  bakedRehearsalImage: guestSchema.optional(),
  /** The disk Linux machines start from where the settings name none. */
  linuxImage: z.object({ path: z.string(), hash: z.string() }).optional(),
  /** Cloud images that were downloaded, by their SHA-256. */
  cloudImages: z.record(z.string(), z.string()).optional(),
  /** The archive of what is installed on them. */
  linuxPrograms: z.object({ path: z.string(), sha256: z.string() }).optional(),
  /** Disks of the user's that were converted, by their paths: the file each was then, and what came of it. */
  convertedDisks: z
    .record(
      z.string(),
      z.object({ size: z.number(), mtimeMs: z.number(), path: z.string(), hash: z.string() }),
    )
    .optional(),
  /** Images made from an ISO, by the settings that asked for them. */
  windowsImages: z.record(z.string(), z.object({ path: z.string(), hash: z.string() })).optional(),
  /** Folders of fetched programs for Windows nodes, by SHA-256. */
  windowsPrograms: z.record(z.string(), z.string()).optional(),
  /** Files with the definitions of Calico's resources, by SHA-256. */
  calicoDefinitions: z.record(z.string(), z.string()).optional(),
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

/** What has been prepared, nothing where that can't be told: a preview works all the same. */
export function builtSoFar(): BuiltArtifacts {
  try {
    return builtArtifacts();
  } catch {
    return { tools: {} };
  }
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

/** What became of a disk of the user's that was converted; undefined where it was not, is another one since, or is pruned. */
export function convertedFrom(source: string): { path: string; hash: string } | undefined {
  const found = statSync(source, { throwIfNoEntry: false });
  const known = builtSoFar().convertedDisks?.[source];
  return known !== undefined &&
    known.size === found?.size &&
    known.mtimeMs === found.mtimeMs &&
    existsSync(known.path)
    ? { path: known.path, hash: known.hash }
    : undefined;
}

/** The rehearsal guest's disk that the settings ask for; undefined where it was not made yet. */
export function builtRehearsalImage({
  baked,
}: {
  readonly baked: boolean;
}): BuiltArtifacts["rehearsalImage"] {
  const built = builtSoFar();
  return baked ? built.bakedRehearsalImage : built.rehearsalImage;
}

/** Adds to what was prepared earlier, for this stack or another one; what is left out stays. Replaced in one step. */
export async function recordBuilt(added: BuiltArtifacts): Promise<void> {
  // A damaged one is rewritten.
  const earlier = builtSoFar();
  const given = Object.fromEntries(
    Object.entries(added).filter(([, value]) => value !== undefined),
  );
  const all = {
    ...earlier,
    ...given,
    tools: { ...earlier.tools, ...added.tools },
    cloudImages: { ...earlier.cloudImages, ...added.cloudImages },
    convertedDisks: { ...earlier.convertedDisks, ...added.convertedDisks },
    windowsImages: { ...earlier.windowsImages, ...added.windowsImages },
    windowsPrograms: { ...earlier.windowsPrograms, ...added.windowsPrograms },
    calicoDefinitions: { ...earlier.calicoDefinitions, ...added.calicoDefinitions },
  };
  const text = `${JSON.stringify(all, undefined, 2)}\n`;
  if (JSON.stringify(earlier) === JSON.stringify(all)) {
    return;
  }
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, text);
  await rename(`${file}.${process.pid}`, file);
}
