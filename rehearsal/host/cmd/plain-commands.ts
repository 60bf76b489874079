import { readdir, stat } from "node:fs/promises";
import type { CommandIo } from "../run-script.ts";
import { rehearsalNotice, rehearsedBuild, rehearsedWindows } from "../windows-version.ts";
import { type WindowsHost, homeFolder } from "../windows-host.ts";
import { shutdown as shutdownProgram } from "../../windows/shutdown.ts";
import { windowsPathNames } from "../windows-path.ts";
import { splitArguments } from "./argv.ts";
import { net } from "./net.ts";
import { tar } from "./tar.ts";

/** A command of cmd.exe, or a small program of Windows, that people use by hand; returns the exit code. */
export type PlainCommand = (host: WindowsHost, rest: string, io: CommandIo) => Promise<number>;

/** Commands by name, without `.exe`. */
export const plainCommands: ReadonlyMap<string, PlainCommand> = new Map<string, PlainCommand>([
  ["hostname", (host, _rest, io) => say(io, host.computerName)],
  ["whoami", whoami],
  ["reg", regQuery],
  ["echo", (_host, rest, io) => say(io, rest === "" ? "ECHO is on." : rest)],
  [
    "exit",
    (_host, rest) => Promise.resolve(Number.parseInt(rest.replace(/^\/b\s*/i, ""), 10) || 0),
  ],
  ["ver", (_host, _rest, io) => say(io, `\n${rehearsalNotice}\n${windowsVersion}`)],
  ["systeminfo", systemInfo],
  ["type", typeFile],
  ["dir", listFolder],
  ["shutdown", shutdown],
  ["net", net],
  ["tar", tar],
]);

const windowsVersion = `Microsoft Windows [Version ${rehearsedBuild}] (rehearsal)`;

/** With `/groups` only the one that tells: an administrator's sessions over SSH are elevated. */
function whoami(host: WindowsHost, rest: string, io: CommandIo): Promise<number> {
  return say(
    io,
    /^\/groups\b/i.test(rest)
      ? "Mandatory Label\\High Mandatory Level  Label  S-1-16-12288"
      : `${host.computerName.toLowerCase()}\\administrator`,
  );
}

const currentVersion = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";

/** `reg query` of the one value that tells a server from a client. */
function regQuery({ version }: WindowsHost, rest: string, io: CommandIo): Promise<number> {
  const [verb, key = "", option, value] = splitArguments(rest).map((word) => word.toLowerCase());
  const isKey = key.replace(/^hklm\\/, "hkey_local_machine\\") === currentVersion.toLowerCase();
  if (verb !== "query" || !isKey || option !== "/v" || value !== "installationtype") {
    return Promise.resolve(
      fail(io, "The rehearsal host knows reg query of CurrentVersion's InstallationType only."),
    );
  }
  const type = version.edition.startsWith("Server") ? "Server Core" : "Client";
  return say(io, `\n${currentVersion}\n    InstallationType    REG_SZ    ${type}\n`);
}

function say(io: CommandIo, text: string): Promise<number> {
  io.out(`${text}\n`);
  return Promise.resolve(0);
}

function fail(io: CommandIo, text: string): number {
  io.err(`${text}\n`);
  return 1;
}

async function systemInfo(host: WindowsHost, _rest: string, io: CommandIo): Promise<number> {
  const services = await Promise.all(
    host.services
      .names()
      .map(
        async (name) => `${name} ${(await host.services.isRunning(name)) ? "Running" : "Stopped"}`,
      ),
  );
  const lines = [
    rehearsalNotice,
    `Host Name:                 ${host.computerName}`,
    `OS Name:                   ${rehearsedWindows.productName} (rehearsal)`,
    `OS Version:                ${rehearsedBuild}`,
    `System Boot Time:          ${host.lastBootUpTime}`,
    `Total Physical Memory:     ${host.hardware.memoryMiB} MB`,
    `Feature Containers:        ${host.settings.featureState("Containers")}`,
    `Services:                  ${services.join(", ") || "none"}`,
  ];
  return say(io, `\n${lines.join("\n")}`);
}

async function typeFile(host: WindowsHost, rest: string, io: CommandIo): Promise<number> {
  const [path] = splitArguments(rest);
  if (path === undefined) return fail(io, "The syntax of the command is incorrect.");
  const content = await host.drive.readText(await inHome(host, path));
  if (content === undefined) return fail(io, "The system cannot find the file specified.");
  io.out(content.replaceAll("\r\n", "\n"));
  return 0;
}

async function listFolder(host: WindowsHost, rest: string, io: CommandIo): Promise<number> {
  const [path = "."] = splitArguments(rest).filter((word) => !word.startsWith("/"));
  const shown = await inHome(host, path);
  if (!(await host.drive.isFolder(shown))) return fail(io, "File Not Found");
  const folder = await host.drive.resolve(shown);
  const lines = await Promise.all(
    (await readdir(folder)).sort().map(async (name) => {
      const entry = await stat(`${folder}/${name}`).catch(() => undefined);
      const size = entry?.isDirectory() ? "<DIR>" : String(entry?.size ?? 0);
      const time = entry?.mtime.toISOString().slice(0, 16).replace("T", "  ") ?? "";
      return `${time.padEnd(17)}  ${size.padStart(14)} ${name}`;
    }),
  );
  return say(io, [` Directory of ${shown}`, "", ...lines].join("\n"));
}

async function shutdown(host: WindowsHost, rest: string, io: CommandIo): Promise<number> {
  if (!/[/-][ra]\b/i.test(rest)) {
    return fail(io, "The rehearsal host knows shutdown /r /t <seconds> and shutdown /a only.");
  }
  const { exitCode, stderr } = await shutdownProgram(host, splitArguments(rest));
  io.err(stderr.replaceAll("\r\n", "\n"));
  return exitCode;
}

function inHome(host: WindowsHost, path: string): Promise<string> {
  return host.drive.display(path, windowsPathNames(homeFolder));
}
