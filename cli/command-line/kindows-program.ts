import { Argument, type Command, CommanderError, Option, InvalidArgumentError } from "commander";
import { KindowsCommand } from "./near-commands.ts";
import { exitCodes, Failure, messageOf } from "../../host/failure.ts";
import { say } from "../progress.ts";
import { type CommandResult, type Options, shells } from "./options.ts";

export async function runKindows(args: readonly string[]): Promise<number> {
  try {
    if (args.length === 1 && args[0] === "--version") {
      await (await import("../commands/version.ts")).version();
      return exitCodes.ok;
    }
    await kindowsProgram().parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    return explain(error);
  }
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has printed it; it treats help and version as errors.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof Failure) {
    say(`kindows: ${error.message}`);
    return error.exitCode;
  }
  // These are bugs in the program; all other errors tell the user what to do.
  const mistake = error instanceof TypeError || error instanceof ReferenceError;
  say(`kindows: ${mistake ? (error.stack ?? error.message) : messageOf(error)}`);
  return exitCodes.failed;
}

export function kindowsProgram(): Command {
  const program = new KindowsCommand("kindows")
    .description("A Kubernetes cluster with Windows nodes on this Linux host.")
    .addOption(
      new Option("-s, --stack <name>", "the lab to work on: settings in Pulumi.<name>.yaml")
        .env("STACK")
        .default("rehearsal"),
    )
    .option("--locked", "download only files whose checksum is in software.lock.json", false)
    .option("--version", "print the version, commit, engine and Kubernetes, and nothing else")
    .addHelpText(
      "after",
      `
Examples:
  kindows init mine           write the settings of a lab of your own
  kindows up                  bring up the rehearsal, from a bare machine to Ready nodes
  kindows up -s dev-2025      the same with real Windows Server
  kindows status              nodes, machines, and the ssh and kubectl commands
  kindows verify              test every path of the cluster's network
  kindows logs --follow win-1 a node's logs, as they are written
  kindows load my/app:dev     put an image of Docker onto the nodes it is for
  kindows deploy win-1 kubelet=_output/bin/kubelet.exe    try your own kubelet on a node
  kindows doctor              what this host has and lacks, and what labs left behind
  kindows fetch --stack dev   download what Windows nodes need, e.g. before going offline
  kindows down                remove everything that \`up\` created
  kindows disk build -s dev   build the Windows image from its ISO, once
  kindows cache prune         remove tools and images that no clone uses any more
  eval "$(kindows env)"       use plain \`pulumi\` in this shell

Exit codes: 0 success, 1 something is wrong or failed, 2 unknown command or option,
3 another run works on the stack, 130 interrupted.`,
    )
    .exitOverride()
    .hook("preAction", (_, command) => {
      // Where it counts is far below, also in the processes that this one starts.
      if (command.optsWithGlobals<{ locked: boolean }>().locked) {
        process.env["KINDOWS_LOCKED"] = "1";
      }
    })
    .configureHelp({ showGlobalOptions: true });

  const add = adding(program);
  addStackCommands(add);
  addAccessCommands(add);
  addVerificationCommands(add);
  addHostCommands(add);
  addDiskCommands(adding(add("disk", "the disk that Windows machines start from")));
  addExistingMachineCommands(add);
  addCacheCommands(adding(add("cache", "what was built or downloaded, shared by all clones")));
  addShellCommands(program, add);
  return program;
}

type Add = (name: string, description: string) => Command;

const adding =
  (to: Command): Add =>
  (name, description) =>
    to.command(name).description(description);

/**
 * Action that runs a command with the program's options, the command's own options, and its operands by name. The
 * process exits with the code that the command returns, or 0. The command's module is loaded only here, so that it does
 * not slow down other commands.
 */
function run<Name extends string>(
  load: () => Promise<Record<Name, (options: never) => Promise<CommandResult> | Promise<void>>>,
  name: Name,
) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const names = command.registeredArguments.map((each) => each.name());
    const operands = Object.fromEntries(names.map((each, at) => [each, given[at]]));
    const options = { ...command.optsWithGlobals<Options>(), ...operands };
    const result = await (await load())[name](options as never);
    if (typeof result === "string") throw new Failure(result);
    process.exitCode = result ?? exitCodes.ok;
  };
}

const fetchOption = (): Option =>
  new Option("-y, --yes", "download what is missing without asking").default(false);

