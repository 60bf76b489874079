import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { secret, type PropertyMap } from "../../../plugins/protocol/property-value.ts";
import { eventually, processGone } from "../../engine/plugins/support/eventually.ts";
import { official } from "../../engine/plugins/support/installed-plugins.ts";
import { Plugin, type Resource } from "../../engine/plugins/support/plugin.ts";
import { newFolder } from "../new-folder.ts";

describe("command.local.Command", () => {
  let plugin: Plugin;
  const dir = newFolder();
  let command: Resource;

  before(async () => {
    process.env["KINDOWS_TEST_INHERITED"] = "inherited";
    plugin = await Plugin.start("command");
    command = plugin.resource("command:local:Command", "command");
  });
  after(async () => {
    delete process.env["KINDOWS_TEST_INHERITED"];
    await plugin.stop();
  });

  const journal = async (): Promise<string[]> =>
    (await readFile(path.join(dir, "journal"), "utf8")).split("\n").slice(0, -1);
  /** Number of the process that a command writes into a file. */
  const processIn = (file: string): Promise<number> =>
    eventually(`a process is named in ${file}`, async () => {
      const text = await readFile(path.join(dir, file), "utf8").catch(() => "");
      return text.endsWith("\n") ? Number(text) : undefined;
    });

  const first: PropertyMap = {
    dir,
    create:
      'echo create >> journal; cat; echo "$GIVEN $KINDOWS_TEST_INHERITED"; echo "two\nlines" >&2',
    delete: "echo delete-1 >> journal",
    stdin: "from stdin\n",
    environment: { GIVEN: "given" },
  };

  it("runs create, and nothing in a preview or when nothing changed", async () => {
    assert.deepEqual((await command.preview(first)).steps, ["create"]);
    await assert.rejects(journal(), { code: "ENOENT" });
    assert.deepEqual(await command.up(first), ["create"]);
    assert.equal(command.state["stdout"], "from stdin\ngiven inherited");
    assert.equal(command.state["stderr"], "two\nlines");
    assert.deepEqual(
      plugin.messages.map(({ resource, text }) => `${resource}: ${text}`).sort(),
      ["from stdin", "given inherited", "lines", "two"].map((text) => `command: ${text}`),
    );
    assert.deepEqual((await command.preview(first)).steps, ["same"]);
    assert.deepEqual(await command.up(first), ["same"]);
    assert.deepEqual(await journal(), ["create"]);
  });

  it("does not know its output in a preview that would run it", async () => {
    const { state } = await plugin
      .resource("command:local:Command", "new")
      .preview({ create: "x" });
    assert.equal(state["stdout"], "04da6b54-80e4-46f7-96ec-b56ff0331ba9");
  });

  it("runs create again for a changed input, with the previous output in its environment", async () => {
    const again = {
      dir,
      create:
        'echo "again after $PULUMI_COMMAND_STDERR" | tr "\\n" " " >> journal; echo >> journal; echo two',
      delete: "echo delete-2 >> journal",
    };
    assert.deepEqual((await command.preview(again)).steps, ["update"]);
    assert.deepEqual(await command.up(again), ["update"]);
    assert.deepEqual(await journal(), ["create", "again after two lines "]);
  });

  it("runs create for new triggers and then delete with the old inputs; update for anything else", async () => {
    const update = {
      dir,
      create: "echo create >> journal",
      update: 'echo "update $PULUMI_COMMAND_STDOUT" >> journal',
      delete: "echo delete-3 >> journal",
      triggers: [1],
    };
    assert.deepEqual(await command.up(update), ["create-replacement", "delete-replaced"]);
    assert.deepEqual((await journal()).slice(2), ["create", "delete-2"]);
    assert.deepEqual(await command.up({ ...update, delete: "echo delete-4 >> journal" }), [
      "update",
    ]);
    assert.deepEqual((await journal()).slice(4), ["update "]);
    const replaced = {
      dir,
      create: "echo create-5 >> journal",
      delete: "echo delete-5 >> journal",
      triggers: [2],
    };
    assert.deepEqual(await command.up(replaced), ["create-replacement", "delete-replaced"]);
    assert.deepEqual((await journal()).slice(5), ["create-5", "delete-4"]);
  });

  it("sees no drift in a refresh, and deletes with the inputs of the last update", async () => {
    assert.equal(await command.refresh(), "same");
    await command.delete();
    assert.deepEqual((await journal()).slice(7), ["delete-5"]);
  });

  it("gives secrets to the command, and keeps their marks in the state", async () => {
    const token = secret("hunter2-hunter2");
    await command.up({ dir, create: 'echo "got $TOKEN"', environment: { TOKEN: token } });
    assert.equal(command.state["stdout"], "got hunter2-hunter2");
    assert.deepEqual(command.state["environment"], { TOKEN: token });
    await command.delete();
  });

  it("fails with the command, its exit status and what it wrote", async () => {
    await assert.rejects(
      command.up({ create: "echo some output; echo and more >&2; exit 3" }),
      // Two streams, in whichever order they come.
      /exit status 3: running "echo some output; echo and more >&2; exit 3":\n(?=.*some output)(?=.*and more)/s,
    );
  });

  it("ends a command, and what it started, when customTimeouts are exceeded", async function () {
    // The official plugin leaves the sleeper alone and says "signal: killed".
    if (official) this.skip();
    await assert.rejects(
      command.up({ dir, create: "echo waiting; sleep 3000 & echo $! > sleeper; wait" }, 4),
      /create of command took longer than its customTimeouts allow \(4 s\).*waiting/s,
    );
    await processGone(await processIn("sleeper"));
  });

  it("has no secret in an error or a log line", async function () {
    if (official) this.skip(); // There it has.
    const failed = command.up({
      create: secret('echo "env $TOKEN"; cat; echo; exit 1; # literal-secret'),
      environment: { TOKEN: secret("hunter2-hunter2") },
      stdin: secret('{"password":"correct-horse"}'),
    });
    await assert.rejects(failed, (error: Error) => {
      assert.match(error.message, /env \[secret\]/);
      const reported = `${error.message}\n${JSON.stringify(plugin.messages)}`;
      assert.doesNotMatch(reported, /hunter2|correct-horse|literal-secret/);
      return true;
    });
  });

  it("ends a command when the update is cancelled, and says so", async function () {
    // The official plugin says "signal: killed".
    if (official) this.skip();
    const running = command.up({ dir, create: "echo $$ > cancelled; echo begun; exec sleep 3000" });
    const ended = assert.rejects(running, /create of command was cancelled: running/);
    const sleeper = await processIn("cancelled");
    await plugin.cancel();
    await processGone(sleeper);
    await ended;
  });
});
