/** The PowerShells of this machine. */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { findOnPath, isExecutable } from "../../host/search-path.ts";
import { Cut, type Ended, runUnhurried } from "./unhurried.ts";

export interface Run {
  readonly args: readonly string[];
  readonly input?: string;
  readonly folder?: string;
  /** A file that grows while it gets on. Default: its output shows that. */
  readonly writes?: string;
}

export interface Shell {
  /** E.g. "PowerShell 7.6.9 (Wine)". */
  readonly name: string;
  /** Whether it has Windows' API: drives, the registry, processes. */
  readonly isWindows: boolean;
  /** Whether Windows' API is Wine's. */
  readonly isWine: boolean;
  /** Whether it is Windows PowerShell 5.1. */
  readonly isDesktop: boolean;
  /** What this host's path is called in it. */
  path(hostPath: string): string;
  /** Does something that starts processes of its own, in the turn of one. */
  take<T>(action: () => Promise<T>): Promise<T>;
  /** Starts a process, as soon as fewer than this machine has processors are running; without profile or prompts. */
  run(run: Run): Promise<Ended>;
}

export const wineServer = "/usr/lib/wine/wineserver64";

/** Where a PowerShell for Linux comes from. */
export const howToGet =
  "Install it (https://learn.microsoft.com/powershell/scripting/install/installing-powershell), " +
  "or put the folder that has `pwsh` on the PATH.";

const environment = {
  ...{ LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TZ: "UTC", NO_COLOR: "1", TERM: "dumb" },
  POWERSHELL_TELEMETRY_OPTOUT: "1",
};

const common = ["-NoProfile", "-NonInteractive"];

/** No process was started, because the time for all of them is over. */
export class OutOfTime extends Error {}

/**
 * Calls a function with the PowerShells that were found; what they need lies in a folder that is removed then.
 *
 * @param minutes For how long they start processes. Default: as long as it takes.
 */
export async function withShells(
  use: (shells: readonly Shell[]) => Promise<void>,
  say: (line: string) => void,
  minutes = Infinity,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "powershell-"));
  const turns = new Turns(availableParallelism(), performance.now() + minutes * 60_000);
  try {
    await use(await findShells(folder, turns, say));
  } finally {
    // Without time left, nobody else waits for them.
    await turns.ended();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
}

async function findShells(
  folder: string,
  turns: Turns,
  say: (line: string) => void,
): Promise<readonly Shell[]> {
  const onPath = (name: string): Promise<string | undefined> =>
    findOnPath(name, process.env["PATH"] ?? "");
  const isWindows = process.platform === "win32";
  const found: Shell[] = [];
  for (const name of isWindows ? ["powershell.exe", "pwsh.exe"] : ["pwsh"]) {
    const program = await onPath(name);
    if (program !== undefined) found.push(await ownShell(program, isWindows, turns));
  }
  const wine = await onPath("pwsh-wine");
  if (wine !== undefined) {
    if (await isExecutable(wineServer)) found.push(await wineShell(wine, folder, turns));
    else say(`skipped: ${wine}, because Wine is missing: apt-get install wine wine64`);
  }
  return found;
}

async function ownShell(program: string, isWindows: boolean, turns: Turns): Promise<Shell> {
  // On Windows, 5.1 would find the modules of the 7 that started this, which are not for it.
  const env = isWindows ? { ...environment, PSModulePath: undefined } : environment;
  const run = ({ args, ...options }: Run): Promise<Ended> =>
    turns.take(() => ran(program, args, { ...options, env }));
  const { version, edition } = await versionOf(run);
  return {
    name: `PowerShell ${version} (${isWindows ? "Windows" : "Linux"})`,
    isWindows,
    isWine: false,
    isDesktop: edition === "Desktop",
    path: (hostPath) => hostPath,
    take: (action) => turns.take(action),
    run,
  };
}

/** Each process has, while it runs, a folder of its own that is Windows' drive C:. The program makes it where it is missing. */
async function wineShell(program: string, folder: string, turns: Turns): Promise<Shell> {
  const free: string[] = [];
  let made = 0;
  const run = ({ args, ...options }: Run): Promise<Ended> =>
    turns.take(async () => {
      const prefix = free.pop() ?? join(folder, `wine-${++made}`);
      const env = { ...environment, WINEPREFIX: prefix };
      try {
        return await ran(program, args, { ...options, env });
      } catch (error) {
        // The program has ended, but not the PowerShell that it started.
        if (error instanceof Cut) await execa(wineServer, ["-k"], { env, reject: false });
        throw error;
      } finally {
        free.push(prefix);
      }
    });
  const { version } = await versionOf(run);
  return {
    name: `PowerShell ${version} (Wine)`,
    isWindows: true,
    isWine: true,
    isDesktop: false,
    path: (hostPath) => `Z:${resolve(hostPath).replaceAll("/", "\\")}`,
    take: (action) => turns.take(action),
    run,
  };
}

async function versionOf(
  run: (run: Run) => Promise<Ended>,
): Promise<{ readonly version: string; readonly edition: string }> {
  const command = '"$($PSVersionTable.PSVersion) $($PSVersionTable.PSEdition)"';
  const { stdout, stderr } = await run({ args: ["-Command", command] });
  const [version = "", edition = ""] = stdout.trim().split(" ");
  if (version === "") throw new Error(`this PowerShell does not start: ${stderr.slice(-500)}`);
  return { version, edition };
}

function ran(
  program: string,
  args: readonly string[],
  { input = "", folder, env, writes }: Omit<Run, "args"> & { env: NodeJS.ProcessEnv },
): Promise<Ended> {
  const options = { input, env, ...(folder === undefined ? {} : { cwd: folder }) };
  return runUnhurried(program, [...common, ...args], options, writes);
}

/** Lets only so many things happen at the same time, and none begin after a moment. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #free: number;

  constructor(
    atOnce: number,
    private readonly until: number,
  ) {
    this.#free = atOnce;
  }

  async take<T>(action: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((next) => this.#waiting.push(next));
    let running: Promise<T> | undefined;
    try {
      if (performance.now() > this.until) throw new OutOfTime();
      running = action();
      this.#running.add(running);
      return await running;
    } finally {
      if (running) this.#running.delete(running);
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
  /** Waits for what has begun. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
