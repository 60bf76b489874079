import { stat } from "node:fs/promises";
import { list, type ReadEntry } from "tar";
import type { Complaint } from "../../config/problem.ts";
import { messageOf } from "../../host/failure.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";
import { headComplaint, linkedVersion, type ProgramFile, unreadable } from "./program-file.ts";

/**
 * Reads an archive of programs for Windows nodes.
 *
 * @param wanted paths in it, e.g. `bin/containerd.exe`. The first one's version counts as the archive's.
 */
export async function examineProgramArchive(
  file: string,
  wanted: readonly string[],
): Promise<ProgramFile | Complaint> {
  const release = `Write the path of a .tar.gz with ${wanted.join(", ")}, as in a release.`;
  const programs = new Map<string, Buffer>();
  try {
    if (!(await stat(file)).isFile()) return { why: "is not a file", instead: release };
  } catch (error) {
    return unreadable(error, release);
  }
  try {
    await list({
      file,
      strict: true,
      onReadEntry: (entry: ReadEntry) => {
        const name = entry.path.replace(/^(\.\/)+/, "");
        if (!wanted.includes(name)) return;
        const chunks: Buffer[] = [];
        entry.on("data", (chunk) => chunks.push(chunk));
        entry.on("end", () => programs.set(name, Buffer.concat(chunks)));
      },
    });
  } catch (error) {
    return { why: `is no whole archive (${messageOf(error)})`, instead: release };
  }
  const missing = wanted.filter((name) => !programs.has(name));
  if (missing.length > 0) return { why: `has no ${missing.join(", no ")}`, instead: release };
  for (const [name, content] of programs) {
    const complaint = headComplaint(content, content.length);
    if (complaint !== undefined)
      return { ...complaint, why: `has ${name}, which ${complaint.why}` };
  }
  const version = linkedVersion(programs.get(wanted[0] ?? "") ?? Buffer.alloc(0));
  return { sha256: await sha256OfFile(file), version };
}
