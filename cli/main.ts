import { Command, CommanderError, Option } from "commander";

import { addAccessCommands } from "./command-line/access-commands.ts";
import { addCacheCommands } from "./command-line/cache-commands.ts";
import { addExistingMachineCommands } from "./command-line/existing-machine-commands.ts";
import { addHostCommands } from "./command-line/host-commands.ts";
import { addImageCommands } from "./command-line/image-commands.ts";
import { addShellCommands } from "./command-line/shell-commands.ts";
import { addStackCommands } from "./command-line/stack-commands.ts";
import { addVerificationCommands } from "./command-line/verification-commands.ts";
import { Failure, exitCodes, messageOf } from "./failure.ts";

// Whoever reads only the beginning (`kindows status | head`) has what he wants.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") {
    throw error;
  }
  process.exit(0);
});

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
  kindows verify              does every path of the cluster's network work?
  kindows logs --follow win-1 what a node's programs say, as they say it
  kindows doctor              what this host has, lacks, and has left over
  kindows fetch --stack dev   download what Windows nodes need, e.g. before going off the network
  kindows down                remove everything that \`up\` made
  kindows image build -s dev  make the image of Windows from its ISO, once
  kindows cache prune         free the disk of tools and images that no clone uses any more
  eval "$(kindows env)"       use plain \`pulumi\` in this shell

Exit codes: 0 fine, 1 something is wrong or failed, 2 unknown command or option,
3 another run works on the stack, 130 interrupted.`,
  )
  .exitOverride()
  .configureHelp({ showGlobalOptions: true });

// In the order of the help.
addStackCommands(program);
addAccessCommands(program);
addVerificationCommands(program);
addHostCommands(program);
addImageCommands(program);
addExistingMachineCommands(program);
addCacheCommands(program);
addShellCommands(program);

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
