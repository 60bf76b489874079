import { Option } from "commander";
import type { Command } from "commander";

import { port } from "../arguments.ts";

/** Commands about Windows Servers that are there. */
export function addExistingMachineCommands(program: Command): void {
  program
    .command("bootstrap")
    .description("print what turns on SSH on a Windows Server that is there, for a stack of such")
    .argument("<host>", "its address or name")
    .option("--key <file>", "public key that shall log in (default: ~/.ssh/id_ed25519.pub)")
    .action(async (host: string, options: { key?: string }) => {
      process.exitCode = await (
        await import("../commands/bootstrap.ts")
      ).bootstrap({ host, ...options });
    });

  program
    .command("host-key")
    .description("print the SSH host key of a machine that is there, to be pinned in the settings")
    .argument("<host>", "its address or name")
    .addOption(new Option("--port <number>", "its SSH port").default(22).argParser(port))
    .action(async (host: string, options: { port: number }) => {
      process.exitCode = await (
        await import("../commands/host-key.ts")
      ).hostKey({ host, ...options });
    });
}
