import { chmod, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import type { BuildContext } from "../artifact.ts";
import { DownloadError } from "../download.ts";
import { fetchPublished } from "../publisher.ts";
import { zipMembers } from "../zip-member.ts";
import type { Download, Outcome } from "./tool.ts";

const unpackSeconds = 300;

/** Downloads executables. @returns the reason if that failed; another source may work. @throws on a wrong checksum. */
export async function fetchDownloads(
  downloads: readonly Download[],
  into: string,
  context: Pick<BuildContext, "progress" | "downloads">,
  lockFile?: string,
): Promise<Outcome> {
  try {
    for (const each of downloads) {
      const file = path.join(into, "executable" in each ? each.executable : "archive");
      await fetchPublished(each, file, context, lockFile);
      if ("members" in each) {
        await unpack(file, each, into);
        await rm(file);
      } else {
        await chmod(file, 0o755);
      }
    }
  } catch (error) {
    if (error instanceof DownloadError) {
      for (const name of await readdir(into)) await rm(path.join(into, name), { recursive: true });
      return error.message;
    }
    throw error;
  }
  return undefined;
}

async function unpack(
  archive: string,
  { url, members }: Extract<Download, { readonly members: unknown }>,
  into: string,
): Promise<void> {
  const zip = url.endsWith(".zip") ? zipMembers(await readFile(archive)) : undefined;
  for (const [name, member] of Object.entries(members)) {
    const file = path.join(into, name);
    await mkdir(path.dirname(file), { recursive: true });
    if (zip === undefined) {
      const args = ["--extract", "--gzip", "--to-stdout", "--file", archive, "--", member];
      // The engine is larger than execa's output buffer.
      const options = { reject: false, buffer: false, timeout: unpackSeconds * 1000 } as const;
      const tar = await execa("tar", args, { ...options, stdout: { file } });
      if (tar.failed) throw notIn(url, member);
    } else {
      const content = zip.get(member)?.();
      if (content === undefined) throw notIn(url, member);
      await writeFile(file, content);
    }
    await chmod(file, 0o755);
  }
}

/** The archive is as published, so the table is wrong about its members; another source may work. */
function notIn(url: string, member: string): DownloadError {
  return new DownloadError(`${member} is not in ${url}`);
}
