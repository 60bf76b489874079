import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { parse } from "yaml";
import * as z from "zod";

import { builtTool } from "../../toolchain/built.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { Failure, exitCodes } from "../../host/failure.ts";
import { labVariable } from "../../config/names.ts";
import { chosenBackend } from "./backend.ts";
import { parseDeployment, type Deployment, type StateResource } from "./deployment.ts";
import { engineProcessEnvironment } from "./environment.ts";
import type { NodeEvent } from "./events.ts";
import { lockFolder } from "./folders.ts";
import { limitMinutes, OverdueOperations } from "./overdue.ts";
import { printingAbove } from "../progress.ts";
import { redact, RedactedLines } from "../../components/redact.ts";

/** Longest time for a command that only reads or writes the state. */
const stateTimeoutSeconds = 60;

/** Exit code of `pulumi` if the stack does not exist (https://pulumi.com/docs/iac/cli/exit-codes/). */
const stackNotFound = 6;

interface Ended {
  readonly failed: boolean;
  readonly exitCode?: number | undefined;
  readonly stdout: string;
  readonly errorText: string;
}

/** Time limits for operations whose provider has none. */
interface TimeLimits {
  readonly limits: Readonly<Record<string, number>>;
  /** Seconds that other operations get to end once one is overdue. */
  readonly graceSeconds: number;
}

interface Operation {
  /** `up`, `preview` or `destroy`, and its options. */
  readonly args: readonly string[];
  /** Called with each line that the engine prints. */
  readonly onLine?: (line: string) => void;
  /** Called with events of nodes. */
  readonly onEvent?: (event: NodeEvent) => void;
  readonly timeLimits?: TimeLimits;
  /** The resources of a stack that is destroyed. */
  readonly leaving?: readonly StateResource[];
}

const ignore = (): void => undefined;

interface Workplace {
  readonly project: string;
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Folder of the engine's locks of the stack, if the backend is this clone's. */
  readonly lockFolder: string;
  readonly backend?: string | undefined;
}

export class Pulumi {
  constructor(
    readonly stack: string,
    readonly workplace: Workplace,
  ) {}

  /**
   * Runs a command that reads or writes the state, and returns what it prints.
   *
   * @throws with the command's error message, or with the backend's problem if there is one.
   */
  async state(args: readonly string[], input = ""): Promise<string> {
    return this.#printed(args, await this.#run(args, input));
  }

  async #printed(args: readonly string[], { failed, stdout, errorText }: Ended): Promise<string> {
    if (!failed) return stdout;
    const failure = `\`pulumi ${args.join(" ")}\` on stack ${this.stack} failed: ${errorText}`;
    throw new Failure((await this.#backendProblem()) ?? failure);
  }

  /** Why the user's own backend cannot be used, and what to do; undefined if it can, or none is chosen. */
  async #backendProblem(): Promise<string | undefined> {
    const { backend } = this.workplace;
    if (backend === undefined) return undefined;
    const { failed, errorText } = await this.#run(["stack", "ls"]);
    if (!failed) return undefined;
    const reason = errorText.split("\n")[0]?.replace(/^error: /, "") ?? "";
    return redact(
      `the backend ${backend} cannot be used (${reason}): log in to it with \`pulumi login\`, or with the ` +
        "credentials of its store, or name another one in PULUMI_BACKEND_URL",
    );
  }

  async #run(args: readonly string[], input = ""): Promise<Ended> {
    const { project, program, environment } = this.workplace;
    const result = await execa(program, [...args, "--stack", this.stack, "--non-interactive"], {
      cwd: project,
      env: environment,
      extendEnv: false,
      reject: false,
      input,
      timeout: stateTimeoutSeconds * 1000,
    });
    const { failed, exitCode, stdout, stderr, shortMessage } = result;
    // Skips earlier warnings of the backend's libraries.
    const errorText = stderr.slice(Math.max(0, stderr.search(/^error: /m))).trim();
    return { failed, exitCode, stdout, errorText: errorText || (shortMessage ?? "") };
  }

  async exportState(...options: "--show-secrets"[]): Promise<Deployment> {
    return parseDeployment(await this.state(["stack", "export", ...options]));
  }

  /** State of a stack; undefined if the stack does not exist. */
  async findState(): Promise<Deployment | undefined> {
    const args = ["stack", "export"];
    const ended = await this.#run(args);
    return ended.exitCode === stackNotFound
      ? undefined
      : parseDeployment(await this.#printed(args, ended));
  }

  async importState(deployment: Deployment): Promise<void> {
    await this.state(["stack", "import"], JSON.stringify(deployment));
  }

  /**
   * Runs an operation and shows its output. Signals are passed on to the engine, which finishes what it has begun and
   * saves the state.
   *
   * @throws if the operation fails, is interrupted or does not end.
   */
  async operation({
    args,
    onLine = ignore,
    onEvent = ignore,
    timeLimits: { limits, graceSeconds } = { limits: limitMinutes, graceSeconds: 60 },
    leaving,
  }: Operation): Promise<void> {
    const { project, program, environment } = this.workplace;
    const ended = new AbortController();
    let problem: string | undefined;
    const overdue = new OverdueOperations((found) => {
      problem = found;
      void endEngine(running, graceSeconds, ended.signal);
    }, limits);
    const listen = async () => {
      const { receiveEvents } = await import("./events.ts");
      return receiveEvents((event, ofNode) => {
        overdue.read(event);
        if (ofNode !== undefined) onEvent(ofNode);
      }, leaving);
    };
    // A preview needs no events, and their module is slow to load.
    const events = args[0] === "preview" ? undefined : await listen();
    const running = execa(
      "setpriv",
      [
        // The engine must not outlive this process unnoticed.
        ...["--pdeathsig", "KILL", program],
        ...[...args, "--stack", this.stack, "--non-interactive", "--suppress-progress"],
        ...(events === undefined ? [] : ["--event-log", events.address]),
        // The engine writes to a pipe, so it cannot see whether there is a terminal.
        ...["--color", process.stdout.isTTY ? "always" : "never"],
      ],
      {
        cwd: project,
        // Enables --event-log.
        env: { ...environment, ...(events && { PULUMI_DEBUG_COMMANDS: "true" }) },
        extendEnv: false,
        reject: false,
        stdin: "ignore",
        ...outputs(onLine),
        buffer: false,
        // Its own process group: otherwise a ^C would reach it twice, which means "stop at once".
        detached: true,
        cleanup: false,
      },
    );
    running.stdout?.resume();
    running.stderr?.resume();
    const signals = passSignalsOn(running);
    const result = await running;
    ended.abort();
    overdue.stop();
    events?.close();
    if (signals.stop()) {
      throw new Failure(
        "interrupted. What was made so far is in the stack's state: " +
          `\`kindows up --stack ${this.stack}\` continues, \`kindows down --stack ${this.stack}\` removes it`,
        exitCodes.interrupted,
      );
    }
    if (problem !== undefined) {
      throw new Failure(
        `\`pulumi ${args[0]}\` was stopped: ${problem}, then run again: unfinished resources are removed, and the rest continues`,
      );
    }
    if (result.failed) {
      throw new Failure(`\`pulumi ${args[0]}\` failed; its output above has the reason`);
    }
  }
}

