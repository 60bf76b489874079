/**
 * Programs in System32 that scripts start.
 *
 * Source: https://man.freebsd.org/cgi/man.cgi?query=bsdtar (Windows' tar.exe).
 */
import { Unsupported } from "../../powershell/values.ts";
import type { SystemProgram } from "./processes.ts";

/** `tar.exe -x -z -f ARCHIVE -C FOLDER --strip-components N`. */
export const tar: SystemProgram = async ({ drive, programs }, args) => {
  const [x, z, f, archive = "", C, folder = "", strip, count = "", ...more] = args;
  if ([x, z, f, C, strip].join(" ") !== "-x -z -f -C --strip-components" || more.length > 0) {
    throw new Unsupported(`tar.exe ${args.join(" ")}`);
  }
  const failed = (message: string) => ({ exitCode: 1, stdout: "", stderr: `tar: ${message}\r\n` });
  if (!(await drive.isFile(archive))) {
    return failed(`Error opening archive: Failed to open '${archive}'`);
  }
  if (drive.full) {
    return failed("Write failed: No space left on device");
  }
  try {
    const [from, to] = [await drive.resolve(archive), await drive.resolve(folder)];
    await programs.unpack(from, to, Number(count));
  } catch (error) {
    return failed(`Error opening archive: ${error instanceof Error ? error.message : ""}`);
  }
  return { exitCode: 0, stdout: "", stderr: "" };
};
