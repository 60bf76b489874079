import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import type { CommandIo } from "../ssh/ssh-server.ts";
import { rehearsalNotice, rehearsedBuild, rehearsedWindows } from "../windows-version.ts";
import { PowerLost, type WindowsMachine, homeFolder } from "../windows-machine.ts";
import { shutdown as shutdownProgram } from "../../windows/system-programs.ts";
import { windowsPathNames } from "../windows-path.ts";
import { splitArguments } from "./arguments.ts";
import { ServiceError } from "../service-manager.ts";
import { unpacker } from "../faults.ts";
import { StepFaults } from "../step-faults.ts";

/** A command of cmd.exe, or a small Windows program, that people use by hand. Returns the exit code. */
type PlainCommand = (machine: WindowsMachine, rest: string, io: CommandIo) => Promise<number>;

/** Commands by name, without `.exe`. */
export const plainCommands: ReadonlyMap<string, PlainCommand> = new Map<string, PlainCommand>([
  ["hostname", (machine, _rest, io) => say(io, machine.computerName)],
  ["whoami", whoami],
  ["reg", regQuery],
  ["echo", (_host, rest, io) => say(io, rest)],
  ["exit", (_host, rest) => Promise.resolve(Number.parseInt(rest, 10) || 0)],
  ["ver", (_host, _rest, io) => say(io, `\n${rehearsalNotice}\n${windowsVersion}`)],
  ["systeminfo", systemInfo],
  ["type", typeFile],
  ["shutdown", shutdown],
  ["net", net],
  ["tar", tar],
  ["icacls", icacls],
]);

const windowsVersion = `Microsoft Windows [Version ${rehearsedBuild}] (rehearsal)`;

/** `/groups` only prints the integrity level: an administrator's SSH sessions are elevated. */
function whoami(machine: WindowsMachine, rest: string, io: CommandIo): Promise<number> {
  return say(
    io,
    /^\/groups\b/i.test(rest)
      ? "Mandatory Label\\High Mandatory Level  Label  S-1-16-12288"
      : `${machine.computerName.toLowerCase()}\\administrator`,
  );
}

const currentVersion = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";

