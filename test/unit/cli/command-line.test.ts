import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { Argument, Command, Option } from "commander";
import { execa } from "execa";
import { kindowsProgram } from "../../../cli/command-line/kindows-program.ts";
import { complete } from "../../../cli/completion/complete.ts";
import { completionScript } from "../../../cli/completion/shell-scripts.ts";
import { passSignalsOn } from "../../../cli/engine/pulumi.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { allCommands } from "./all-commands.ts";

describe("arguments of commands", () => {
  const program = kindowsProgram();
  const commands = new Map(allCommands(program).map(({ name, command }) => [name, command]));
  for (const command of commands.values()) {
    command.action(() => undefined).configureOutput({ writeErr: () => undefined });
  }

  interface Case {
    readonly line: readonly [name: string, ...words: string[]];
    readonly taken: readonly [text: string, options: object];
    readonly refused: readonly string[];
    readonly why: RegExp;
  }
  const cases: Readonly<Record<string, Case>> = {
    "days from 0": {
      line: ["cache prune", "--unused-for"],
      taken: ["0", { unusedFor: 0 }],
      ...{ refused: ["-1"], why: /whole number of days/ },
    },
    "seconds from 1": {
      line: ["conformance", "--timeout"],
      taken: ["20", { timeout: 20 }],
      ...{ refused: ["0", "1.5", "1m"], why: /whole number of seconds, at least 1/ },
    },
    ports: {
      line: ["host-key", "192.0.2.1", "--port"],
      taken: ["65535", { port: 65535 }],
      ...{ refused: ["0", "65536", "ssh"], why: /from 1 to 65535/ },
    },
    lists: {
      line: ["verify", "--rows"],
      taken: ["a, b-*", { rows: ["a", "b-*"] }],
      ...{ refused: ["a,,b", ""], why: /names separated by commas/ },
    },
  };
  eachCase(
    "are %s",
    cases,
    async ({ line: [name, ...words], taken: [text, value], refused, why }) => {
      const run = (last: string) =>
        program.parseAsync([...name.split(" "), ...words, last], { from: "user" });
      await run(text);
      assert.partialDeepStrictEqual(commands.get(name)?.opts(), value);
      for (const wrong of refused) await assert.rejects(run(wrong), why, wrong);
    },
  );
});

describe("signals to a kindows command", () => {
  const got: NodeJS.Signals[] = [];
  const engine = { kill: (signal: NodeJS.Signals) => got.push(signal) > 0 };
  beforeEach(() => got.splice(0));

  const cases: Readonly<Record<string, readonly NodeJS.Signals[]>> = {
    "": [],
    SIGINT: ["SIGINT"],
    SIGTERM: ["SIGTERM"],
    // The engine would die of it, and leave its lock.
    SIGHUP: ["SIGTERM"],
    "SIGINT SIGINT": ["SIGINT", "SIGINT"],
    "SIGHUP SIGTERM SIGINT SIGINT": ["SIGTERM", "SIGTERM", "SIGKILL", "SIGKILL"],
  };
  eachCase("that reach it are passed on to the engine until its end: %s", cases, (passed, line) => {
    const sent = line.split(" ").filter((each) => each !== "") as NodeJS.Signals[];
    const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    const before = names.map((name) => process.listenerCount(name));
    const signals = passSignalsOn(engine);
    for (const signal of sent) process.emit(signal);
    assert.equal(signals.stop(), sent.length > 0);
    assert.deepEqual(got, passed);
    assert.deepEqual(
      names.map((name) => process.listenerCount(name)),
      before,
    );
  });
});

const program = new Command("kindows").addOption(
  new Option("-s, --stack <name>", "which lab").default("rehearsal"),
);
program.command("ssh").argument("<node>").argument("[command...]").option("--quiet", "say less");
program.command("logs").description("collect").argument("[source...]");
program.command("console").argument("<node>");
program
  .command("verify")
  .option("--json <file>", "where to")
  .addOption(new Option("--level <name>").choices(["low", "high"]))
  .addOption(new Option("--secret").hideHelp());
const disk = program.command("disk").description("disks");
disk.command("scripts").argument("<folder>");
disk.command("ls").description("list");
program.command("completion").addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
program.command("__complete", { hidden: true }).argument("[words...]");

const known = {
  defaultStack: "rehearsal",
  stacks: () => Promise.resolve(["dev", "rehearsal"]),
  nodes: (stack: string) =>
    Promise.resolve(stack === "dev" ? ["real-1", "real-2"] : [`${stack}-win-1`]),
};

