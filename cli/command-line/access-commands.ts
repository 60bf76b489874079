import { Option } from "commander";
import type { Command } from "commander";

import type { KubeconfigOptions } from "../commands/kubeconfig.ts";
import { lines, seconds } from "../arguments.ts";
import { commandRunner } from "./run-command.ts";
import type { StackOption } from "./run-command.ts";

/** Commands about a lab that is up: what it is, and the ways into it. */
export function addAccessCommands(program: Command): void {
  const run = commandRunner(program);
  program
    .command("status")
    .description("nodes, machines, and how to reach them")
    .option("--json", "print JSON", false)
    .addOption(
      new Option("--watch", "look again and again until ^C; not at a terminal, tell only changes")
        .default(false)
        .conflicts("json"),
    )
    .addOption(
      new Option("--interval <seconds>", "with --watch: pause between two looks")
        .default(5)
        .argParser(seconds),
    )
    .action(
      run<{ json: boolean; watch: boolean; interval: number }>(async (options) =>
        (await import("../commands/status.ts")).status(options),
      ),
    );

  program
    .command("kubeconfig")
    .description("where the lab's kubeconfig is; --merge puts it into your own")
    .addOption(
      new Option("--print", "print the kubeconfig itself").default(false).conflicts("remove"),
    )
    .addOption(
      new Option("--merge", "put its context into the first file of $KUBECONFIG, or ~/.kube/config")
        .default(false)
        .conflicts(["print", "remove"]),
    )
    .addOption(
      new Option("--use", "with --merge: kubectl works with it from now on")
        .default(false)
        .conflicts(["print", "remove"])
        .implies({ merge: true }),
    )
    .addOption(
      new Option(
        "--force",
        "with --merge: overwrite a context of that name that is not of the stack",
      )
        .default(false)
        .conflicts(["print", "remove"])
        .implies({ merge: true }),
    )
    .option("--remove", "take out what --merge has put there; `down` does so too", false)
    .action(
      run<Omit<KubeconfigOptions, "stack">>(async (options) =>
        (await import("../commands/kubeconfig.ts")).kubeconfig(options),
      ),
    );

  program
    .command("logs")
    .description(
      "collect the logs of Windows nodes into .kindows/<stack>/logs; --follow prints them as they come",
    )
    .argument("[source...]", "names of nodes; with --follow also control-plane and steps; else all")
    .option("--follow", "print lines as they come, without secrets, until ^C", false)
    .addOption(
      new Option("--tail <lines>", "with --follow: last lines of each log to begin with")
        .default(10)
        .argParser(lines),
    )
    .addOption(
      new Option("--wait <seconds>", "with --follow: how long to wait for what does not answer")
        .default(600)
        .argParser(seconds),
    )
    .action(async (sources: string[], options: { follow: boolean; tail: number; wait: number }) => {
      const { stack } = program.opts<StackOption>();
      if (options.follow) {
        const { followLogs } = await import("../commands/logs-follow.ts");
        const { tail, wait: waitSeconds } = options;
        process.exitCode = await followLogs({ stack, sources, tail, waitSeconds });
      } else {
        const { logs } = await import("../commands/logs.ts");
        process.exitCode = await logs({ stack, nodes: sources });
      }
    });

  program
    .command("ssh")
    .description("a shell on a node's machine, or one command: kindows ssh win-1 -- ver")
    .argument("<node>", "name of the node")
    .argument("[command...]", "what to run there instead of a shell")
    .action(async (node: string, command: string[]) => {
      const { ssh } = await import("../commands/ssh.ts");
      process.exitCode = await ssh({ ...program.opts<StackOption>(), node, command });
    });

  program
    .command("console")
    .description("where the screen of a node's machine can be seen, also while it boots")
    .argument("<node>", "name of the node")
    .option("--open", "open a viewer, where there is one", false)
    .action(async (node: string, { open }: { open: boolean }) => {
      const { showConsole } = await import("../commands/console.ts");
      process.exitCode = await showConsole({ ...program.opts<StackOption>(), node, open });
    });
}