function addStackCommands(add: Add): void {
  add("init", "write the settings of a new stack into Pulumi.<name>.yaml, each with a comment")
    .argument("<name>", "name of the stack, and of its lab")
    .option(
      "--image <source>",
      "what Windows machines start from: rehearsal, evaluation-iso, or the path of an ISO or a disk",
      "evaluation-iso",
    )
    .addOption(
      new Option("--windows <version>", "version of Windows Server")
        .choices(["2022", "2025"])
        .default("2022"),
    )
    .option("--nodes <number>", "Windows machines to make (default: 1; 0 with --machine)", machines)
    .option(
      "--machine <name=address>",
      "a Windows Server that is there already, by its computer name; may be repeated",
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option("--key <file>", "with --machine: private key that logs in (default: ~/.ssh/id_ed25519)")
    .option(
      "--network <name>",
      "libvirt network to use, instead of making one (with --machine: default)",
    )
    .option("--workers <number>", "Linux workers in containers", machines, 0)
    .addOption(
      new Option("--control-planes <number>", "control planes").choices(["1", "3"]).default("1"),
    )
    .option(
      "--cni <kind>",
      "pod network: calico, flannel, kind-default, none (default: what fits the image)",
    )
    .action(run(() => import("../commands/init.ts"), "init"));
  add("up", "create the lab or update it; ends with the table of nodes")
    .addOption(fetchOption())
    .option("--verbose", "print the engine's whole log as well", false)
    .action(run(() => import("../commands/up.ts"), "up"));
  add("down", "remove the lab and everything it left on this host").action(
    run(() => import("../commands/down.ts"), "down"),
  );
  add("stop", "turn off the lab's machines and containers, and keep them: their memory is free")
    .argument("[node]", "only this node (default: all that the lab made)")
    .action(run(() => import("../commands/stop.ts"), "stop"));
  add("start", "turn on what `stop` has turned off, and wait until its nodes are Ready")
    .argument("[node]", "only this node (default: all that the lab made)")
    .action(run(() => import("../commands/start.ts"), "start"));
  add("reset", "give a node a fresh machine from the image, which joins again; also what `up` does")
    .argument("<node>", "name of the node")
    .addOption(fetchOption())
    .action(run(() => import("../commands/reset.ts"), "reset"));
  add("preview", "show what `up` would change").action(
    run(() => import("../commands/preview.ts"), "preview"),
  );
  add("preview-diff", "show what a change does to the stacks, as Markdown for pull requests")
    .requiredOption("--base <reference>", "branch, tag or commit to compare with")
    .option("--out <file>", "where to write it, instead of standard output")
    .option("--stacks <names>", "only these, separated by commas (default: affected)", commaList)
    .action(run(() => import("../commands/preview-diff.ts"), "previewDiff"));
  add("policy", "check the stacks' resources against the rules in policy/")
    .option("--stacks <names>", "only these, separated by commas (default: all)", commaList)
    .option("--rules", "only list the rules", false)
    .action(run(() => import("../commands/policy.ts"), "policy"));
}

function addAccessCommands(add: Add): void {
  add("list", "show the labs on this host, of all clones, and their state")
    .option("--json", "print JSON", false)
    .action(run(() => import("../commands/list.ts"), "list"));
  add("status", "show nodes, machines, and how to reach them")
    .option("--json", "print JSON", false)
    .addOption(
      new Option("--watch", "repeat until ^C; without a terminal, print only changes")
        .default(false)
        .conflicts("json"),
    )
    .option("--interval <seconds>", "with --watch: pause between two updates", seconds, 5)
    .action(run(() => import("../commands/status.ts"), "status"));

  const withMerge = (flag: string, description: string): Option =>
    new Option(flag, `with --merge: ${description}`)
      .default(false)
      .conflicts(["print", "remove"])
      .implies({ merge: true });
  add("kubeconfig", "print the path of the lab's kubeconfig; --merge adds it to your own")
    .addOption(
      new Option("--print", "print the kubeconfig itself").default(false).conflicts("remove"),
    )
    .addOption(
      new Option("--remote", "print one for other computers (cluster.apiServer)")
        .default(false)
        .conflicts(["print", "merge", "remove"]),
    )
    .addOption(
      new Option("--merge", "add its context to the first file of $KUBECONFIG, or ~/.kube/config")
        .default(false)
        .conflicts(["print", "remove"]),
    )
    .addOption(withMerge("--use", "make it kubectl's current context"))
    .addOption(withMerge("--force", "overwrite a context of that name from elsewhere"))
    .option("--remove", "remove what --merge added; `down` does so too", false)
    .action(run(() => import("../commands/kubeconfig.ts"), "kubeconfig"));

  add(
    "logs",
    "collect the logs of Windows nodes into .kindows/<stack>/logs; --follow prints them as they come",
  )
    .argument("[source...]", "nodes; with --follow also control-plane and steps (default: all)")
    .option("--follow", "print lines as they come, without secrets, until ^C", false)
    .option("--tail <lines>", "with --follow: earlier lines of each log to print", lines, 10)
    .option(
      "--wait <seconds>",
      "with --follow: how long to wait for a source that does not answer",
      seconds,
      600,
    )
    .action(run(() => import("../commands/logs.ts"), "logs"));
  add("ssh", "open a shell on a node's machine, or run one command: kindows ssh win-1 -- ver")
    .argument("<node>", "name of the node")
    .argument("[command...]", "what to run there instead of a shell")
    .action(run(() => import("../commands/ssh.ts"), "ssh"));
  add("load", "put images onto the lab's nodes: from Docker, or from archives")
    .argument(
      "<image...>",
      "images that Docker has, or archives that `docker save` or buildx wrote",
    )
    .option(
      "--node <names>",
      "only these, separated by commas (default: all that fit)",
      commaList,
      [],
    )
    .action(run(() => import("../commands/load.ts"), "load"));
  add("deploy", "put your own kubelet, containerd, ... onto a running Windows node")
    .argument("<node>", "name of the node")
    .argument("[programs...]", "kubelet=FILE; kubeadm, kubeProxy, containerd, cniPlugins likewise")
    .option("--drain", "evict the node's pods before", false)
    .option("--undo", "bring back what was there: of these programs, or all", false)
    .action(run(() => import("../commands/deploy.ts"), "deploy"));
  add("console", "print how to see the screen of a node's machine, even while it boots")
    .argument("<node>", "name of the node")
    .option("--open", "open a VNC viewer, if one is installed", false)
    .addOption(
      new Option("--screenshot <file>", "write a picture of the screen instead").conflicts("open"),
    )
    .action(run(() => import("../commands/console.ts"), "showConsole"));
}

function addVerificationCommands(add: Add): void {
  add("verify", "test every path of the cluster's network, and show the results as a table")
    .option("--kubeconfig <file>", "the cluster of a kubeconfig, instead of the stack's lab")
    .option("--context <name>", "context of that kubeconfig (default: its current one)")
    .option("--rows <ids>", "only these, separated by commas; * matches anything", commaList)
    .option("--list", "only print the rows", false)
    .option(
      "--timeout <seconds>",
      "longest time for a row (default: 120; 1200 where Windows images are pulled)",
      seconds,
    )
    .option("--image <reference>", "image to use in place of agnhost, with the same commands")
    .option("--keep", "keep the namespace kindows-verify and everything in it", false)
    .option("--json <file>", "write the results as JSON")
    .option("--junit <file>", "write the results as JUnit XML")
    .option("--html <file>", "write the results as an HTML page with the matrix")
    .action(run(() => import("../commands/verify.ts"), "verify"));
  add("conformance", "run Kubernetes' own tests on Windows nodes; needs real ones")
    .option("--suite <id>", "which tests: see --list", "sig-windows")
    .option("--list", "only print the suites", false)
    .option("--dry-run", "only print what would be applied or run", false)
    .option("--focus <regex>", "tests to run, by their names, instead of the suite's")
    .option("--skip <regex>", "tests to leave out, instead of the suite's")
    .option("--timeout <seconds>", "longest run, images aside (default: the suite's)", seconds)
    .option("--image <reference>", "image with ginkgo and e2e.test instead of Kubernetes' own")
    .option("--repo-list <file>", "other registries for the tests' images (KUBE_TEST_REPO_LIST)")
    .option("--local <folder>", "run ginkgo and e2e.test of this folder on this host, not a Job")
    .option("--output <folder>", "folder for the log and the results")
    .option("--keep", "keep the namespace kindows-conformance", false)
    .action(run(() => import("../commands/conformance.ts"), "conformance"));
}

function addHostCommands(add: Add): void {
  add(
    "doctor",
    "report what this host has, what it lacks for the stack, what has stopped, and what labs left behind",
  )
    .option("--json", "print JSON", false)
    .option("--fix", "first start what has stopped and remove what is left of the lab", false)
    .action(run(() => import("../commands/doctor.ts"), "doctor"));
  add(
    "prepare",
    "install packages, build or download tools and images, start daemons; nothing else",
  )
    .addOption(fetchOption())
    .action(run(() => import("../commands/prepare.ts"), "prepare"));
  add(
    "fetch",
    "download what is installed on Windows nodes and what their image is built from, and list it",
  )
    .option("--list", "only list what is present and what is missing", false)
    .action(run(() => import("../commands/fetch.ts"), "fetch"));
  add("images", "print the images that the stack pulls, by node and platform")
    .option("--platform <os/architecture>", "only those of one, e.g. linux/amd64, one a line")
    .action(run(() => import("../commands/images.ts"), "images"));
  add("lock", "list all downloads, and where their checksums in software.lock.json come from")
    .option("--update", "lock the publishers' checksums of files that are not locked", false)
    .action(run(() => import("../commands/lock.ts"), "lock"));
}

function addDiskCommands(add: Add): void {
  add("check", "examine what the stack's image is built from: ISOs, drivers, a disk").action(
    run(() => import("../commands/disk.ts"), "check"),
  );
  add(
    "scripts",
    "write the scripts that seal your own Windows Server, so that its disk can be the image",
  )
    .argument("<folder>", "a folder that does not exist yet")
    .option("--language <name>", "language of that Windows", "en-US")
    .action(run(() => import("../commands/disk.ts"), "writeScripts"));
  add("build", "build the stack's image from its ISO unless it exists; `up` does this too")
    .addOption(fetchOption())
    .action(run(() => import("../commands/disk.ts"), "build"));
  add("ls", "list the images built from an ISO, what uses them, and unfinished ones").action(
    run(() => import("../commands/disk.ts"), "list"),
  );
  add(
    "prune",
    "remove what killed builds left, and images that no lab of this host and no stack of this clone uses",
  )
    .option("--dry-run", "only print what would be removed", false)
    .action(run(() => import("../commands/disk.ts"), "prune"));
}

function addExistingMachineCommands(add: Add): void {
  add("bootstrap", "print the lines that turn on SSH on an existing Windows Server")
    .argument("<host>", "its address or name")
    .option("--key <file>", "public key that may log in (default: ~/.ssh/id_ed25519.pub)")
    .action(run(() => import("../commands/bootstrap.ts"), "bootstrap"));
  add("host-key", "print the SSH host key of an existing machine, to pin in the settings")
    .argument("<host>", "its address or name")
    .option("--port <number>", "its SSH port", port, 22)
    .action(run(() => import("../commands/bootstrap.ts"), "hostKey"));
}

function addCacheCommands(add: Add): void {
  add("ls", "list the entries, their size and last use").action(
    run(() => import("../commands/cache.ts"), "list"),
  );
  add("prune", "remove entries that no clone has used for a while")
    .option("--unused-for <days>", "days since the last use; 0 empties the cache", days, 30)
    .action(run(() => import("../commands/cache.ts"), "prune"));
}

function addShellCommands(program: Command, add: Add): void {
  add("env", "print shell commands that set up plain `pulumi` for the stack").action(
    run(() => import("../commands/env.ts"), "env"),
  );
  add("completion", "print the completion script for a shell: source <(kindows completion bash)")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .action(run(() => import("../completion/complete.ts"), "printCompletion"));
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { printCandidates } = await import("../completion/complete.ts");
      await printCandidates(program, words, program.opts<Options>().stack);
    });
}

const days = wholeNumber(0, 99_999, " of days");
const seconds = wholeNumber(1, 999_999, " of seconds, at least 1");
const lines = wholeNumber(0, 99_999, " of lines");
const machines = wholeNumber(0, 99, " of machines, at most 99");
const port = wholeNumber(1, 65_535, " from 1 to 65535");

function commaList(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.includes("")) throw new InvalidArgumentError("It must be names separated by commas.");
  return parts;
}

function wholeNumber(least: number, most: number, what: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^[0-9]{1,6}$/.test(text) || number < least || number > most) {
      throw new InvalidArgumentError(`It must be a whole number${what}.`);
    }
    return number;
  };
}
