import { Command, Option } from "commander";

import { addAccessCommands } from "./access-commands.ts";
import { addCacheCommands } from "./cache-commands.ts";
import { addExistingMachineCommands } from "./existing-machine-commands.ts";
import { addHostCommands } from "./host-commands.ts";
import { addImageCommands } from "./image-commands.ts";
import { addShellCommands } from "./shell-commands.ts";
import { addStackCommands } from "./stack-commands.ts";
import { addVerificationCommands } from "./verification-commands.ts";

/** The command line with all its commands, as yet without arguments. */
export function kindowsProgram(): Command {
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
  kindows up -s dev-2025      the same with real Windows Server
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
  return program;
}
