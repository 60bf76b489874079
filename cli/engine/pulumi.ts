import { execa } from "execa";
import { access } from "node:fs/promises";

import { builtTool } from "../../toolchain/built.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { Failure, exitCodes } from "../../host/failure.ts";
import { labVariable } from "../host-resources/processes.ts";
import { parseDeployment, type Deployment } from "./deployment.ts";
import { engineProcessEnvironment } from "./environment.ts";
import type { NodeEvent } from "./events.ts";
import { lockFolder, stateFile } from "./folders.ts";
import { redact } from "./redact.ts";

/** Longest time for a command that only reads or writes the state. */
const stateTimeoutSeconds = 60;

/** Where an engine works, and with what. */
export interface Workplace {
  /** Folder with Pulumi.yaml. */
  readonly project: string;
  /** The `pulumi` program. */
  readonly program: string;
  /** Its whole environment. */
  readonly environment: NodeJS.ProcessEnv;
  /** Folder in which it locks the stack. */
  readonly lockFolder: string;
}

/** The engine's command line, for one stack. */
export class Pulumi {
  readonly stack: string;
  readonly workplace: Workplace;

  constructor(stack: string, workplace: Workplace) {
    this.stack = stack;
    this.workplace = workplace;
  }

  /**
   * Runs a command that reads or writes the state, and returns what it prints.
   *
   * @throws with the command's own words when it fails.
   */
  async state(args: readonly string[], input = ""): Promise<string> {
    const { project, program, environment } = this.workplace;
    const result = await execa(program, [...args, "--stack", this.stack, "--non-interactive"], {
      cwd: project,
      env: environment,
      extendEnv: false,
      reject: false,
      input,
      timeout: stateTimeoutSeconds * 1000,
    });
    if (result.failed) {
      throw new Failure(
        `\`pulumi ${args.join(" ")}\` on stack ${this.stack} failed: ${result.stderr.trim() || result.shortMessage}`,
      );
    }
    return result.stdout;
  }

  /** The stack's state. */
  async exportState(...options: "--show-secrets"[]): Promise<Deployment> {
    return parseDeployment(await this.state(["stack", "export", ...options]));
  }

  /** Puts another state in the place of the stack's. */
  async importState(deployment: Deployment): Promise<void> {
    await this.state(["stack", "import"], JSON.stringify(deployment));
  }

  /**
   * Runs an operation (`up`, `preview`, `destroy`) with its output as it comes. A signal to this process goes to the
   * engine, which ends what it has begun and writes it down.
   *
   * @param onLine called with each line it prints.
   * @param onEvent called with what it does about nodes.
   * @throws when the operation fails or is interrupted; its own output has said why.
   */
  async operation(
    args: readonly string[],
    onLine: (line: string) => void = () => undefined,
    onEvent?: (event: NodeEvent) => void,
  ): Promise<void> {
    const { project, program, environment } = this.workplace;
    // Slow to load, and seldom wanted.
    const events = onEvent && (await (await import("./events.ts")).receiveEvents(onEvent));
    const running = execa(
      "setpriv",
      [
        // An engine must not live on without this process: nobody would know of it.
        ...["--pdeathsig", "KILL", program],
        ...[...args, "--stack", this.stack, "--non-interactive", "--suppress-progress"],
        ...(events === undefined ? [] : ["--event-log", events.address]),
        // Between us and the engine is a pipe; whether anybody looks, only we know.
        ...["--color", process.stdout.isTTY ? "always" : "never"],
      ],
      {
        cwd: project,
        // Without it, the engine does not know --event-log.
        env: { ...environment, ...(events && { PULUMI_DEBUG_COMMANDS: "true" }) },
        extendEnv: false,
        reject: false,
        stdin: "ignore",
        stdout: [redacted(onLine), "inherit"],
        stderr: [redacted(onLine), "inherit"],
        buffer: false,
        // Its own process group: a ^C at the terminal would otherwise reach it twice, which means "at once".
        detached: true,
        cleanup: false,
      },
    );
    const signals = passSignalsOn(running);
    const result = await running;
    events?.close();
    if (signals.stop()) {
      throw new Failure(
        "interrupted. What was made so far is in the stack's state: " +
          `\`kindows up --stack ${this.stack}\` continues, \`kindows down --stack ${this.stack}\` removes it`,
        exitCodes.interrupted,
      );
    }
    if (result.failed) {
      throw new Failure(`\`pulumi ${args[0]}\` failed; what it says above is the reason`);
    }
  }
}

/** Whatever the engine or a plugin of it prints, no secret of the lab's reaches the terminal or a log. */
function redacted(onLine: (line: string) => void): (line: unknown) => Generator<string> {
  return function* (line: unknown): Generator<string> {
    const shown = redact(String(line));
    onLine(shown);
    yield shown;
  };
}

/**
 * The engine for a stack of this project.
 *
 * @param lab Prefix of the stack's lab; marks every process that the engine starts.
 * @param further Variables for the program.
 * @throws when the tools are not prepared.
 */
export function enginePulumi(
  stack: string,
  lab: string,
  further: Readonly<Record<string, string>> = {},
): Pulumi {
  const environment = { ...engineProcessEnvironment(), [labVariable]: lab, ...further };
  return new Pulumi(stack, {
    project: projectRoot,
    program: builtTool("pulumi"),
    environment,
    lockFolder: lockFolder(stack),
  });
}

/** A child process, as far as signals are concerned. */
export interface Signalled {
  kill(signal: NodeJS.Signals): boolean;
}

/** What the engine gets for a signal; it would die of a SIGHUP at once. */
const passedOn = { SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGTERM" } as const;

/**
 * Passes signals to this process on to a child: the first asks the engine to finish what it has begun, the second to
 * stop at once, the third kills it.
 *
 * @returns an object whose `stop` ends that, and tells whether there was a signal.
 */
export function passSignalsOn(child: Signalled): { readonly stop: () => boolean } {
  let count = 0;
  const handlers = (Object.keys(passedOn) as (keyof typeof passedOn)[]).map((name) => {
    const handler = (): void => {
      count += 1;
      child.kill(count > 2 ? "SIGKILL" : passedOn[name]);
    };
    process.on(name, handler);
    return { name, handler };
  });
  return {
    stop: () => {
      for (const { name, handler } of handlers) {
        process.off(name, handler);
      }
      return count > 0;
    },
  };
}

/** Whether the stack has a state. */
export async function stackExists(stack: string): Promise<boolean> {
  return access(stateFile(stack)).then(
    () => true,
    () => false,
  );
}

/**
 * Makes the stack when it does not exist yet.
 *
 * A settings file without `encryptionsalt` gets one from the engine; the committed ones have theirs and stay as they are.
 */
export async function ensureStack(pulumi: Pulumi): Promise<void> {
  if (!(await stackExists(pulumi.stack))) {
    await pulumi.state(["stack", "init"]);
  }
}
