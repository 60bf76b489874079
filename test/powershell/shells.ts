/** The PowerShells of this machine. */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { findOnPath, isExecutable } from "../../host/search-path.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";

export interface Run {
  readonly args: readonly string[];
  readonly input?: string;
  readonly folder?: string;
  /** Default: 120. */
  readonly timeoutSeconds?: number;
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** -1: ended by its limit of time. */
  readonly exitCode: number;
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
  /** Starts a process, as soon as fewer than this machine has processors are running; without profile or prompts. */
  run(run: Run): Promise<Ran>;
}

const wineServer = "/usr/lib/wine/wineserver64";

/** Where a PowerShell for Linux comes from. */
export const howToGet =
  "Install it (https://learn.microsoft.com/powershell/scripting/install/installing-powershell), " +
  "or put the folder that has `pwsh` on the PATH.";

const environment = {
  ...{ LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TZ: "UTC", NO_COLOR: "1", TERM: "dumb" },
  POWERSHELL_TELEMETRY_OPTOUT: "1",
};

const common = ["-NoProfile", "-NonInteractive"];

/** Calls a function with the PowerShells that were found; what they need lies in a folder that is removed then. */
export async function withShells(
  use: (shells: readonly Shell[]) => Promise<void>,
  say: (line: string) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "powershell-"));
  try {
    await use(await findShells(folder, say));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
}

async function findShells(folder: string, say: (line: string) => void): Promise<readonly Shell[]> {
  const turns = new Turns(availableParallelism());
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
    // The program says where it looks; its package puts nothing on the PATH.
    const isThere = await Promise.all(
      ["/usr/lib/wine/wine64", "/usr/bin/wine64"].map(isExecutable),
    );
    if (!isThere.includes(true)) await ensureHostPackages(["wine64"], say);
    found.push(await wineShell(wine, folder, turns));
  }
  return found;
}

async function ownShell(program: string, isWindows: boolean, turns: Turns): Promise<Shell> {
  const run = ({ args, ...options }: Run): Promise<Ran> =>
    turns.take(() => ran(program, args, { ...options, env: environment }));
  const { version, edition } = await versionOf(run);
  return {
    name: `PowerShell ${version} (${isWindows ? "Windows" : "Linux"})`,
    isWindows,
    isWine: false,
    isDesktop: edition === "Desktop",
    path: (hostPath) => hostPath,
    run,
  };
}

/** Each process has, while it runs, a folder of its own that is Windows' drive C:. The program makes it where it is missing. */
async function wineShell(program: string, folder: string, turns: Turns): Promise<Shell> {
  const free: string[] = [];
  let made = 0;
  const run = ({ args, ...options }: Run): Promise<Ran> =>
    turns.take(async () => {
      const prefix = free.pop() ?? join(folder, `wine-${++made}`);
      const env = { ...environment, WINEPREFIX: prefix };
      try {
        const result = await ran(program, args, { ...options, env });
        // The program has ended, but not the PowerShell that it started.
        if (result.exitCode === -1) await execa(wineServer, ["-k"], { env, reject: false });
        return result;
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
    run,
  };
}

async function versionOf(
  run: (run: Run) => Promise<Ran>,
): Promise<{ readonly version: string; readonly edition: string }> {
  const command = '"$($PSVersionTable.PSVersion) $($PSVersionTable.PSEdition)"';
  const { stdout, stderr } = await run({ args: ["-Command", command], timeoutSeconds: 300 });
  const [version = "", edition = ""] = stdout.trim().split(" ");
  if (version === "") throw new Error(`this PowerShell does not start: ${stderr.slice(-500)}`);
  return { version, edition };
}

async function ran(
  program: string,
  args: readonly string[],
  { input = "", folder, timeoutSeconds = 120, env }: Omit<Run, "args"> & { env: NodeJS.ProcessEnv },
): Promise<Ran> {
  const result = await execa(program, [...common, ...args], {
    ...{ input, env, stripFinalNewline: false, reject: false, timeout: timeoutSeconds * 1000 },
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  const { stdout, stderr, exitCode, timedOut } = result;
  return { stdout, stderr, exitCode: timedOut ? -1 : (exitCode ?? -1) };
}

/** Lets only so many things happen at the same time. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async take<T>(action: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((next) => this.#waiting.push(next));
    try {
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
