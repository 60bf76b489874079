import { stat } from "node:fs/promises";
import * as z from "zod";
import { messageOf } from "../../host/failure.ts";
import { type Complaint, type SettingsProblem, SettingsError } from "../../config/problem.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import type { Cache } from "../../toolchain/cache.ts";
import { noteOfFile } from "../../toolchain/file-digest.ts";
import { archiveFiles } from "./archive-files.ts";
import { archivedImages, linuxHere } from "./archived-images.ts";
import type { ImageArchive } from "./image-archive.ts";

const contentSchema = z.object({
  sha256: z.string(),
  bytes: z.number(),
  references: z.array(z.string()),
});

type ExaminedArchive = ImageArchive & z.infer<typeof contentSchema>;

/**
 * Reads the archives, unless they were read before and have not changed since.
 *
 * @param file name of the file with the stack's settings.
 * @throws SettingsError with everything that is wrong with any of them.
 */
export async function examineArchives(
  paths: readonly string[],
  file: string,
  cache: Cache,
  say: Progress,
): Promise<readonly ExaminedArchive[]> {
  const problems: SettingsProblem[] = [];
  const archives: ExaminedArchive[] = [];
  for (const [index, path] of paths.entries()) {
    const found = await examined(path, cache, say);
    if (Array.isArray(found)) {
      const at = ["cluster", "imageArchives", index];
      problems.push(...found.map((complaint) => ({ path: at, value: path, ...complaint })));
    } else {
      archives.push({ path, ...found });
    }
  }
  if (problems.length > 0) throw new SettingsError(problems, file);
  return archives;
}

/** The content of an archive that can be used, or what is wrong with it. */
async function examined(
  path: string,
  cache: Cache,
  say: Progress,
): Promise<z.infer<typeof contentSchema> | Complaint[]> {
  const another = "Write the path of an archive of images that you can read.";
  const complaints: Complaint[] = [];
  try {
    if (!(await stat(path)).isFile()) return [{ why: "is not a file", instead: another }];
    return await noteOfFile(path, cache, "images", contentSchema, async () => {
      say(`reading ${path}`);
      const { sha256, bytes, files } = await archiveFiles(path);
      const { references, complaints: found } = archivedImages(files, linuxHere);
      complaints.push(...found);
      if (found.length > 0) throw new Error("unusable");
      return { sha256, bytes, references: [...references] };
    });
  } catch (error) {
    if (complaints.length > 0) return complaints;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [{ why: "does not exist", instead: another }];
    if (code === "EACCES") return [{ why: "can't be read by this user", instead: another }];
    return [
      {
        why: `is no whole tar archive, plain or compressed with gzip or zstd (${messageOf(error)})`,
        instead: "Save it again, or compare its checksum with that of the file that was copied.",
      },
    ];
  }
}

/** The images that no archive has. @param needed references with registry and tag */
export function imagesInNoArchive(
  needed: readonly string[],
  archives: readonly Pick<ExaminedArchive, "references">[],
): readonly string[] {
  const archived = new Set(archives.flatMap(({ references }) => references));
  return [...new Set(needed)].filter((image) => !archived.has(image));
}