/** Where the engine's lines go: to this process's own outputs or, on a terminal with a table, above that. */
function outputs(onLine: (line: string) => void) {
  const above = printingAbove();
  if (above === undefined) {
    return {
      stdout: [redacted(onLine), "inherit" as const],
      stderr: [redacted(onLine), "inherit" as const],
    };
  }
  const toTerminal = (): ReturnType<typeof redacted> => {
    const lines = redacted((line) => {
      onLine(line);
      above(line);
    });
    // Nothing is left for a pipe that nobody reads.
    return function* (line): Generator<string> {
      yield* [...lines(line)].slice(0, 0);
    };
  };
  return { stdout: [toTerminal()], stderr: [toTerminal()] };
}

function redacted(onLine: (line: string) => void): (line: unknown) => Generator<string> {
  const lines = new RedactedLines();
  return function* (line: unknown): Generator<string> {
    for (const shown of lines.next(String(line))) {
      onLine(shown);
      yield shown;
    }
  };
}

/**
 * The engine for a stack of this project.
 *
 * @param lab prefix of the stack's lab, for the environment of every process that the engine starts. Not needed to read
 *   the state.
 * @param further variables for the program.
 * @throws when the tools are not prepared.
 */
export function enginePulumi(
  stack: string,
  lab?: string,
  further: Readonly<Record<string, string>> = {},
): Pulumi {
  const marker = lab === undefined ? {} : { [labVariable]: lab };
  return new Pulumi(stack, {
    project: projectRoot,
    program: builtTool("pulumi"),
    environment: { ...engineProcessEnvironment(), ...marker, ...further },
    lockFolder: lockFolder(stack),
    backend: chosenBackend(),
  });
}

interface Signalled {
  kill(signal: NodeJS.Signals): boolean;
}

/** Stops an engine that waits indefinitely. Other operations get time to end between the three signals. */
async function endEngine(
  engine: Signalled,
  graceSeconds: number,
  ended: AbortSignal,
): Promise<void> {
  for (const signal of ["SIGINT", "SIGINT", "SIGKILL"] as const) {
    if (!ended.aborted) engine.kill(signal);
    await sleep(graceSeconds * 1000, undefined, { signal: ended }).catch(() => undefined);
  }
}

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Passes this process's signals on to a child: the first asks the engine to finish what it has begun, the second to stop
 * at once, the third kills it.
 *
 * @returns an object whose `stop` ends this, and returns whether there was a signal.
 */
export function passSignalsOn(child: Signalled): { readonly stop: () => boolean } {
  let count = 0;
  const handlers = passedOn.map((name) => {
    // SIGHUP would kill the engine at once.
    const first = name === "SIGHUP" ? "SIGTERM" : name;
    const handler = (): void => {
      count += 1;
      child.kill(count > 2 ? "SIGKILL" : first);
    };
    process.on(name, handler);
    return { name, handler };
  });
  return {
    stop: () => {
      for (const { name, handler } of handlers) process.off(name, handler);
      return count > 0;
    },
  };
}

/**
 * Arguments that create a stack with the secrets provider of its settings file, which the engine alone would ignore.
 *
 * The engine adds an `encryptionsalt` to a settings file without one; the committed files have theirs and stay unchanged.
 */
export function initArguments(settings: string): readonly string[] {
  const { data } = providerSchema.safeParse(parse(settings));
  return ["stack", "init", ...(data ? ["--secrets-provider", data.secretsprovider] : [])];
}

const providerSchema = z.object({ secretsprovider: z.string() });
