/**
 * Programs in System32 that scripts start.
 *
 * Sources: https://curl.se/docs/manpage.html, https://man.freebsd.org/cgi/man.cgi?query=bsdtar (Windows' tar.exe),
 * https://learn.microsoft.com/windows-server/administration/windows-commands/rd and its neighbours.
 */
import { Unsupported } from "../../powershell/values.ts";
import type { SystemProgram } from "./processes.ts";

/** `curl.exe --head https://HOST:PORT/...`: of the answer, only its time. */
export const curl: SystemProgram = async ({ programs }, args) => {
  const url = new URL(args.at(-1) ?? "");
  const seconds = Number(args[args.indexOf("--max-time") + 1]);
  const port = Number(url.port === "" ? 443 : url.port);
  const time = await programs.serverTime(url.hostname, port, seconds);
  if (!time) {
    const stderr = `curl: (7) Failed to connect to ${url.hostname} port ${port}\n`;
    return { exitCode: 7, stdout: "", stderr };
  }
  const stdout = `HTTP/1.1 200 OK\r\nDate: ${time.toUTCString()}\r\n\r\n`;
  return { exitCode: 0, stdout, stderr: "" };
};

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
