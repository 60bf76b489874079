import assert from "node:assert/strict";
import { execa } from "execa";

import { repository } from "../../unit/docs/documented-commands.ts";
import { commandsToRun } from "../../unit/docs/make-commands.ts";

/** The longest, `policy`, previews every stack. */
const limitSeconds = 300;
const commands = await commandsToRun(true);

describe("commands in the documents that need the engine", function () {
  this.timeout((limitSeconds + 10) * 1000);

  it("are these", () =>
    assert.deepEqual(commands.map(({ args }) => args.join(" ")).sort(), [
      "env",
      "env --stack prod",
      "policy",
    ]));

  for (const { args, expected } of commands) {
    it(`kindows ${args.join(" ")}: ends as it should, and says what it should`, async () => {
      const { exitCode, all } = await execa(
        process.execPath,
        ["toolchain/program/run.js", "cli/main.ts", ...args],
        { cwd: repository, reject: false, all: true, timeout: limitSeconds * 1000 },
      );
      assert.ok(expected.exitCodes.includes(exitCode ?? -1), `${exitCode}\n${all}`);
      assert.match(all, expected.says);
    });
  }

  it('make a shell that plain pulumi works in: eval "$(make env)"', async () => {
    const subcommands = ["up", "preview", "refresh", "destroy", "stack output"];
    const script = [
      'eval "$(make env)"',
      ...subcommands.map((name) => `pulumi ${name} --help > /dev/null`),
      'echo "$PULUMI_STACK"',
      "pulumi version",
    ].join(" && ");
    const { stdout } = await execa("bash", ["-c", script], { cwd: repository });
    assert.match(stdout, /^rehearsal\nv?3\.[0-9.]+/);
  });
});
