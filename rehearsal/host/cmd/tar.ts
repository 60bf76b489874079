import type { CommandIo } from "../run-script.ts";
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
  try {
    drive.assertRoom();
    await host.programs.unpack(await drive.resolve(file), await drive.resolve(target));
    return 0;
  } catch (error) {
    io.err(`tar: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
