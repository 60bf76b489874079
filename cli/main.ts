import { Argument, Command, CommanderError, Option } from "commander";

import type { KubeconfigOptions } from "./commands/kubeconfig.ts";
import type { PolicyOptions } from "./commands/policy.ts";
import type { PreviewDiffOptions } from "./commands/preview-diff.ts";
import { commaList, days, lines, port, seconds } from "./arguments.ts";
import { completeCommand, shells } from "./completion/shell-scripts.ts";
import type { Shell } from "./completion/shell-scripts.ts";
import { Failure, exitCodes, messageOf } from "./failure.ts";

// Whoever reads only the beginning (`kindows status | head`) has what he wants.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") {
    throw error;
  }
  process.exit(0);
});

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
  .command("preview-diff")
  .description("what a change does to the stacks, as Markdown: for pull requests")
  .requiredOption("--base <reference>", "branch, tag or commit to compare with")
  .option("--out <file>", "where to write it, instead of standard output")
  .option("--stacks <names>", "only these, separated by commas; else all it touches", commaList)
  .action(
    run<PreviewDiffOptions>(async (options) =>
      (await import("./commands/preview-diff.ts")).previewDiff(options),
    ),
  );

program
  .command("policy")
  .description("whether what the stacks ask for keeps the rules in policy/")
  .option("--stacks <names>", "only these, separated by commas; else all", commaList)
  .option("--rules", "only list the rules", false)
  .action(
    run<PolicyOptions>(async (options) => (await import("./commands/policy.ts")).policy(options)),
  );

program
  .command("topology")
  .description(
    "draw what the stack asks for, as an SVG: machines, networks, and what waits for what",
  )
  .option("--out <file>", "where to write it, instead of standard output")
  .action(
    run<{ out?: string }>(async (options) =>
      (await import("./commands/topology.ts")).topology(options),
    ),
  );

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
      (await import("./commands/status.ts")).status(options),
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
    new Option("--force", "with --merge: overwrite a context of that name that is not of the stack")
      .default(false)
      .conflicts(["print", "remove"])
      .implies({ merge: true }),
  )
  .option("--remove", "take out what --merge has put there; `down` does so too", false)
  .action(
    run<Omit<KubeconfigOptions, "stack">>(async (options) =>
      (await import("./commands/kubeconfig.ts")).kubeconfig(options),
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
      const { followLogs } = await import("./commands/logs-follow.ts");
      const { tail, wait: waitSeconds } = options;
      process.exitCode = await followLogs({ stack, sources, tail, waitSeconds });
    } else {
      const { logs } = await import("./commands/logs.ts");
      process.exitCode = await logs({ stack, nodes: sources });
    }
  });

program
  .command("ssh")
  .description("a shell on a node's machine, or one command: kindows ssh win-1 -- ver")
  .argument("<node>", "name of the node")
  .argument("[command...]", "what to run there instead of a shell")
  .action(async (node: string, command: string[]) => {
    const { ssh } = await import("./commands/ssh.ts");
    process.exitCode = await ssh({ ...program.opts<StackOption>(), node, command });
  });

program
  .command("console")
  .description("where the screen of a node's machine can be seen, also while it boots")
  .argument("<node>", "name of the node")
  .option("--open", "open a viewer, where there is one", false)
  .action(async (node: string, { open }: { open: boolean }) => {
    const { showConsole } = await import("./commands/console.ts");
    process.exitCode = await showConsole({ ...program.opts<StackOption>(), node, open });
  });

program
  .command("verify")
  .description("try every path of the cluster's network, and show them as a table")
  .option("--rows <ids>", "only these, separated by commas; * stands for anything", commaList)
  .option("--list", "only print the rows", false)
  .addOption(
    new Option(
      "--timeout <seconds>",
      "longest time for a row (default: 120; 1200 where Windows images are pulled)",
    ).argParser(seconds),
  )
  .option("--image <reference>", "image to run instead of agnhost's, one that does the same")
  .option("--keep", "leave the namespace kindows-verify and all in it in place", false)
  .option("--json <file>", "write the results as JSON")
  .option("--junit <file>", "write the results as JUnit's XML")
  .option("--html <file>", "write the results as a page with the matrix")
  .action(
    run<{ rows?: string[]; list: boolean; keep: boolean }>(async (options) =>
      (await import("./commands/verify.ts")).verify(options),
    ),
  );

