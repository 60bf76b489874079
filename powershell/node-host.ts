/** The machine Node runs on, for scripts run on a developer's computer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import {
  accessDenied,
  fileExists,
  fileNotFound,
  folderNotFound,
  ioError,
} from "./dotnet/io-errors.ts";
import type { Environment, FileHandle, FileMode, Files, Host, Processes } from "./host.ts";
import { Unsupported, type Raised } from "./values.ts";

/** Output, error and input are by default those of the process. */
export interface NodeHostOptions extends Partial<Pick<Host, "output" | "error" | "input">> {
  /** Where relative paths begin. Default: the process's own. */
  readonly folder?: string;
}

export function nodeHost({ folder = process.cwd(), ...streams }: NodeHostOptions = {}): Host {
  const environment = nodeEnvironment();
  return {
    files: nodeFiles(folder),
    environment,
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      sleep: (milliseconds, signal) =>
        setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
      offset: (moment) => -new Date(moment).getTimezoneOffset(),
    },
    processes: nodeProcesses(environment),
    output: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    input: () => buffer(process.stdin),
    ...streams,
  };
}

/** .NET's errors by the codes of Node's. */
const errors: Readonly<Record<string, (file: string) => Raised>> = {
  ENOENT: (file) => (fs.existsSync(path.dirname(file)) ? fileNotFound(file) : folderNotFound(file)),
  ENOTDIR: folderNotFound,
  EACCES: accessDenied,
  EPERM: accessDenied,
  EROFS: accessDenied,
  EISDIR: accessDenied,
  EEXIST: fileExists,
};

/** Runs something on a path, with .NET's errors in place of Node's. */
function on<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : (errors[code]?.(file) ?? ioError(`${message} : '${file}'`));
  }
}

/** Files of the machine Node runs on. */
export function nodeFiles(folder: string): Files {
  return {
    separator: "/",
    resolve: (file) => path.resolve(folder, file),
    status: (file) => {
      const found = on(file, () => fs.statSync(file, { throwIfNoEntry: false }));
      return (
        found && {
          isFolder: found.isDirectory(),
          size: found.size,
          modified: found.mtimeMs,
          isReadOnly: (found.mode & 0o222) === 0,
          isHidden: path.basename(file).startsWith("."),
          isLink: fs.lstatSync(file).isSymbolicLink(),
        }
      );
    },
    list: (file) => on(file, () => fs.readdirSync(file)),
    read: (file) => on(file, () => fs.readFileSync(file)),
    write: (file, data) => on(file, () => fs.writeFileSync(file, data)),
    makeFolder: (file) => on(file, () => void fs.mkdirSync(file)),
    remove: (file) =>
      on(file, () => (fs.lstatSync(file).isDirectory() ? fs.rmdirSync(file) : fs.unlinkSync(file))),
    move: (from, to) =>
      on(from, () => {
        if (fs.existsSync(to)) {
          throw fileExists(to);
        }
        fs.renameSync(from, to);
      }),
    replace: (from, to) =>
      on(to, () => {
        if (!fs.existsSync(to)) {
          throw fileNotFound(to);
        }
        fs.renameSync(from, to);
      }),
    copy: (from, to) => on(from, () => fs.copyFileSync(from, to)),
    setModified: (file, moment) => on(file, () => fs.utimesSync(file, new Date(), moment / 1000)),
    open: (file, { mode, access }) => on(file, () => openFile(file, mode, access)),
  };
}

function openFile(
  file: string,
  mode: FileMode,
  access: "Read" | "Write" | "ReadWrite",
): FileHandle {
  const flags: Partial<Record<FileMode, string>> = {
    Open: access === "Read" ? "r" : "r+",
    Create: "w+",
    CreateNew: "wx+",
  };
  const flag = flags[mode];
  if (flag === undefined) {
    throw new Unsupported(`opening files with the mode ${mode}`);
  }
  const descriptor = fs.openSync(file, flag);
  return {
    get size() {
      return fs.fstatSync(descriptor).size;
    },
    position: 0,
    read(length) {
      const buffer = Buffer.alloc(length);
      const count = on(file, () => fs.readSync(descriptor, buffer, 0, length, this.position));
      this.position += count;
      return buffer.subarray(0, count);
    },
    write(data) {
      this.position += on(file, () =>
        fs.writeSync(descriptor, data, 0, data.length, this.position),
      );
    },
    flush: () => on(file, () => fs.fsyncSync(descriptor)),
    close: () => on(file, () => fs.closeSync(descriptor)),
  };
}

function nodeEnvironment(): Environment {
  const variables = new Map(
    Object.entries(process.env).map(([name, value]) => [name, value ?? ""]),
  );
  return {
    get: (name) => variables.get(name),
    set: (name, value = "") => {
      variables.set(name, value);
      if (value === "") {
        variables.delete(name);
      }
    },
    all: () => variables,
    machineName: os.hostname(),
  };
}

function nodeProcesses(environment: Environment): Processes {
  return {
    id: process.pid,
    find: (name) => {
      const folders = name.includes("/") ? [""] : (environment.get("PATH") ?? "").split(":");
      return folders.map((folder) => path.resolve(folder, name)).find(isProgram);
    },
    start: ({ file, args, workingDirectory }) => {
      const env = Object.fromEntries(environment.all());
      const child = spawn(file, args, { cwd: workingDirectory, env });
      const ended = once(child, "exit").then(
        ([code]) => (code as number | null) ?? -1,
        () => -1,
      );
      // A program may end without having read what is written to it.
      child.stdin.on("error", () => undefined);
      return {
        id: child.pid ?? -1,
        ended,
        stdout: buffer(child.stdout),
        stderr: buffer(child.stderr),
        writeInput: (data) => void child.stdin.write(data),
        closeInput: () => void child.stdin.end(),
        kill: () => void child.kill("SIGKILL"),
      };
    },
  };
}

function isProgram(file: string): boolean {
  const status = fs.statSync(file, { throwIfNoEntry: false });
  return status?.isFile() === true && (status.mode & 0o111) !== 0;
}
