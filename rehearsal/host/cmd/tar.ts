import { readFile, rm, writeFile } from "node:fs/promises";
import { unpacker } from "../faults.ts";
import { PowerLost } from "../power-lost.ts";
import type { CommandIo } from "../run-script.ts";
import { StepFaults } from "../step-faults.ts";
import { type WindowsHost, homeFolder } from "../windows-host.ts";
import { windowsPathNames } from "../windows-path.ts";
import { splitArguments } from "./argv.ts";

/** `tar -xf <archive> -C <folder>`, as Windows' own tar.exe; nothing else is rehearsed. */
export async function tar(host: WindowsHost, rest: string, io: CommandIo): Promise<number> {
  const [mode, archive = "", change, folder = "", ...more] = splitArguments(rest);
  if (mode !== "-xf" || archive === "" || change !== "-C" || folder === "" || more.length > 0) {
    io.err("The rehearsal host knows tar -xf <archive> -C <folder> only.\n");
    return 1;
  }
  const { drive } = host;
  const home = windowsPathNames(homeFolder);
  const file = await drive.display(archive, home);
  const target = await drive.display(folder, home);
  if (!(await drive.isFile(file))) {
    io.err(`tar: Error opening archive: Failed to open '${archive}'\n`);
    return 1;
  }
  if (!(await drive.isFolder(target))) {
    io.err(`tar: could not chdir to '${folder}'\n`);
    return 1;
  }
  const faults = await StepFaults.load(host, unpacker, () => io.dropConnection());
  try {
    await faults.start();
    drive.assertRoom();
    if (faults.wantsMiddle) {
      await unpackHalf(host, await drive.resolve(file), await drive.resolve(target));
    }
    await faults.checkpoint();
    drive.assertRoom();
    await host.programs.unpack(await drive.resolve(file), await drive.resolve(target));
    await faults.end();
    // What tells that all is well is its exit status: a connection cut before that has heard nothing.
    await faults.writeResult("", () => undefined);
    return 0;
  } catch (error) {
    if (error instanceof PowerLost) throw error;
    io.err(`tar: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    drive.full = false; // somebody has made room
  }
}

/** What is on the drive when tar has got half way: some files whole, one of them cut off. */
async function unpackHalf(host: WindowsHost, file: string, target: string): Promise<void> {
  const half = `${file}.half`;
  const content = await readFile(file);
  await writeFile(half, content.subarray(0, content.length / 2));
  try {
    await host.programs.unpack(half, target);
  } catch {
    // It complains of the missing rest.
  } finally {
    await rm(half);
  }
}
