import { Option } from "commander";
import type { Command } from "commander";

import { days } from "../arguments.ts";
import { commandRunner } from "./run-command.ts";

/** Commands about what was built or fetched once. */
export function addCacheCommands(program: Command): void {
  const run = commandRunner(program);
  const cache = program
    .command("cache")
    .description("what was built or fetched once, for all clones");
  cache
    .command("ls")
    .description("list the entries, their size and last use")
    .action(run(async () => (await import("../commands/cache.ts")).list()));
  cache
    .command("prune")
    .description("remove entries that no clone has used for a while")
    .addOption(
      new Option("--unused-for <days>", "how long not used; 0 empties the cache")
        .default(30)
        .argParser(days),
    )
    .action(
      run<{ unusedFor: number }>(async (options) =>
        (await import("../commands/cache.ts")).prune(options),
      ),
    );
}
