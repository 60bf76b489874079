import { createHash } from "node:crypto";
import path from "node:path";
import * as z from "zod";
import type { Complaint, SettingsProblem } from "../../config/problem.ts";
import { Cache } from "../../toolchain/cache.ts";
import { digestOfFile } from "../../toolchain/file-digest.ts";
import { mediaFolder } from "./media-folder.ts";
import { contentOf, fileComplaint } from "./program-file.ts";

/**
 * When a script runs: while the image is built, on a node once `containerd` and Kubernetes' programs are there, or once the
 * machine is a node.
 */
export const scriptTimes = ["image", "before-join", "after-join"] as const;

/** How often: once on a machine, or once with each content. */
export const scriptRuns = ["once", "changed"] as const;

export const ownScriptSchema = z.object({
  /** Name of its file, which is also its name on the machine. */
  name: z.string(),
  /** Absolute path on this host. */
  path: z.string(),
  /** SHA-256 of the file, in lower case. */
  sha256: z.string(),
  /** Files on this host that are beside it while the image is built, by their absolute paths. */
  files: z.array(z.object({ path: z.string(), sha256: z.string() })),
  when: z.enum(scriptTimes),
  runs: z.enum(scriptRuns),
});

/** A PowerShell script of the user's for Windows machines. */
export type OwnScript = z.infer<typeof ownScriptSchema>;

/** Path of a script on a machine, in the form that SFTP takes. */
export function ownScriptPath(sha256: string): string {
  return `${mediaFolder}/${sha256}.ps1`;
}

/** The scripts of this time as parameters of their step; undefined if there are none. */
export function scriptValues(
  scripts: readonly OwnScript[],
  when: OwnScript["when"],
  limitSeconds: number,
): { readonly Scripts: string; readonly TimeoutSeconds: number } | undefined {
  const entries = scripts
    .filter((each) => each.when === when)
    .map(({ name, sha256, runs }) => `${name}=${sha256}=${runs}`);
  return entries.length === 0
    ? undefined
    : { Scripts: entries.join(";"), TimeoutSeconds: limitSeconds };
}

/** Name of a script or of a file beside it. */
export const scriptName = (file: string): string => path.posix.basename(file);

/** Larger files are no scripts. */
const largestBytes = 1024 * 1024;

/** A script as the settings name it. */
interface WrittenScript extends Pick<OwnScript, "path" | "when" | "runs"> {
  readonly files: readonly string[];
}

/**
 * Reads the scripts that the settings name, and the files beside them.
 *
 * @param written the settings `windows.scripts`, without malformed entries.
 */
export async function examineScripts(
  written: readonly (readonly [index: number, WrittenScript])[],
  cache = new Cache(),
): Promise<{
  readonly scripts: readonly OwnScript[];
  readonly problems: readonly SettingsProblem[];
}> {
  const scripts: OwnScript[] = [];
  const problems: SettingsProblem[] = [];
  for (const [index, script] of written) {
    const complain = (value: string, complaint: Complaint, ...at: (string | number)[]): void => {
      problems.push({ path: ["windows", "scripts", index, ...at], value, ...complaint });
    };
    const found = examineScript(script.path);
    if (typeof found !== "string") complain(script.path, found, "path");
    const files: OwnScript["files"] = [];
    for (const [place, file] of script.files.entries()) {
      const complaint = fileComplaint(file, "Write the path of a file that you can read.");
      if (complaint !== undefined) complain(file, complaint, "files", place);
      else files.push({ path: file, sha256: await digestOfFile(file, cache) });
    }
    if (typeof found === "string") {
      scripts.push({ ...script, name: scriptName(script.path), sha256: found, files });
    }
  }
  return { scripts, problems };
}

/** A script's SHA-256, or why it can't be used. */
function examineScript(file: string): string | Complaint {
  const content = contentOf(file, "Write the path of a script that you can read.");
  if (!Buffer.isBuffer(content)) return content;
  if (content.length > largestBytes || content.includes(0)) {
    return {
      why: "is not a script: it is larger than 1 MiB, or not in UTF-8 or ASCII",
      instead: "Save it as UTF-8; let the script fetch larger files.",
    };
  }
  const hasMark = content.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  // Windows PowerShell 5.1 reads a file without a mark in the machine's code page.
  if (!hasMark && content.some((byte) => byte > 0x7f)) {
    return {
      why: "has characters beyond ASCII and no byte order mark, so Windows PowerShell reads others",
      instead: "Save it as UTF-8 with a byte order mark.",
    };
  }
  return createHash("sha256").update(content).digest("hex");
}
