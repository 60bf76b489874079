import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar";
import type { StepContext } from "../step.ts";
import { StepError } from "../step-error.ts";
import type { WindowsHost } from "../windows-host.ts";

/** Bytes that go through an unpacking at a time: each part costs an emulated CPU the same, whatever its size. */
const partSize = 1024 ** 2;

/** Moves a file into another's place; one that runs is put aside under another name, as Windows allows. */
export async function moveFileIntoPlace(
  host: WindowsHost,
  source: string,
  target: string,
): Promise<void> {
  if (await host.drive.isFile(target)) {
    if (host.openFiles.has(target)) {
      throw new StepError(
        "FileInUse",
        `${target} can't be replaced: The process cannot access the file because it is being used by another process.`,
        "Close what holds the file open (an editor, a virus scanner, a backup), then run again.",
      );
    }
    const aside = `${target}.${Date.now()}.replaced`;
    const runs = host.runningPrograms.delete(target) || (await host.services.runs(target));
    await host.drive.move(target, aside);
    // Whatever ran as `target` goes on under the other name.
    if (runs) host.runningPrograms.add(aside);
  }
  await host.drive.move(source, target);
}

/** Removes what `moveFileIntoPlace` has put aside in a folder, as far as nothing runs it any more. */
export async function removeReplacedFiles(host: WindowsHost, folder: string): Promise<void> {
  for (const name of await host.drive.fileNames(folder)) {
    const path = `${folder}\\${name}`;
    if (name.endsWith(".replaced") && !host.runningPrograms.has(path))
      await host.drive.remove(path);
  }
}

/** Unpacks a .tar.gz to an emptied folder, without the first `strip` folders of its names. */
export async function expandTarArchive(
  context: StepContext,
  archive: string,
  folder: string,
  strip: number,
): Promise<void> {
  const { drive } = context.host;
  await drive.remove(folder);
  await drive.makeFolder(folder);
  context.progress(`unpacking ${archive}`);
  try {
    drive.assertRoom();
    const file = await drive.resolve(archive);
    await pipeline(
      createReadStream(file, { highWaterMark: partSize }),
      createGunzip({ chunkSize: partSize }),
      extract({ cwd: await drive.resolve(folder), strip, strict: true }),
    );
  } catch (error) {
    throw new StepError(
      "CommandFailed",
      `tar.exe ended with exit code 1. It wrote: ${String(error)}`,
      "Free disk space on C:, then run again.",
    );
  }
}
