/**
 * shutdown.exe.
 *
 * Sources: https://learn.microsoft.com/windows-server/administration/windows-commands/shutdown,
 * https://learn.microsoft.com/windows/win32/debug/system-error-codes--1000-1299-.
 */
import { Unsupported } from "../../powershell/values.ts";
import type { SystemProgram } from "./processes.ts";

/** ERROR_SHUTDOWN_IS_SCHEDULED, ERROR_NO_SHUTDOWN_IN_PROGRESS, ERROR_INVALID_PARAMETER. */
const refusals = {
  1190: "A system shutdown has already been scheduled.",
  1116: "Unable to abort the system shutdown because no shutdown was in progress.",
  87: "The parameter is incorrect.",
} as const;

const ended = (code: 0 | keyof typeof refusals) => ({
  exitCode: code,
  stdout: "",
  stderr: code === 0 ? "" : `${refusals[code]}(${String(code)})\r\n`,
});

/** `shutdown /r /t SECONDS`, and `shutdown /a`, which calls that off. */
export const shutdown: SystemProgram = async ({ programs }, args) => {
  const words = args.map((word) => word.toLowerCase().replace(/^-/, "/"));
  if (words.includes("/a")) return ended((await programs.callOffReboot()) ? 0 : 1116);
  if (!words.includes("/r")) throw new Unsupported("shutdown.exe without /r or /a");
  const seconds = Number(words.includes("/t") ? words[words.indexOf("/t") + 1] : 30);
  if (!Number.isInteger(seconds) || seconds < 0) return ended(87);
  return ended((await programs.reboot(seconds)) ? 0 : 1190);
};
