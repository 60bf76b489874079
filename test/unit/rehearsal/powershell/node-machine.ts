/** The machine that Node.js runs on, for scripts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { realTime } from "../../../../rehearsal/machine/machine-time.ts";
import type { WindowsEnvironment } from "../../../../rehearsal/windows/environment.ts";
import { nodeFiles } from "../../../../rehearsal/windows/linux-files.ts";
import type { ScriptMachine } from "../../../../rehearsal/windows/machine-types.ts";
import { NamedMutexes } from "../../../../rehearsal/windows/mutexes.ts";
import { outcome, type Processes } from "../../../../rehearsal/windows/processes.ts";

export interface NodeHostOptions extends Pick<ScriptMachine, "output" | "error" | "input"> {
  /** Folder of relative paths. Default: the process's working directory. */
  readonly folder?: string;
}

export function nodeHost({ folder = process.cwd(), ...streams }: NodeHostOptions): ScriptMachine {
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
    programs: nodeProcesses(environment),
    computerName: os.hostname(),
    is64Bit: true,
    build: 20348,
    mutexes: new NamedMutexes(realTime),
    ...streams,
  };
}

function nodeEnvironment(): WindowsEnvironment {
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
  };
}

function nodeProcesses(environment: WindowsEnvironment): Processes {
  return {
    find: (name) => {
      const folders = name.includes("/") ? [""] : (environment.get("PATH") ?? "").split(":");
      return folders.map((folder) => path.resolve(folder, name)).find(isProgram);
    },
    run(file, args, input) {
      return outcome(this.start({ file, args }), input);
    },
    start: ({ file, args, workingDirectory }) => {
      const env = Object.fromEntries(environment.all());
      const child = spawn(file, args, { cwd: workingDirectory, env });
      const ended = once(child, "exit").then(
        ([code]) => (code as number | null) ?? -1,
        () => -1,
      );
      // A program may end without reading its input.
      child.stdin.on("error", () => undefined);
      return {
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