/** What can be typed, where the line ends so far. An empty word is written as a shell writes it. */
const cases: Readonly<Record<string, readonly string[] | "files" | "folders">> = {
  "''": ["ssh", "logs", "console", "verify", "disk", "completion", "help"],
  "": ["ssh", "logs", "console", "verify", "disk", "completion", "help"],
  lo: ["logs"],
  x: [],
  "-": ["--stack", "-s", "--help", "-h"],
  "ssh --": ["--quiet", "--help", "--stack"],
  "verify --": ["--json", "--level", "--help", "--stack"],
  "--stack ''": ["dev", "rehearsal"],
  "-s d": ["dev"],
  "--stack=d": ["--stack=dev"],
  "--stack = d": ["dev"],
  "--stack =": ["dev", "rehearsal"],
  "--stack = ''": ["dev", "rehearsal"],
  "ssh ''": ["rehearsal-win-1"],
  "ssh --stack dev ''": ["real-1", "real-2"],
  "--stack = dev ssh real-2": ["real-2"],
  "-s other logs ''": ["other-win-1", "control-plane", "steps"],
  "logs win-1 s": ["steps"],
  "console win-1 ''": [],
  "ssh win-1 ''": [],
  "ssh win-1 -- --q": [],
  "verify --json ''": "files",
  "verify --json=a ''": [],
  "verify --level h": ["high"],
  "verify --level=": ["--level=low", "--level=high"],
  "verify --level =": ["low", "high"],
  "disk ''": ["scripts", "ls", "help"],
  "disk -s dev l": ["ls"],
  "disk scripts ''": "folders",
  "console ''": ["rehearsal-win-1"],
  "completion ''": ["bash", "zsh"],
  "help di": ["disk"],
  "help disk ''": [],
};

describe("completing a command line", () => {
  const valueOf = ({ value }: { readonly value: string }): string => value;
  eachCase("kindows %s", cases, async (found, line) => {
    const words = line === "" ? [] : line.split(" ").map((word) => word.replace("''", ""));
    const completion = await complete(program, words, known);
    const values = typeof completion === "string" ? completion : completion.map(valueOf);
    assert.deepEqual(values, found);
  });

  it("shows what --help says of each", async () => {
    const completion = await complete(program, ["disk", "ls"], known);
    assert.deepEqual(completion, [{ value: "ls", description: "list" }]);
  });
});

const kindows = path.join(projectRoot, "kindows");
const bash = "bash --noprofile --norc -i";
const searched = `${projectRoot}:${process.env["PATH"] ?? ""}`;
const tab = "\t";
/** Goes to the beginning of the line and makes it one that prints itself. */
const printIt = "\u0001printf '<%s>' \r";

/** Types something into a bash that has a terminal, and returns the words of the line as it stands then. */
async function typed(keys: string, folder: string): Promise<readonly string[]> {
  const { stdout: output } = await execa("script", ["-qec", bash, "/dev/null"], {
    cwd: folder,
    env: { PATH: searched, HOME: folder, TERM: "dumb", INPUTRC: "/dev/null" },
    extendEnv: false,
    input: `PS1=; . ./completion; printf 'BEGIN\\n'\r${keys}${printIt}exit\r`,
  });
  const printed = /^(?:<[^<>\n]*>)+/m.exec(output.slice(output.lastIndexOf("printf '<%s>'")))?.[0];
  assert.ok(printed, `nothing was printed: ${JSON.stringify(output)}`);
  return printed.slice(1, -1).split("><");
}

describe("bash completes kindows", () => {
  const folder = newFolder();
  before(() => {
    writeFileSync(path.join(folder, "completion"), completionScript("bash", kindows));
    writeFileSync(path.join(folder, "results.html"), "");
  });

  const lines: Readonly<Record<string, readonly string[]>> = {
    [`kindows statu${tab}--js${tab}`]: ["kindows", "status", "--json"],
    [`${kindows} verif${tab}`]: [kindows, "verify"],
    [`no-such-folder/kindows verif${tab}`]: ["no-such-folder/kindows", "verify"],
    [`kindows ssh w${tab}`]: ["kindows", "ssh", "win-1"],
    [`kindows --stack=reh${tab}`]: ["kindows", "--stack=rehearsal"],
    [`kindows verify --html res${tab}`]: ["kindows", "verify", "--html", "results.html"],
    [`kindows nothing-like-this${tab}`]: ["kindows", "nothing-like-this"],
  };
  for (const [keys, words] of Object.entries(lines)) {
    it(keys.replaceAll(tab, "<Tab>"), async () =>
      assert.deepEqual(await typed(keys, folder), words),
    );
  }
});
