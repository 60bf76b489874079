import { type ChildProcess, spawn } from "node:child_process";
import type { StartOptions } from "../host/programs.ts";
import { wineEnvironment, wineLoader } from "../wine/guest-root.ts";

export interface WineStart extends StartOptions {
  /** Linux folder below drive C: from elsewhere the program would see drive Z:, the Linux root. */
  readonly cwd: string;
  readonly stdio: ("pipe" | "ignore" | number)[];
}

/**
 * What spares an emulated CPU: garbage is collected four times as rarely, a program's threads do not wake each other up
 * (under Wine each time is a call of its server; a third of all calls of a running node were that), and none is stopped
 * from outside to let another run: under Wine that takes four such calls.
 */
const goEnvironment = { GOGC: "400", GOMAXPROCS: "1", GODEBUG: "asyncpreemptoff=1" };

/** Starts a program, by its Windows path, in a process group of its own. */
export type StartProgram = (
  exe: string,
  args: readonly string[],
  options: WineStart,
) => ChildProcess;

/** Starts a program where this process has Wine's root as its own, as in the guest. */
export const startWine: StartProgram = (exe, args, options) =>
  spawn(wineLoader, [exe, ...args], {
    cwd: options.cwd,
    env: processEnvironment(options),
    stdio: options.stdio,
    detached: true,
  });

export function processEnvironment(options: WineStart): Record<string, string> {
  return {
    ...wineEnvironment,
    ...goEnvironment,
    ...Object.fromEntries((options.environment ?? []).map(variable)),
    WINEPATH: (options.path ?? []).join(";"),
  };
}

function variable(text: string): [name: string, value: string] {
  const equals = text.indexOf("=");
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** Kills a program and what it has started; nothing happens when it is gone already. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
