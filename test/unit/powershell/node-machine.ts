/** The machine Node runs on as a script finds it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { Environment, Host, Processes } from "../../../powershell/host.ts";
import { nodeFiles } from "../../../rehearsal/windows/linux-files.ts";

export interface NodeHostOptions extends Pick<Host, "output" | "error" | "input"> {
  /** Where relative paths begin. Default: the process's own. */
  readonly folder?: string;
}

export function nodeHost({ folder = process.cwd(), ...streams }: NodeHostOptions): Host {
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
    ...streams,
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
