import assert from "node:assert/strict";
import path from "node:path";
import { execa } from "execa";

const cwd = path.resolve(import.meta.dirname, "../../..");

describe("commands in the documents that need the engine", () => {
  it("kindows policy previews a stack, and says whether it keeps the rules", async () => {
    const { stdout } = await execa(
      process.execPath,
      ["toolchain/program/run.js", "cli/main.ts", "policy", "--stacks", "existing"],
      { cwd },
    );
    assert.match(stdout, /^existing: all rules kept$/m);
  });

  it('make env and kindows env make a shell that plain pulumi works in: eval "$(make env)"', async () => {
    const subcommands = ["up", "preview", "refresh", "destroy", "stack output"];
    const script = [
      'eval "$(make env)"',
      ...subcommands.map((name) => `pulumi ${name} --help > /dev/null`),
      'echo "$PULUMI_STACK"',
      'eval "$(./kindows env --stack prod)"',
      'echo "$PULUMI_STACK"',
      "pulumi version",
    ].join(" && ");
    const { stdout } = await execa("bash", ["-c", script], { cwd });
    assert.match(stdout, /^rehearsal\nprod\nv?3\.[0-9.]+/);
  });
});
