import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

import { writeWhole } from "../host/write-whole.ts";
import { parseJson } from "./parse-json.ts";
import { localFolder } from "./project.ts";

const imageSchema = z.object({ reference: z.string(), archive: z.string() });

/** A disk of the rehearsal guest, the first 12 digits of its content's hash, and its manifest. */
const guestSchema = z.object({ path: z.string(), hash: z.string(), manifest: z.string() });

const builtSchema = z.object({
  /** Absolute paths of the tools by name: pulumi, kubectl, kind. */
  tools: z.record(z.string(), z.string()),
  /** kind's node image, if it was built here: its reference and the archive for `docker load`. */
  nodeImage: imageSchema.optional(),
  loadBalancerImage: imageSchema.optional(),
  registryImage: imageSchema.optional(),
  rehearsalImage: guestSchema.optional(),
  /** The rehearsal guest's disk with the programs that every node needs. */
  bakedRehearsalImage: guestSchema.optional(),
  /** The disk that Linux machines start from unless the settings name one. */
  linuxImage: z.object({ path: z.string(), hash: z.string() }).optional(),
  /** Cloud images that were downloaded, by their SHA-256. */
  cloudImages: z.record(z.string(), z.string()).optional(),
  /** The archive of the programs that are installed on Linux machines. */
  linuxPrograms: z.object({ path: z.string(), sha256: z.string() }).optional(),
  /** Converted disks, by the path of the user's file: its size and time when it was converted, and the result. */
  convertedDisks: z
    .record(
      z.string(),
      z.object({ size: z.number(), mtimeMs: z.number(), path: z.string(), hash: z.string() }),
    )
    .optional(),
  /** Images made from an ISO, by the settings that asked for them. */
  windowsImages: z.record(z.string(), z.object({ path: z.string(), hash: z.string() })).optional(),
  /** Folders of downloaded programs for Windows nodes, by SHA-256. */
  windowsPrograms: z.record(z.string(), z.string()).optional(),
  /** Files with the definitions of Calico's resources, by SHA-256. */
  calicoDefinitions: z.record(z.string(), z.string()).optional(),
});

/** What `kindows prepare` has built for this clone; absolute paths and image references. */
export type BuiltArtifacts = z.infer<typeof builtSchema>;

const file = path.join(localFolder, "artifacts.json");

/** @throws if nothing has been prepared yet, with the command to run. */
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

/** What has been prepared. Empty if there is no valid record, because a preview works without one. */
export function builtSoFar(): BuiltArtifacts {
  try {
    return builtArtifacts();
  } catch {
    return { tools: {} };
  }
}

/** @throws if the tool was not prepared, with the command to run. */
export function builtTool(name: string): string {
  const found = builtArtifacts().tools[name];
  if (found === undefined) {
    throw new Error(`the tool ${name} is not prepared: run \`./kindows prepare\``);
  }
  return found;
}

/** The converted copy of a user's disk; undefined if there is none, the disk has changed since, or the copy was pruned. */
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

export function builtRehearsalImage(image: {
  readonly baked: boolean;
}): BuiltArtifacts["rehearsalImage"] {
  return builtSoFar()[image.baked ? "bakedRehearsalImage" : "rehearsalImage"];
}

/** Merges with what was prepared earlier, for this stack or another one. Written atomically. */
export function recordBuilt(added: BuiltArtifacts): void {
  const earlier = builtSoFar();
  const names = (Object.keys(builtSchema.shape) as (keyof BuiltArtifacts)[]).filter(
    (name) => earlier[name] ?? added[name],
  );
  const all = names.map((name) => [name, { ...earlier[name], ...added[name] }] as const);
  const text = `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`;
  if (text !== `${JSON.stringify(earlier, undefined, 2)}\n`) writeWhole(file, text);
}