program
  .command("conformance")
  .description("Kubernetes' own tests of Windows nodes; needs real ones")
  .option("--suite <id>", "which tests: see --list", "sig-windows")
  .option("--list", "only print the suites", false)
  .option("--dry-run", "only print what would be applied, or run", false)
  .option("--focus <regex>", "tests to run, by their names, instead of the suite's")
  .option("--skip <regex>", "tests to leave out, instead of the suite's")
  .addOption(
    new Option("--timeout <seconds>", "longest run, images aside (default: the suite's)").argParser(
      seconds,
    ),
  )
  .option("--image <reference>", "image with ginkgo and e2e.test instead of Kubernetes' own")
  .option("--repo-list <file>", "other registries for the tests' images (KUBE_TEST_REPO_LIST)")
  .option("--local <folder>", "run ginkgo and e2e.test of this folder on this host, not a Job")
  .option("--output <folder>", "where log and results go")
  .option("--keep", "leave the namespace kindows-conformance in place", false)
  .action(
    run<{ suite: string; list: boolean; dryRun: boolean; keep: boolean }>(async (options) =>
      (await import("./commands/conformance.ts")).conformance(options),
    ),
  );

program
  .command("doctor")
  .description(
    "what this host has, what it lacks for the stack, what stands still, and what labs left on it",
  )
  .option("--json", "print JSON", false)
  .option("--fix", "first start what stands still and remove what is left of the lab", false)
  .action(
    run<{ json: boolean; fix: boolean }>(async (options) =>
      (await import("./commands/doctor.ts")).doctor(options),
    ),
  );

program
  .command("prepare")
  .description("install packages, build or fetch tools and images, start daemons; nothing else")
  .action(run<object>(async (options) => (await import("./commands/prepare.ts")).prepare(options)));

program
  .command("fetch")
  .description(
    "fetch what is installed on Windows nodes, and what their image is made of; say what is there",
  )
  .option("--list", "only say what is there and what is missing", false)
  .action(
    run<{ list: boolean }>(async (options) => (await import("./commands/fetch.ts")).fetch(options)),
  );

const image = program.command("image").description("the disk that Windows machines start from");
image
  .command("check")
  .description("look at what the stack's image is made of: ISOs, drivers, a disk")
  .action(run<object>(async (options) => (await import("./commands/image.ts")).check(options)));
image
  .command("scripts")
  .description(
    "write the scripts that seal a Windows Server of your own, for its disk to be the image",
  )
  .argument("<folder>", "a folder that is not there yet")
  .option("--language <name>", "language of that Windows", "en-US")
  .action(async (folder: string, { language }: { language: string }) => {
    const { writeScripts } = await import("./commands/image-scripts.ts");
    process.exitCode = await writeScripts({ folder, language });
  });
image
  .command("build")
  .description("make the stack's image from its ISO, unless it is there; `up` does so too")
  .action(run<object>(async (options) => (await import("./commands/image.ts")).build(options)));
image
  .command("ls")
  .description("list the images that were made from an ISO, and what uses them")
  .action(run<object>(async (options) => (await import("./commands/image.ts")).list(options)));
image
  .command("prune")
  .description("remove images that no lab of this host and no stack of this clone uses")
  .option("--dry-run", "only say what would be removed", false)
  .action(
    run<{ dryRun: boolean }>(async (options) =>
      (await import("./commands/image.ts")).prune(options),
    ),
  );

program
  .command("bootstrap")
  .description("print what turns on SSH on a Windows Server that is there, for a stack of such")
  .argument("<host>", "its address or name")
  .option("--key <file>", "public key that shall log in (default: ~/.ssh/id_ed25519.pub)")
  .action(async (host: string, options: { key?: string }) => {
    process.exitCode = await (
      await import("./commands/bootstrap.ts")
    ).bootstrap({ host, ...options });
  });

program
  .command("host-key")
  .description("print the SSH host key of a machine that is there, to be pinned in the settings")
  .argument("<host>", "its address or name")
  .addOption(new Option("--port <number>", "its SSH port").default(22).argParser(port))
  .action(async (host: string, options: { port: number }) => {
    process.exitCode = await (await import("./commands/host-key.ts")).hostKey({ host, ...options });
  });

program
  .command("env")
  .description("print what a shell needs for plain `pulumi` on the stack")
  .action(run<object>(async (options) => (await import("./commands/env.ts")).env(options)));

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
      .argParser(days),
  )
  .action(
    run<{ unusedFor: number }>(async (options) =>
      (await import("./commands/cache.ts")).prune(options),
    ),
  );

program
  .command("completion")
  .description("print what a shell needs to complete kindows: source <(kindows completion bash)")
  .addArgument(new Argument("<shell>", "which shell").choices(shells))
  .action(async (shell: Shell) => {
    process.exitCode = (await import("./commands/completion.ts")).printCompletion(shell);
  });

program
  .command(completeCommand, { hidden: true })
  .argument("[words...]")
  .action(async (words: string[]) => {
    const { printCandidates } = await import("./commands/completion.ts");
    const { stack } = program.opts<StackOption>();
    process.exitCode = await printCandidates(program, words, stack);
  });

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
