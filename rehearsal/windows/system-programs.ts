/**
 * Programs in System32 that scripts start.
 *
 * Sources: https://curl.se/docs/manpage.html,
 * https://man.freebsd.org/cgi/man.cgi?query=bsdtar (Windows' tar.exe),
 * https://learn.microsoft.com/windows-server/administration/windows-commands (rd, takeown, icacls, ipconfig, route, shutdown, certutil),
 * https://learn.microsoft.com/windows-server/networking/windows-time-service/windows-time-service-tools-and-settings (w32tm),
 * https://learn.microsoft.com/windows/win32/debug/system-error-codes--1000-1299-.
 */
import { X509Certificate } from "node:crypto";
import { lstat, readdir, readFile, rmdir, symlink, unlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { create } from "tar";
import { Unsupported } from "../powershell/values.ts";
import type { Drive } from "../machine/drive.ts";
import type { ProgramResult } from "../machine/programs.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";

export type SystemProgram = (
  machine: WindowsMachine,
  args: readonly string[],
  killed?: AbortSignal,
  stdin?: string,
) => Promise<ProgramResult>;

const done: ProgramResult = { exitCode: 0, stdout: "", stderr: "" };

function failed(exitCode: number, stderr: string): ProgramResult {
  return { exitCode, stdout: "", stderr };
}

export const hostname: SystemProgram = ({ computerName }) =>
  Promise.resolve({ ...done, stdout: `${computerName}\r\n` });

/** `curl.exe --head https://HOST:PORT/...`. The answer only contains the status and the Date header. */
export const curl: SystemProgram = async ({ programs }, args) => {
  const url = new URL(args.at(-1) ?? "");
  const seconds = Number(args[args.indexOf("--max-time") + 1]);
  const port = Number(url.port === "" ? 443 : url.port);
  const time = await programs.serverTime(url.hostname, port, seconds);
  if (!time) {
    return failed(7, `curl: (7) Failed to connect to ${url.hostname} port ${port}\n`);
  }
  return { ...done, stdout: `HTTP/1.1 200 OK\r\nDate: ${time.toUTCString()}\r\n\r\n` };
};

/** `tar.exe -x -z -f ARCHIVE -C FOLDER --strip-components N`. */
export const tar: SystemProgram = async ({ drive, programs, recentWrites }, args) => {
  if (args[0] === "-c") return pack(drive, args);
  const [x, z, f, archive = "", C, folder = "", strip, count = "", ...more] = args;
  if ([x, z, f, C, strip].join(" ") !== "-x -z -f -C --strip-components" || more.length > 0) {
    throw new Unsupported(`tar.exe ${args.join(" ")}`);
  }
  if (!(await drive.isFile(archive))) {
    return failed(1, `tar: Error opening archive: Failed to open '${archive}'\r\n`);
  }
  if (drive.full) return failed(1, "tar: Write failed: No space left on device\r\n");
  try {
    const [from, to] = [await drive.resolve(archive), await drive.resolve(folder)];
    recentWrites.written(...(await programs.unpack(from, to, Number(count))));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    return failed(1, `tar: Error opening archive: ${reason}\r\n`);
  }
  return done;
};

/** `tar.exe -c -z -f ARCHIVE -C FOLDER .` */
async function pack(drive: Drive, args: readonly string[]): Promise<ProgramResult> {
  const [c, z, f, archive = "", C, folder = "", all, ...more] = args;
  if ([c, z, f, C, all].join(" ") !== "-c -z -f -C ." || more.length > 0) {
    throw new Unsupported(`tar.exe ${args.join(" ")}`);
  }
  if (drive.full) return failed(1, "tar: Write error: No space left on device\r\n");
  const [file, cwd] = [await drive.resolve(archive), await drive.resolve(folder)];
  await create({ file, cwd, gzip: true, portable: true }, ["."]);
  return done;
}

/** `cmd.exe /d /c rd /s /q FOLDER`. Files in use are not removed. */
export const cmd: SystemProgram = async (machine, args) => {
  if (args.slice(0, 4).join(" ") === "/d /c mklink /J") return junction(machine, args.slice(4));
  const [d, c, rd, s, q, folder = "", ...more] = args;
  if ([d, c, rd, s, q].join(" ") !== "/d /c rd /s /q" || more.length > 0) {
    throw new Unsupported(`cmd.exe ${args.join(" ")}`);
  }
  const left = await removeTree(machine, folder, await machine.drive.resolve(folder));
  if (left.length === 0) return done;
  return failed(5, left.map((path) => `${path} - Access is denied.\r\n`).join(""));
};

/** A link to a folder. */
async function junction(
  { drive }: WindowsMachine,
  args: readonly string[],
): Promise<ProgramResult> {
  const [link = "", target = "", ...more] = args;
  if (target === "" || more.length > 0) throw new Unsupported(`mklink /J ${args.join(" ")}`);
  const [file, folder] = [await drive.resolve(link), await drive.resolve(target)];
  await symlink(relative(dirname(file), folder), file);
  return { ...done, stdout: `Junction created for ${link} <<===>> ${target}\r\n` };
}

/** Removes a file, a link, or a folder with its content. Returns the files that could not be removed. */
async function removeTree(machine: WindowsMachine, path: string, file: string): Promise<string[]> {
  machine.assertPower();
  if (!(await lstat(file)).isDirectory()) {
    const { openFiles, runningPrograms, services } = machine;
    if (openFiles.has(path) || runningPrograms.has(path) || (await services.runs(path))) {
      return [path];
    }
    await unlink(file);
    return [];
  }
  const left: string[] = [];
  for (const name of await readdir(file)) {
    left.push(...(await removeTree(machine, `${path}\\${name}`, join(file, name))));
  }
  if (left.length === 0) {
    await rmdir(file);
  }
  return left;
}

/** Does nothing: the account that runs scripts owns all files and has full access to them. */
export const takeown: SystemProgram = () => Promise.resolve(done);
export const icacls = takeown;

/** `w32tm /resync`: no time server answers. */
export const w32tm: SystemProgram = () =>
  Promise.resolve({
    exitCode: -2147023728,
    stdout:
      "Sending resync command to local computer\r\nThe computer did not resync because no time data was available.\r\n",
    stderr: "",
  });

/** Of the machine's root certificates, by SHA-1 (https://learn.microsoft.com/windows/win32/seccrypto/system-store-locations). */
const rootStore = "SOFTWARE\\Microsoft\\SystemCertificates\\ROOT\\Certificates";

/** `certutil.exe -f -addstore Root FILE` and `certutil.exe -delstore Root SHA1`. */
export const certutil: SystemProgram = async ({ drive, registry, save }, args) => {
  const [verb, file, ...more] = args.join(" ").startsWith("-f -addstore Root ")
    ? ["-addstore", ...args.slice(3)]
    : args.join(" ").startsWith("-delstore Root ")
      ? ["-delstore", ...args.slice(2)]
      : [];
  if (verb === undefined || file === undefined || more.length > 0) {
    throw new Unsupported(`certutil.exe ${args.join(" ")}`);
  }
  if (verb === "-addstore") {
    const certificate = new X509Certificate(await readFile(await drive.resolve(file)));
    const thumbprint = certificate.fingerprint.replaceAll(":", "");
    registry
      .make(`${rootStore}\\${thumbprint}`)
      .set("Blob", certificate.raw.toString("base64"), "String");
  } else {
    registry.remove(`${rootStore}\\${file}`);
  }
  await save();
  return { ...done, stdout: `CertUtil: ${verb} command completed successfully.\r\n` };
};

export const ipconfig: SystemProgram = ({ programs }) => {
  const lines = programs.addresses().map((each) => `   IPv4 Address. . : ${each}\r\n`);
  return Promise.resolve({ ...done, stdout: lines.join("") });
};

/** `route.exe print`, without the routes to the machine's own segments. */
export const route: SystemProgram = ({ routesInForce }, args) => {
  if (args.join(" ") !== "print") throw new Unsupported(`route.exe ${args.join(" ")}`);
  const lines = routesInForce.map(({ destination, nextHop }) => `  ${destination}  ${nextHop}\r\n`);
  return Promise.resolve({ ...done, stdout: lines.join("") });
};

/** ERROR_SHUTDOWN_IS_SCHEDULED, ERROR_NO_SHUTDOWN_IN_PROGRESS, ERROR_INVALID_PARAMETER. */
const refusals = {
  1190: "A system shutdown has already been scheduled.",
  1116: "Unable to abort the system shutdown because no shutdown was in progress.",
  87: "The parameter is incorrect.",
} as const;

const refused = (code: keyof typeof refusals) =>
  failed(code, `${refusals[code]}(${String(code)})\r\n`);

/** `shutdown /r /t SECONDS`, `/s` which powers off, and `/a`, which cancels both. */
export const shutdown: SystemProgram = async ({ programs }, args) => {
  const words = args.map((word) => word.toLowerCase().replace(/^-/, "/"));
  if (words.includes("/a")) return (await programs.callOffReboot()) ? done : refused(1116);
  const powersOff = words.includes("/s");
  if (words.includes("/r") === powersOff) {
    throw new Unsupported("shutdown.exe without one of /r, /s and /a");
  }
  const seconds = Number(words.includes("/t") ? words[words.indexOf("/t") + 1] : 30);
  if (!Number.isInteger(seconds) || seconds < 0) return refused(87);
  const isScheduled = await programs.reboot(seconds, powersOff ? "power off" : "reboot");
  return isScheduled ? done : refused(1190);
};