/** `reg query` of the one value that distinguishes servers from clients. */
function regQuery({ version }: WindowsMachine, rest: string, io: CommandIo): Promise<number> {
  const [verb, key = "", option, value] = splitArguments(rest).map((word) => word.toLowerCase());
  const isKey = key.replace(/^hklm\\/, "hkey_local_machine\\") === currentVersion.toLowerCase();
  if (verb !== "query" || !isKey || option !== "/v" || value !== "installationtype") {
    return Promise.resolve(
      fail(io, "The rehearsed machine knows reg query of CurrentVersion's InstallationType only."),
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

async function systemInfo(machine: WindowsMachine, _rest: string, io: CommandIo): Promise<number> {
  const state = async (name: string): Promise<string> =>
    `${name} ${(await machine.services.isRunning(name)) ? "Running" : "Stopped"}`;
  const services = await Promise.all(machine.services.names().map(state));
  const lines = [
    rehearsalNotice,
    `Host Name:                 ${machine.computerName}`,
    `OS Name:                   ${rehearsedWindows.productName} (rehearsal)`,
    `OS Version:                ${rehearsedBuild}`,
    `System Boot Time:          ${machine.lastBootUpTime}`,
    `Total Physical Memory:     ${machine.programs.memoryMiB} MB`,
    `Feature Containers:        ${machine.state.features.Containers}`,
    `Services:                  ${services.join(", ") || "none"}`,
  ];
  return say(io, `\n${lines.join("\n")}`);
}

async function typeFile(machine: WindowsMachine, rest: string, io: CommandIo): Promise<number> {
  const [path] = splitArguments(rest);
  if (path === undefined) return fail(io, "The syntax of the command is incorrect.");
  const file = await machine.drive.display(path, windowsPathNames(homeFolder));
  const content = await machine.drive.readText(file);
  if (content === undefined) return fail(io, "The system cannot find the file specified.");
  io.out(content.replaceAll("\r\n", "\n"));
  return 0;
}

async function shutdown(machine: WindowsMachine, rest: string, io: CommandIo): Promise<number> {
  if (!/[/-][rsa]\b/i.test(rest)) {
    return fail(
      io,
      "The rehearsal knows shutdown /r and /s with /t <seconds>, and shutdown /a only.",
    );
  }
  const { exitCode, stderr } = await shutdownProgram(machine, splitArguments(rest));
  io.err(stderr.replaceAll("\r\n", "\n"));
  return exitCode;
}

const refusals = {
  2182: "The requested service has already been started.",
  2185: "The service name is invalid.",
  3521: "The service is not started.",
} as const;

/** `net start <service>` and `net stop <service>`, which also stops dependent services. Nothing else is rehearsed. */
async function net(machine: WindowsMachine, rest: string, io: CommandIo): Promise<number> {
  const [verb = "", name = ""] = splitArguments(rest);
  if (verb !== "start" && verb !== "stop") {
    return fail(io, "The rehearsed machine knows net start <service> and net stop <service> only.");
  }
  const service = machine.services.get(name);
  if (service === undefined) return refuse(io, 2185);
  const isRunning = await machine.services.isRunning(name);
  if (isRunning === (verb === "start")) return refuse(io, isRunning ? 2182 : 3521);
  try {
    await machine.services[verb](name);
    const done = verb === "start" ? "started" : "stopped";
    return await say(io, `The ${service.displayName} service was ${done} successfully.`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    io.err(`The ${service.displayName} service could not be started.\n${error.message}\n`);
    return 2;
  }
}

function refuse(io: CommandIo, code: keyof typeof refusals): number {
  io.err(`${refusals[code]}\n\nMore help is available by typing NET HELPMSG ${code}.\n`);
  return 2;
}

/**
 * `icacls <folder> /q /inheritance:r /grant:r <everything to administrators, reading to users>`. Nothing else is rehearsed.
 *
 * Source: https://learn.microsoft.com/windows-server/administration/windows-commands/icacls.
 */
async function icacls({ drive }: WindowsMachine, rest: string, io: CommandIo): Promise<number> {
  const [folder = "", ...given] = splitArguments(rest);
  const administrators = ["*S-1-5-18:(OI)(CI)F", "*S-1-5-32-544:(OI)(CI)F"];
  const only = ["/q", "/inheritance:r", "/grant:r", ...administrators, "*S-1-5-32-545:(OI)(CI)RX"];
  if (given.join(" ") !== only.join(" ")) {
    return fail(io, `The rehearsed machine knows icacls <folder> ${only.join(" ")} only.`);
  }
  if (!(await drive.isFolder(folder))) {
    return fail(io, `${folder}: The system cannot find the file specified.`);
  }
  await chmod(await drive.resolve(folder), 0o755);
  return 0;
}

/** `tar -xf <archive> -C <folder>`, as Windows' tar.exe. Nothing else is rehearsed. */
async function tar(machine: WindowsMachine, rest: string, io: CommandIo): Promise<number> {
  const [mode, archive = "", change, folder = "", ...more] = splitArguments(rest);
  if (mode !== "-xf" || change !== "-C" || folder === "" || more.length > 0) {
    return fail(io, "The rehearsed machine knows tar -xf <archive> -C <folder> only.");
  }
  const { drive } = machine;
  if (!(await drive.isFile(archive))) {
    return fail(io, `tar: Error opening archive: Failed to open '${archive}'`);
  }
  if (!(await drive.isFolder(folder))) return fail(io, `tar: could not chdir to '${folder}'`);
  const [file, target] = [await drive.resolve(archive), await drive.resolve(folder)];
  const faults = await StepFaults.load(machine, unpacker, () => io.dropConnection());
  try {
    await faults.start();
    drive.assertRoom();
    if (faults.wantsMiddle) await unpackHalf(machine, file, target);
    await faults.checkpoint();
    drive.assertRoom();
    machine.recentWrites.written(...(await machine.programs.unpack(file, target)));
    await faults.end();
    // tar's only result is its exit status: if the connection is cut before it, the client receives nothing.
    await faults.writeResult("", () => undefined);
    return 0;
  } catch (error) {
    if (error instanceof PowerLost) throw error;
    return fail(io, `tar: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    drive.full = false; // the fault ends with the command
  }
}

/** Unpacks half of the archive, as an interrupted tar would: some files are complete, one is cut off. */
async function unpackHalf(machine: WindowsMachine, file: string, target: string): Promise<void> {
  const half = `${file}.half`;
  const content = await readFile(file);
  await writeFile(half, content.subarray(0, content.length / 2));
  // tar fails because the rest is missing.
  await machine.programs.unpack(half, target).catch(() => undefined);
  await rm(half);
}
