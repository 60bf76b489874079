import { Argument } from "commander";
import type { Command } from "commander";

import { completeCommand, shells } from "../completion/shell-scripts.ts";
import type { Shell } from "../completion/shell-scripts.ts";
import { commandRunner } from "./run-command.ts";
import type { StackOption } from "./run-command.ts";

/** Commands about a user's shell. */
export function addShellCommands(program: Command): void {
  const run = commandRunner(program);
  program
    .command("env")
    .description("print what a shell needs for plain `pulumi` on the stack")
    .action(run<object>(async (options) => (await import("../commands/env.ts")).env(options)));

  program
    .command("completion")
    .description("print what a shell needs to complete kindows: source <(kindows completion bash)")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .action(async (shell: Shell) => {
      process.exitCode = (await import("../commands/completion.ts")).printCompletion(shell);
    });

  program
    .command(completeCommand, { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { printCandidates } = await import("../commands/completion.ts");
      const { stack } = program.opts<StackOption>();
      process.exitCode = await printCandidates(program, words, stack);
    });
}
