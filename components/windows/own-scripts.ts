import { createHash } from "node:crypto";
import path from "node:path";
import * as z from "zod";
import type { Complaint, SettingsProblem } from "../../config/problem.ts";
import { mediaFolder } from "./media-folder.ts";
import { contentOf } from "./program-file.ts";

/** When a script runs: once `containerd` and Kubernetes' programs are there, or once the machine is a node. */
export const scriptTimes = ["before-join", "after-join"] as const;

/** How often: once on a machine, or once with each content. */
export const scriptRuns = ["once", "changed"] as const;

export const ownScriptSchema = z.object({
  /** Name of its file, which is also its name on the machine. */
  name: z.string(),
  /** Absolute path on this host. */
  path: z.string(),
  /** SHA-256 of the file, in lower case. */
  sha256: z.string(),
  when: z.enum(scriptTimes),
  runs: z.enum(scriptRuns),
});

/** A PowerShell script of the user's for Windows machines. */
export type OwnScript = z.infer<typeof ownScriptSchema>;

/** Path of a script on a machine, in the form that SFTP takes. */
export function ownScriptPath(sha256: string): string {
  return `${mediaFolder}/${sha256}.ps1`;
}

export const scriptName = (file: string): string => path.posix.basename(file);

/** Larger files are no scripts. */
const largestBytes = 1024 * 1024;

/** Reads the scripts that the settings name. @param written the settings `windows.scripts`, without malformed entries. */
export function examineScripts(
  written: readonly (readonly [index: number, Pick<OwnScript, "path" | "when" | "runs">])[],
): { readonly scripts: readonly OwnScript[]; readonly problems: readonly SettingsProblem[] } {
  const problems: SettingsProblem[] = [];
  const scripts = written.flatMap(([index, script]): OwnScript[] => {
    const found = examineScript(script.path);
    if (typeof found === "string") {
      return [{ name: scriptName(script.path), ...script, sha256: found }];
    }
    const at = ["windows", "scripts", index, "path"];
    problems.push({ path: at, value: script.path, ...found });
    return [];
  });
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
