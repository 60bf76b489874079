/**
 * Programs in System32 that scripts start.
 *
 * Sources: https://curl.se/docs/manpage.html,
 * https://learn.microsoft.com/windows-server/administration/windows-commands/rd and its neighbours.
 */
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
