import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { EngineProject } from "./support/engine.ts";
import { eventually, processGone } from "./support/eventually.ts";
import { official } from "./support/installed-plugins.ts";

/** A program with one local command, `command`, and its arguments as JSON or JavaScript. */
const program = (args: string, options = "{}"): string => `
  import * as pulumi from "@pulumi/pulumi";
  import { local } from "@pulumi/command";
  const command = new local.Command("command", ${args}, ${options});
  export const stdout = command.stdout;
  export const stderr = command.stderr;
`;

describe("command.local.Command in the engine", function () {
  this.timeout(60_000);
  let project: EngineProject;

  before(async () => {
    project = await EngineProject.create({ KINDOWS_TEST_INHERITED: "inherited" });
  });

  after(() => project.dispose());

  const journal = async (): Promise<string[]> =>
    (await readFile(path.join(project.folder, "journal"), "utf8")).split("\n").slice(0, -1);

  it("runs create, and nothing in a preview or when nothing changed", async () => {
    await project.program(
      program(`{
        create: 'echo create >> journal; cat; echo "$GIVEN $KINDOWS_TEST_INHERITED"; echo "two\\nlines" >&2',
        delete: 'echo delete-1 >> journal',
        stdin: 'from stdin\\n',
        environment: { GIVEN: 'given' },
      }`),
    );
    const preview = await project.preview();
    assert.equal(preview.exitCode, 0, preview.text);
    await assert.rejects(journal(), { code: "ENOENT" });

    const up = await project.up();
    assert.equal(up.exitCode, 0, up.text);
    assert.deepEqual(await project.outputs(), {
      stdout: "from stdin\ngiven inherited",
      stderr: "two\nlines",
    });
    const logged = up.messages.filter(({ resource }) => resource === "command");
    assert.deepEqual(logged.map(({ text }) => text).sort(), [
      "from stdin",
      "given inherited",
      "lines",
      "two",
    ]);

    const again = await project.preview("--expect-no-changes");
    assert.equal(again.exitCode, 0, again.text);
    assert.deepEqual(await journal(), ["create"]);
  });

  it("runs create again for a changed input, with the previous output in its environment", async () => {
    await project.program(
      program(`{
        create: 'echo "again after $PULUMI_COMMAND_STDERR" | tr "\\n" " " >> journal; echo >> journal; echo two',
        delete: 'echo delete-2 >> journal',
      }`),
    );
    const up = await project.up();
    assert.deepEqual(up.steps["command"], ["update"], up.text);
    assert.deepEqual(await journal(), ["create", "again after two lines "]);
  });

  it("runs update instead where there is one", async () => {
    await project.program(
      program(`{
        create: 'echo create >> journal',
        update: 'echo "update $PULUMI_COMMAND_STDOUT" >> journal',
        delete: 'echo delete-3 >> journal',
        triggers: [1],
      }`),
    );
    // The trigger is new too, so it is a replacement: create runs, then delete with the old inputs.
    const replaced = await project.up();
    assert.deepEqual(
      replaced.steps["command"],
      ["create-replacement", "replace", "delete-replaced"],
      replaced.text,
    );
    assert.deepEqual((await journal()).slice(2), ["create", "delete-2"]);

    await project.program(
      program(`{
        create: 'echo create >> journal',
        update: 'echo "update $PULUMI_COMMAND_STDOUT" >> journal',
        delete: 'echo delete-4 >> journal',
        triggers: [1],
      }`),
    );
    const updated = await project.up();
    assert.deepEqual(updated.steps["command"], ["update"], updated.text);
    assert.deepEqual((await journal()).slice(4), ["update "]);
  });

  it("replaces for a changed element of triggers", async () => {
    await project.program(
      program(`{
        create: 'echo create-5 >> journal',
        delete: 'echo delete-5 >> journal',
        triggers: [2],
      }`),
    );
    const up = await project.up();
    assert.deepEqual(up.steps["command"], ["create-replacement", "replace", "delete-replaced"]);
    assert.deepEqual((await journal()).slice(5), ["create-5", "delete-4"]);
  });

  it("sees no drift in a refresh, and deletes with the inputs of the last update", async () => {
    const refreshed = await project.refresh("--expect-no-changes");
    assert.equal(refreshed.exitCode, 0, refreshed.text);
    const destroyed = await project.destroy();
    assert.equal(destroyed.exitCode, 0, destroyed.text);
    assert.deepEqual((await journal()).slice(7), ["delete-5"]);
  });

  it("keeps secrets secret in the state and lets the program use the output", async () => {
    await project.program(
      program(
        `{
          create: 'echo "got $TOKEN"',
          environment: { TOKEN: pulumi.secret('hunter2-hunter2') },
          stdin: pulumi.secret('{"password":"correct-horse"}'),
        }`,
        "{ additionalSecretOutputs: ['stdout'] }",
      ),
    );
    const up = await project.up();
    assert.equal(up.exitCode, 0, up.text);
    assert.equal((await project.outputs())["stdout"], "got hunter2-hunter2");
    const state = JSON.stringify(await project.state());
    assert.doesNotMatch(state, /hunter2|correct-horse/);
    const again = await project.preview("--expect-no-changes");
    assert.equal(again.exitCode, 0, again.text);
  });

  it("fails with the command, its exit status and what it wrote", async () => {
    await project.program(program(`{ create: 'echo some output; echo and more >&2; exit 3' }`));
    const up = await project.up();
    assert.notEqual(up.exitCode, 0);
    assert.match(up.text, /exit status 3: running "echo some output; echo and more >&2; exit 3":/);
    assert.match(up.text, /some output\n.*and more/s);
  });

  it("ends a command, and what it started, when customTimeouts are exceeded", async function () {
    await project.destroy();
    await project.program(
      program(
        `{ create: 'echo waiting; sleep 300 & echo $! > sleeper; wait' }`,
        "{ customTimeouts: { create: '2s' } }",
      ),
    );
    const started = Date.now();
    const up = await project.up();
    assert.notEqual(up.exitCode, 0);
    assert.ok(Date.now() - started < 30_000, "the command was not ended");
    // The official plugin leaves the sleeper alone and says "signal: killed".
    if (official) this.skip();
    assert.match(up.text, /create of command took longer than its customTimeouts allow \(2 s\)/);
    assert.match(up.text, /waiting/);
    const sleeper = Number(await readFile(path.join(project.folder, "sleeper"), "utf8"));
    await processGone(sleeper);
  });

  it("has no secret in an error or a log line", async function () {
    if (official) this.skip(); // There it has.
    await project.program(
      program(`{
        create: pulumi.secret('echo "env $TOKEN"; cat; echo; exit 1; # literal-secret'),
        environment: { TOKEN: pulumi.secret('hunter2-hunter2') },
        stdin: pulumi.secret('{"password":"correct-horse"}'),
      }`),
    );
    const up = await project.up("--logtostderr", "-v=9", "--logflow");
    assert.notEqual(up.exitCode, 0);
    assert.match(up.text, /env \[secret\]/);
    assert.doesNotMatch(JSON.stringify(up.messages), /hunter2|correct-horse|literal-secret/);
  });

  it("ends a command when the update is cancelled, and says so", async function () {
    // The official plugin says "signal: killed".
    if (official) this.skip();
    await project.write("sleeper", "");
    await project.program(program(`{ create: 'echo $$ > sleeper; echo begun; exec sleep 300' }`));
    const engine = project.start(["up", "--yes", "--skip-preview"]);
    const chunks: Buffer[] = [];
    engine.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise((resolve) => engine.once("close", resolve));
    const sleeper = await eventually("the command runs", async () => {
      const pid = Number(await readFile(path.join(project.folder, "sleeper"), "utf8"));
      return pid > 0 ? pid : undefined;
    });
    engine.kill("SIGINT");
    await ended;
    await processGone(sleeper);
    assert.match(Buffer.concat(chunks).toString(), /create of command was cancelled: running/);
  });

  it("leaves no process behind when the engine is killed", async function () {
    if (official) this.skip(); // It leaves the command behind.
    await project.program(program(`{ create: 'echo $$ > sleeper; exec sleep 300' }`));
    await project.write("sleeper", "");
    const engine = project.start(["up", "--yes", "--skip-preview"]);
    const sleeper = await eventually("the command runs", async () => {
      const pid = Number(await readFile(path.join(project.folder, "sleeper"), "utf8"));
      return pid > 0 ? pid : undefined;
    });
    engine.kill("SIGKILL");
    await processGone(sleeper);
    await project.run(["cancel", "--yes"]);
  });
});
