import type { Command } from "commander";

import type { PolicyOptions } from "../commands/policy.ts";
import type { PreviewDiffOptions } from "../commands/preview-diff.ts";
import { commaList } from "../arguments.ts";
import { fetchOption } from "./fetch-option.ts";
import { commandRunner } from "./run-command.ts";

/** Commands about what the stack asks for, and the lab that it becomes. */
export function addStackCommands(program: Command): void {
  const run = commandRunner(program);
  program
    .command("up")
    .description("make the lab, or bring it up to date; ends with the table of nodes")
    .addOption(fetchOption())
    .option("--verbose", "print the engine's own log as well, all of it", false)
    .action(
      run<{ yes: boolean; verbose: boolean }>(async (options) =>
        (await import("../commands/up.ts")).up(options),
      ),
    );

  program
    .command("down")
    .description("remove the lab and all it left on this host")
    .action(run<object>(async (options) => (await import("../commands/down.ts")).down(options)));

  program
    .command("preview")
    .description("show what `up` would change")
    .action(
      run<object>(async (options) => (await import("../commands/preview.ts")).preview(options)),
    );

  program
    .command("preview-diff")
    .description("what a change does to the stacks, as Markdown: for pull requests")
    .requiredOption("--base <reference>", "branch, tag or commit to compare with")
    .option("--out <file>", "where to write it, instead of standard output")
    .option("--stacks <names>", "only these, separated by commas; else all it touches", commaList)
    .action(
      run<PreviewDiffOptions>(async (options) =>
        (await import("../commands/preview-diff.ts")).previewDiff(options),
      ),
    );

  program
    .command("policy")
    .description("whether what the stacks ask for keeps the rules in policy/")
    .option("--stacks <names>", "only these, separated by commas; else all", commaList)
    .option("--rules", "only list the rules", false)
    .action(
      run<PolicyOptions>(async (options) =>
        (await import("../commands/policy.ts")).policy(options),
      ),
    );

  program
    .command("topology")
    .description(
      "draw what the stack asks for, as an SVG: machines, networks, and what waits for what",
    )
    .option("--out <file>", "where to write it, instead of standard output")
    .action(
      run<{ out?: string }>(async (options) =>
        (await import("../commands/topology.ts")).topology(options),
      ),
    );
}
