import { execa } from "execa";

import { builtTool } from "../../toolchain/built.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { Failure, exitCodes } from "../failure.ts";
import { labVariable } from "../lab/processes.ts";
import { engineEnvironment, unwantedVariables } from "./environment.ts";
import { passSignalsOn } from "./signals.ts";

/** Longest time for a command that only reads or writes the state. */
const stateTimeoutSeconds = 60;

/** The engine's command line, for one stack. */
export class Pulumi {
  readonly stack: string;
  /** Prefix of the stack's lab; marks every process the engine starts. */
  readonly #lab: string;

  constructor(stack: string, lab: string) {
    this.stack = stack;
    this.#lab = lab;
  }

  /**
   * Runs a command that reads or writes the state, and returns what it prints.
   *
   * @throws with the command's own words when it fails.
   */
  async state(args: readonly string[], input?: string): Promise<string> {
    const result = await execa(
      builtTool("pulumi"),
      [...args, "--stack", this.stack, "--non-interactive"],
      {
        ...this.#options(),
        reject: false,
        input: input ?? "",
        timeout: stateTimeoutSeconds * 1000,
      },
    );
    if (result.failed) {
      throw new Failure(
        `\`pulumi ${args.join(" ")}\` on stack ${this.stack} failed: ${result.stderr.trim() || result.shortMessage}`,
      );
    }
    return result.stdout;
  }

  /**
   * Runs an operation (`up`, `preview`, `destroy`) with its output as it comes. A signal to this process goes to the
   * engine, which ends what it has begun and writes it down.
   *
   * @throws when the operation fails or is interrupted; its own output has said why.
   */
  async operation(args: readonly string[]): Promise<void> {
    const running = execa(
      "setpriv",
      [
        // An engine must not live on without this process: nobody would know of it.
        ...["--pdeathsig", "KILL", builtTool("pulumi")],
        ...[...args, "--stack", this.stack, "--non-interactive", "--suppress-progress"],
      ],
      {
        ...this.#options(),
        reject: false,
        stdin: "ignore",
        stdout: "inherit",
        stderr: "inherit",
        // Its own process group: a ^C at the terminal would otherwise reach it twice, which means "at once".
        detached: true,
        cleanup: false,
      },
    );
    const interrupted = passSignalsOn(running);
    const result = await running;
    if (interrupted.stop()) {
      throw new Failure(
        `interrupted. What was begun is in the stack's state: run the same command again to go on, or \`kindows down --stack ${this.stack}\``,
        exitCodes.interrupted,
      );
    }
    if (result.failed) {
      throw new Failure(`\`pulumi ${args[0]}\` failed; what it says above is the reason`);
    }
  }

  #options(): { cwd: string; env: NodeJS.ProcessEnv; extendEnv: false } {
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      ...engineEnvironment(process.env["PATH"] ?? ""),
      [labVariable]: this.#lab,
    };
    for (const name of unwantedVariables) {
      delete env[name];
    }
    return { cwd: projectRoot, env, extendEnv: false };
  }
}
