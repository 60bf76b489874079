import { mkdtemp, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";

import { archiveFiles, type ArchiveFiles } from "../../components/image-archives/archive-files.ts";
import { docker } from "../../host/docker.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { stackFolder } from "../engine/folders.ts";
import { say } from "../progress.ts";

/** An archive with the images that were asked for. */
export interface LoadedArchive extends ArchiveFiles {
  /** As the user wrote it: a file, or an image in Docker. */
  readonly source: string;
  /** Absolute path on this host. */
  readonly path: string;
}

const saveSeconds = 1200;

/**
 * Reads archives, and images that Docker saves for as long as the work takes.
 *
 * @param sources paths of archives, or names of images in Docker.
 * @throws Failure with everything that is wrong with any of them.
 */
export async function withImages<T>(
  stack: string,
  sources: readonly string[],
  work: (archives: readonly LoadedArchive[]) => Promise<T>,
): Promise<T> {
  const temporary = await mkdtemp(path.join(stackFolder(stack), "load-"));
  try {
    const archives: LoadedArchive[] = [];
    const problems: string[] = [];
    for (const [at, source] of sources.entries()) {
      try {
        const file = isArchive(source)
          ? path.resolve(source)
          : await saved(source, path.join(temporary, `${at}.tar`));
        archives.push({ source, path: file, ...(await readWhole(file, source)) });
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    if (problems.length > 0) throw new Failure(problems.join("\n"));
    return await work(archives);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** An image's name can begin like a path, but then no file of that name is there. */
function isArchive(source: string): boolean {
  return existsSync(source) || /^[./~]|\.(tar|tgz|gz|zst)$/.test(source);
}

async function saved(image: string, file: string): Promise<string> {
  say(`saving ${image} from Docker`);
  try {
    await docker(["save", "--output", file, image], { timeoutSeconds: saveSeconds });
    return file;
  } catch (error) {
    throw new Error(
      `${image} is no file, and Docker does not save it: ${messageOf(error)}. ` +
        "Write the path of an archive, or the name of an image that `docker images` lists.",
    );
  }
}

async function readWhole(file: string, source: string): Promise<ArchiveFiles> {
  if (!existsSync(file)) throw new Error(`${source} does not exist. Write the path of an archive.`);
  try {
    return await archiveFiles(file);
  } catch (error) {
    throw new Error(
      `${source} is no whole tar archive, plain or compressed with gzip or zstd (${messageOf(error)}). Save it again.`,
    );
  }
}
