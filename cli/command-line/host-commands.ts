import type { Command } from "commander";

import { fetchOption } from "./fetch-option.ts";
import { commandRunner } from "./run-command.ts";

/** Commands about what a lab needs of this host. */
export function addHostCommands(program: Command): void {
  const run = commandRunner(program);
  program
    .command("doctor")
    .description(
      "what this host has, what it lacks for the stack, what has stopped, and what labs left on it",
    )
    .option("--json", "print JSON", false)
    .option("--fix", "first start what has stopped and remove what is left of the lab", false)
    .action(
      run<{ json: boolean; fix: boolean }>(async (options) =>
        (await import("../commands/doctor.ts")).doctor(options),
      ),
    );

  program
    .command("prepare")
    .description("install packages, build or fetch tools and images, start daemons; nothing else")
    .addOption(fetchOption())
    .action(
      run<{ yes: boolean }>(async (options) =>
        (await import("../commands/prepare.ts")).prepare(options),
      ),
    );

  program
    .command("fetch")
    .description(
      "fetch what is installed on Windows nodes, and what their image is made of; say what is there",
    )
    .option("--list", "only say what is there and what is missing", false)
    .action(
      run<{ list: boolean }>(async (options) =>
        (await import("../commands/fetch.ts")).fetch(options),
      ),
    );

  program
    .command("lock")
    .description("what is downloaded, and where the checksum of each in software.lock.json is from")
    .option("--update", "lock what publishers say of what is not locked", false)
    .action(
      run<{ update: boolean }>(async (options) =>
        (await import("../commands/lock.ts")).lock(options),
      ),
    );
}
