import { Command, CommanderError, InvalidArgumentError, Option } from "commander";

import { Failure, exitCodes, messageOf } from "./failure.ts";

interface StackOption {
  readonly stack: string;
}

const program = new Command("kindows")
  .description("A Kubernetes cluster with Windows nodes on this Linux host.")
  .addOption(
    new Option("-s, --stack <name>", "which lab: the settings are in Pulumi.<name>.yaml")
      .env("STACK")
      .default("rehearsal"),
  )
  .addHelpText(
    "after",
    `
Examples:
  kindows up                  bring up the rehearsal, from a bare machine to Ready nodes
  kindows up --stack dev      the same with real Windows Server
  kindows status              nodes, machines, and the ssh and kubectl commands
  kindows doctor              what this host has, lacks, and has left over
  kindows fetch --stack dev   download what Windows nodes need, e.g. before going off the network
  kindows down                remove everything that \`up\` made
  kindows cache prune         free the disk of tools and images that no clone uses any more
  eval "$(kindows env)"       use plain \`pulumi\` in this shell

Exit codes: 0 fine, 1 something is wrong or failed, 2 unknown command or option,
3 another run works on the stack, 130 interrupted.`,
  )
  .exitOverride()
  .configureHelp({ showGlobalOptions: true });

/** Runs a command; its module is loaded only now, to keep every other command quick. */
function run<Options>(
  command: (options: Options & StackOption) => Promise<number>,
): (options: Options) => Promise<void> {
  return async (options) => {
    process.exitCode = await command({ ...program.opts<StackOption>(), ...options });
  };
}

program
  .command("up")
  .description("make the lab, or bring it up to date; ends with the table of nodes")
  .option("--verbose", "print the engine's own log as well, all of it", false)
  .action(
    run<{ verbose: boolean }>(async (options) => (await import("./commands/up.ts")).up(options)),
  );

program
  .command("down")
  .description("remove the lab and all it left on this host")
  .action(run<object>(async (options) => (await import("./commands/down.ts")).down(options)));

program
  .command("preview")
  .description("show what `up` would change")
  .action(run<object>(async (options) => (await import("./commands/preview.ts")).preview(options)));

program
  .command("status")
  .description("nodes, machines, and how to reach them")
  .option("--json", "print JSON", false)
  .action(
    run<{ json: boolean }>(async (options) =>
      (await import("./commands/status.ts")).status(options),
    ),
  );

program
  .command("logs")
  .description("collect the logs of a Windows node, or of all, into .kindows/<stack>/logs")
  .argument("[node]", "name of the node")
  .action(async (node: string | undefined) => {
    const { logs } = await import("./commands/logs.ts");
    process.exitCode = await logs({
      ...program.opts<StackOption>(),
      ...(node !== undefined && { node }),
    });
  });

program
  .command("doctor")
  .description("what this host has, what it lacks for the stack, and what labs left on it")
  .option("--json", "print JSON", false)
  .action(
    run<{ json: boolean }>(async (options) =>
      (await import("./commands/doctor.ts")).doctor(options),
    ),
  );

program
  .command("prepare")
  .description("install packages, build or fetch tools and images, start daemons; nothing else")
  .action(run<object>(async (options) => (await import("./commands/prepare.ts")).prepare(options)));

program
  .command("fetch")
  .description("fetch what is installed on Windows nodes into the cache, and say what is there")
  .option("--list", "only say what is there and what is missing", false)
  .action(
    run<{ list: boolean }>(async (options) => (await import("./commands/fetch.ts")).fetch(options)),
  );

program
  .command("env")
  .description("print what a shell needs for plain `pulumi`")
  .action(run(async () => (await import("./commands/env.ts")).env()));

const cache = program
  .command("cache")
  .description("what was built or fetched once, for all clones");
cache
  .command("ls")
  .description("list the entries, their size and last use")
  .action(run(async () => (await import("./commands/cache.ts")).list()));
cache
  .command("prune")
  .description("remove entries that no clone has used for a while")
  .addOption(
    new Option("--unused-for <days>", "how long not used; 0 empties the cache")
      .default(30)
      .argParser(wholeNumber),
  )
  .action(
    run<{ unusedFor: number }>(async (options) =>
      (await import("./commands/cache.ts")).prune(options),
    ),
  );

/** @throws when the text is not a whole number from 0 upward. */
function wholeNumber(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text)) {
    throw new InvalidArgumentError("It must be a whole number of days.");
  }
  return Number(text);
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

/** Prints what went wrong, and says how to exit. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has printed it; help and version count as errors there.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof Failure) {
    process.stderr.write(`kindows: ${error.message}\n`);
    return error.exitCode;
  }
  // These are mistakes in the program; everything else tells the user what to do.
  const mistake = error instanceof TypeError || error instanceof ReferenceError;
  process.stderr.write(`kindows: ${mistake ? (error.stack ?? error.message) : messageOf(error)}\n`);
  return exitCodes.failed;
}
