import { pathToFileURL } from "node:url";
import * as z from "zod";
import type { NamedFile } from "../../config/named-file.ts";
import type { Complaint, SettingsProblem } from "../../config/problem.ts";
import { Cache } from "../../toolchain/cache.ts";
import { noteOfFile } from "../../toolchain/file-digest.ts";
import { cachedDownload, type PinnedFile } from "./download-artifact.ts";
import { type OwnProgramName, ownProgramNames, versionComplaint } from "./own-programs.ts";
import { examineProgramArchive } from "./program-archive.ts";
import { anotherFile, examineProgram, unreadable } from "./program-file.ts";

/** Files that the settings name in place of published ones. */
export type OwnFiles = Readonly<Partial<Record<OwnProgramName, PinnedFile>>>;

export interface FoundFiles {
  readonly files: OwnFiles;
  readonly problems: readonly SettingsProblem[];
}

/** Archives of several programs, with what the steps take from them. */
const archives: Readonly<Partial<Record<OwnProgramName, readonly string[]>>> = {
  containerd: ["bin/containerd.exe"],
  cniPlugins: ["host-local.exe", "win-bridge.exe", "win-overlay.exe"],
};

const noteSchema = z.object({ sha256: z.string(), version: z.string().optional() });

/**
 * Reads the files that the settings name, unless they were read before and have not changed since. What is at an address
 * is examined once it was downloaded.
 *
 * @param programs the settings `windows.programs`, without malformed values.
 * @param cluster Kubernetes version without a leading `v`; undefined if the settings are wrong there.
 */
export async function examineOwnFiles(
  programs: Readonly<Partial<Record<OwnProgramName, NamedFile>>>,
  cluster: string | undefined,
  cache = new Cache(),
): Promise<FoundFiles> {
  const files: Partial<Record<OwnProgramName, PinnedFile>> = {};
  const problems: SettingsProblem[] = [];
  for (const name of ownProgramNames) {
    const { path, url, sha256 } = programs[name] ?? {};
    // A mistake that the checks report.
    if (path !== undefined && url !== undefined) continue;
    const file =
      path ??
      (url !== undefined && sha256 !== undefined
        ? await cachedDownload({ uri: url, sha256 }, cache)
        : undefined);
    const at = ["windows", "programs", name];
    const found:
      { readonly sha256?: string | undefined; readonly version?: string | undefined } | Complaint =
      file === undefined ? { sha256 } : await examined(name, file, cache);
    const complaint = "why" in found ? found : unfitting(name, found, cluster);
    if (complaint !== undefined) {
      const key = path === undefined ? "url" : "path";
      problems.push({ path: [...at, key], value: path ?? url, ...complaint });
    }
    const actual = "why" in found ? sha256 : found.sha256;
    if (sha256 !== undefined && actual !== undefined && actual !== sha256) {
      problems.push({
        path: [...at, "sha256"],
        value: sha256,
        why: `is not that of the file, which has ${actual}`,
        instead: "Write that, or leave it out, or restore the file.",
      });
    }
    const uri = path === undefined ? url : pathToFileURL(path).href;
    if (uri !== undefined && actual !== undefined) files[name] = { uri, sha256: actual };
  }
  return { files, problems };
}

function unfitting(
  name: OwnProgramName,
  { version }: { readonly version?: string | undefined },
  cluster: string | undefined,
): Complaint | undefined {
  return cluster === undefined ? undefined : versionComplaint(name, version, cluster);
}

/** Why a file is refused, which is not recorded: a later version of kindows may take it. */
class Refused extends Error {
  constructor(readonly complaint: Complaint) {
    super(complaint.why);
  }
}

async function examined(
  name: OwnProgramName,
  file: string,
  cache: Cache,
): Promise<z.infer<typeof noteSchema> | Complaint> {
  const wanted = archives[name];
  try {
    return await noteOfFile(file, cache, "programs", noteSchema, async () => {
      const found = await (wanted === undefined
        ? examineProgram(file)
        : examineProgramArchive(file, wanted));
      if ("why" in found) throw new Refused(found);
      return found;
    });
  } catch (error) {
    return error instanceof Refused ? error.complaint : unreadable(error, anotherFile);
  }
}
