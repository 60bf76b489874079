/** The machine Node runs on, for scripts run on a developer's computer. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {
  accessDenied,
  fileExists,
  fileNotFound,
  folderNotFound,
  ioError,
} from "./dotnet/io-errors.ts";
import type { Environment, FileHandle, FileMode, Files, Host, Processes } from "./host.ts";
import { raised } from "./types.ts";
import type { Raised } from "./values.ts";

export interface NodeHostOptions {
  /** Default: the process's own standard output and error. */
  readonly output?: (text: string) => void;
  readonly error?: (text: string) => void;
  /** Default: the process's own standard input. */
  readonly input?: () => Promise<Buffer>;
  /** Default: the process's own variables, copied. */
  readonly environment?: ReadonlyMap<string, string>;
  /** Where relative paths begin. Default: the process's own. */
  readonly folder?: string;
}

export function nodeHost(options: NodeHostOptions = {}): Host {
  const environment = nodeEnvironment(options.environment);
  return {
    files: nodeFiles(options.folder ?? process.cwd()),
    environment,
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      sleep: (milliseconds, cancelled) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          cancelled?.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve();
          });
        }),
      offset: (moment) => -new Date(moment).getTimezoneOffset(),
    },
    processes: nodeProcesses(environment),
    output: options.output ?? ((text) => void process.stdout.write(text)),
    error: options.error ?? ((text) => void process.stderr.write(text)),
    input: options.input ?? (() => collect(process.stdin)),
  };
}

/** Runs something on a path, with .NET's errors in place of Node's. */
function on<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw asRaised(error as NodeJS.ErrnoException, file);
  }
}

function asRaised(error: NodeJS.ErrnoException, file: string): Raised | Error {
  switch (error.code ?? "") {
    case "ENOENT":
      return fs.existsSync(path.dirname(file)) ? fileNotFound(file) : folderNotFound(file);
    case "ENOTDIR":
      return folderNotFound(file);
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "EISDIR":
      return accessDenied(file);
    case "EEXIST":
      return fileExists(file);
    case "ENOTEMPTY":
      return ioError(`Directory not empty : '${file}'`);
    default:
      return error.code === undefined ? error : ioError(`${error.message} : '${file}'`);
  }
}

function nodeFiles(folder: string): Files {
  return {
    separator: "/",
    resolve: (file) => path.resolve(folder, file),
    status: (file) => {
      const found = on(file, () => fs.statSync(file, { throwIfNoEntry: false }));
      return (
        found && {
          isFolder: found.isDirectory(),
          size: found.size,
          created: found.birthtimeMs,
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
    move: (from, to) => {
      on(from, () => fs.lstatSync(from));
      if (fs.existsSync(to)) {
        throw fileExists(to);
      }
      on(to, () => fs.renameSync(from, to));
    },
    copy: (from, to) => {
      on(from, () => fs.statSync(from));
      on(to, () => fs.copyFileSync(from, to));
    },
    setModified: (file, moment) => on(file, () => fs.utimesSync(file, new Date(), moment / 1000)),
    open: (file, { mode, access }) => on(file, () => openFile(file, mode, access)),
  };
}

function openFile(
  file: string,
  mode: FileMode,
  access: "Read" | "Write" | "ReadWrite",
): FileHandle {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC } = fs.constants;
  const flags: Record<FileMode, number> = {
    Open: 0,
    Create: O_CREAT | O_TRUNC,
    CreateNew: O_CREAT | O_EXCL,
    OpenOrCreate: O_CREAT,
    Append: O_CREAT,
    Truncate: O_TRUNC,
  };
  const descriptor = fs.openSync(
    file,
    flags[mode] | (access === "Read" ? O_RDONLY : access === "Write" ? O_WRONLY : O_RDWR),
  );
  if (fs.fstatSync(descriptor).isDirectory()) {
    fs.closeSync(descriptor);
    throw accessDenied(file);
  }
  return {
    get size() {
      return fs.fstatSync(descriptor).size;
    },
    position: mode === "Append" ? fs.fstatSync(descriptor).size : 0,
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
    truncate: (length) => on(file, () => fs.ftruncateSync(descriptor, length)),
    close: () => on(file, () => fs.closeSync(descriptor)),
  };
}

function nodeEnvironment(initial: ReadonlyMap<string, string> | undefined): Environment {
  const variables = new Map(
    initial ?? Object.entries(process.env).map(([name, value]) => [name, value ?? ""]),
  );
  return {
    get: (name) => variables.get(name),
    set: (name, value) => {
      if (value === undefined || value === "") {
        variables.delete(name);
      } else {
        variables.set(name, value);
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
    start: ({ file, args, workingDirectory, environment: variables, inherit = false }) => {
      const child = spawn(file, args, {
        cwd: workingDirectory,
        env: Object.fromEntries(variables ?? environment.all()),
        stdio: inherit ? ["inherit", "pipe", "inherit"] : "pipe",
      });
      const ended = new Promise<number>((resolve) => {
        child.on("error", () => resolve(-1));
        child.on("exit", (code, signal) =>
          resolve(code ?? 128 + (signal ? os.constants.signals[signal] : 0)),
        );
      });
      if (child.pid === undefined) {
        throw raised(
          "System.ComponentModel.Win32Exception",
          `An error occurred trying to start process '${file}' with working directory '${workingDirectory ?? process.cwd()}'. No such file or directory`,
        );
      }
      // A program may end without having read what is written to it.
      child.stdin?.on("error", () => undefined);
      return {
        id: child.pid,
        ended,
        stdout: collect(child.stdout),
        stderr: collect(child.stderr),
        writeInput: (data) => void child.stdin?.write(data),
        closeInput: () => void child.stdin?.end(),
        kill: () => void child.kill("SIGKILL"),
      };
    },
  };
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

async function collect(stream: NodeJS.ReadableStream | null): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream ?? []) {
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts);
}
