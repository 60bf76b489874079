import { type ChildProcess, spawn } from "node:child_process";
import type { StartOptions } from "../machine/programs.ts";
import { wineEnvironment, wineLoader } from "../wine/guest-root.ts";

interface WineStart extends StartOptions {
  /** A Linux folder within drive C:. In any other folder the program would be on drive Z:, the Linux root. */
  readonly cwd: string;
  readonly stdio: ("pipe" | "ignore" | number)[];
}

/**
 * Go settings that save work on an emulated CPU. GOGC: collect garbage a quarter as often. GOMAXPROCS: threads do not wake
 * each other, which under Wine is a server call each time and was a third of all server calls of a running node.
 * asyncpreemptoff: goroutines are not preempted, which under Wine takes four server calls.
 */
const goEnvironment = { GOGC: "400", GOMAXPROCS: "1", GODEBUG: "asyncpreemptoff=1" };

/** Starts a program, named by its Windows path, in a new process group. */
export type StartProgram = (
  exe: string,
  args: readonly string[],
  options: WineStart,
) => ChildProcess;

/** Starts a program if Wine is in this process' own root file system, as in the guest. */
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

/** Kills a program and the processes it has started. Does nothing if it has already ended. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
