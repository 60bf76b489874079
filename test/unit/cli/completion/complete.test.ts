import assert from "node:assert/strict";
import { Argument, Command, Option } from "commander";

import { commandTable } from "../../../../cli/completion/command-table.ts";
import { complete } from "../../../../cli/completion/complete.ts";

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
const image = program.command("image").description("disks");
image.command("scripts").argument("<folder>");
image.command("ls").description("list");
program.command("completion").addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
program.command("__complete", { hidden: true }).argument("[words...]");

const known = {
  defaultStack: "rehearsal",
  stacks: () => Promise.resolve(["dev", "rehearsal"]),
  nodes: (stack: string) =>
    Promise.resolve(stack === "dev" ? ["real-1", "real-2"] : [`${stack}-win-1`]),
};

const cases: readonly {
  readonly words: readonly string[];
  readonly found: readonly string[] | "files" | "folders";
}[] = [
  { words: [""], found: ["ssh", "logs", "console", "verify", "image", "completion", "help"] },
  { words: [], found: ["ssh", "logs", "console", "verify", "image", "completion", "help"] },
  { words: ["lo"], found: ["logs"] },
  { words: ["x"], found: [] },
  { words: ["-"], found: ["--stack", "-s", "--help", "-h"] },
  { words: ["ssh", "--"], found: ["--quiet", "--help", "--stack"] },
  { words: ["verify", "--"], found: ["--json", "--level", "--help", "--stack"] },
  { words: ["--stack", ""], found: ["dev", "rehearsal"] },
  { words: ["-s", "d"], found: ["dev"] },
  { words: ["--stack=d"], found: ["--stack=dev"] },
  { words: ["--stack", "=", "d"], found: ["dev"] },
  { words: ["--stack", "="], found: ["dev", "rehearsal"] },
  { words: ["--stack", "=", ""], found: ["dev", "rehearsal"] },
  { words: ["ssh", ""], found: ["rehearsal-win-1"] },
  { words: ["ssh", "--stack", "dev", ""], found: ["real-1", "real-2"] },
  { words: ["--stack", "=", "dev", "ssh", "real-2"], found: ["real-2"] },
  { words: ["-s", "other", "logs", ""], found: ["other-win-1", "control-plane", "steps"] },
  { words: ["logs", "win-1", "s"], found: ["steps"] },
  { words: ["console", "win-1", ""], found: [] },
  { words: ["ssh", "win-1", ""], found: [] },
  { words: ["ssh", "win-1", "--", "--q"], found: [] },
  { words: ["verify", "--json", ""], found: "files" },
  { words: ["verify", "--json=a", ""], found: [] },
  { words: ["verify", "--level", "h"], found: ["high"] },
  { words: ["verify", "--level="], found: ["--level=low", "--level=high"] },
  { words: ["verify", "--level", "="], found: ["low", "high"] },
  { words: ["image", ""], found: ["scripts", "ls", "help"] },
  { words: ["image", "-s", "dev", "l"], found: ["ls"] },
  { words: ["image", "scripts", ""], found: "folders" },
  { words: ["console", ""], found: ["rehearsal-win-1"] },
  { words: ["completion", ""], found: ["bash", "zsh"] },
  { words: ["help", "im"], found: ["image"] },
  { words: ["help", "image", ""], found: [] },
];

describe("completing a command line", () => {
  for (const { words, found } of cases) {
    it(`kindows ${words.map((word) => word || "''").join(" ")}`, async () => {
      const completion = await complete(commandTable(program), words, known);
      assert.deepEqual(
        typeof completion === "string" ? completion : completion.map(({ value }) => value),
        found,
      );
    });
  }

  it("shows what --help says of each", async () => {
    assert.deepEqual(await complete(commandTable(program), ["image", "ls"], known), [
      { value: "ls", description: "list" },
    ]);
  });
});
