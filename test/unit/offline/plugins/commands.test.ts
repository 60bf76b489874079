import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { getEventListeners, once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import net, { createServer } from "node:net";
import path from "node:path";

import {
  isSecret,
  type PropertyMap,
  secret,
} from "../../../../offline/plugins/protocol/property-value.ts";
import { dial } from "../../../../host/ssh/dial.ts";
import { eventually, processGone, processIn } from "../../../engine/plugins/support/eventually.ts";
import { ownAddress, ownPort } from "../../../own-address.ts";
import { official } from "../../../engine/plugins/support/engine.ts";
import { Plugin, type Resource, type Step } from "../../../engine/plugins/support/plugin.ts";
import {
  makeEncryptedKey,
  makeKey,
  SshServer,
} from "../../../engine/plugins/support/ssh-server.ts";
import { newFolder } from "../../new-folder.ts";

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

  it("fails with the command, its exit status and its output", async () => {
    await assert.rejects(
      command.up({ create: "echo some output; echo and more >&2; exit 3" }),
      // Two streams, in whichever order they come.
      /exit status 3: running "echo some output; echo and more >&2; exit 3":\n(?=.*some output)(?=.*and more)/s,
    );
  });

  it("ends a command and its child processes if customTimeouts are exceeded", async function () {
    // The official plugin leaves the sleeper alone and says "signal: killed".
    if (official) this.skip();
    await assert.rejects(
      command.up({ dir, create: "echo waiting; sleep 3000 & echo $! > sleeper; wait" }, 4),
      /create of command took longer than its customTimeouts allow \(4 s\).*waiting/s,
    );
    await processGone(await processIn(path.join(dir, "sleeper")));
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
    const sleeper = await processIn(path.join(dir, "cancelled"));
    await plugin.cancel();
    await processGone(sleeper);
    await ended;
  });
});

describe("kindows.host.Action", () => {
  let plugin: Plugin;
  const dir = newFolder();
  let action: Resource;

  before(async () => {
    plugin = await Plugin.start("kindows");
    action = plugin.resource("kindows:host:Action", "action");
  });
  after(() => plugin.stop());

  const made: PropertyMap = {
    dir,
    create: "echo create >> journal; echo one",
    delete: "echo delete >> journal",
  };
  const looked: PropertyMap = { ...made, read: 'echo "$PULUMI_COMMAND_STDOUT" > seen; cat found' };
  const find = (found: object | string): Promise<void> =>
    writeFile(path.join(dir, "found"), typeof found === "string" ? found : JSON.stringify(found));
  const journal = (): Promise<string> => readFile(path.join(dir, "journal"), "utf8");

  it("takes over a command's state: a changed read command runs nothing again, and the output stays known", async () => {
    await action.up(made);
    assert.equal(await action.refresh(), "same");
    assert.deepEqual(await action.up(looked), ["update"]);
    assert.equal(action.state["stdout"], "one");
    assert.equal(await journal(), "create\n");
  });

  it("is unchanged if its read command, which gets the output of create, prints nothing", async () => {
    await find("");
    await action.refresh();
    assert.deepEqual((await action.preview(looked)).steps, ["same"]);
    assert.equal(await readFile(path.join(dir, "seen"), "utf8"), "one\n");
  });

  it("runs create again if it has changed, and is replaced if it is gone", async () => {
    for (const [found, step, done] of [
      [{ changed: "stopped" }, ["update"], "create\n"],
      [{ gone: "removed" }, ["create-replacement", "delete-replaced"], "create\ndelete\n"],
    ] as const) {
      const before = await journal();
      await find(found);
      await action.refresh();
      assert.deepEqual({ ...action.state, ...found }, action.state);
      // Found again or not, it is the same.
      await action.refresh();
      assert.deepEqual(await action.up(looked), step);
      assert.equal(await journal(), before + done);
      assert.deepEqual([action.state["gone"], action.state["changed"]], [undefined, undefined]);
    }
  });

  it("is unchanged again after somebody else has repaired it", async () => {
    await find({ gone: "removed" });
    await action.refresh();
    await find("");
    await action.refresh();
    assert.deepEqual((await action.preview(looked)).steps, ["same"]);
  });

  it("does not count as gone if its read command fails or prints something else", async () => {
    await find({ missing: "all" });
    await assert.rejects(action.refresh(), /missing/);
    await rm(path.join(dir, "found"));
    await assert.rejects(action.refresh(), /exit status 1.*found/s);
    assert.deepEqual((await action.preview(looked)).steps, ["same"]);
  });
});

const signature = "4dabf18193072939515e22adb298388d";
const [asset, archive] = ["c44067f5952c0a294b673a41bacd8c17", "0def7320c3a5731c473e5ecbe6d01bc7"];

describe("command.remote", () => {
  const hostKey = makeKey();
  const key = makeKey();
  const options = { hostKey, authorizedKeys: [key.publicKey], address: ownAddress() };
  let plugin: Plugin;
  let server: SshServer;
  const folder = newFolder();

  before(async () => {
    plugin = await Plugin.start("command");
    server = await SshServer.start({ ...options, port: await ownPort() });
  });
  after(async () => {
    await server.stop();
    await plugin.stop();
  });

  const command = (name: string): Resource => plugin.resource("command:remote:Command", name);
  const endpoint = (): PropertyMap => ({ host: ownAddress(), port: server.port });
  const usual = (): PropertyMap => ({
    ...endpoint(),
    user: "admin",
    privateKey: key.privateKey,
    hostKey: hostKey.publicKey,
  });
  const over = (connection: PropertyMap, more: PropertyMap): PropertyMap => ({
    connection,
    addPreviousOutputInEnv: false,
    ...more,
  });
  const closed = (...servers: readonly SshServer[]): Promise<unknown> =>
    eventually("all connections are closed", () =>
      servers.every(({ open }) => open === 0) ? true : undefined,
    );
  /** What a command that fails says, without secrets. */
  const failure = async (failing: Promise<unknown>): Promise<string> => {
    const error = await failing.then(
      () => assert.fail("it did not fail"),
      (reason: unknown) => reason as Error,
    );
    if (!official) {
      const reported = `${error.message}\n${JSON.stringify(plugin.messages)}`;
      assert.doesNotMatch(reported, /hidden|OPENSSH PRIVATE KEY/);
    }
    return error.message;
  };

  it("runs create with stdin, update, delete", async () => {
    const first = command("first");
    const remove = `echo deleted > ${folder}/deleted`;
    const inputs = over(usual(), {
      create: "cat; echo oops >&2",
      stdin: "from stdin\n",
      delete: remove,
    });
    assert.deepEqual((await first.preview(inputs)).steps, ["create"]);
    assert.equal(server.accepted, 0);
    assert.deepEqual(await first.up(inputs), ["create"]);
    assert.deepEqual([first.state["stdout"], first.state["stderr"]], ["from stdin", "oops"]);
    assert.ok(isSecret(first.state["connection"]), "nobody had to mark it");
    assert.deepEqual(
      plugin.messages
        .filter(({ resource }) => resource === "first")
        .map(({ text }) => text)
        .sort(),
      ["from stdin", "oops"],
    );
    assert.deepEqual(await first.up(inputs), ["same"]);

    const changed = over(usual(), { create: "exit 1", update: "echo after", delete: remove });
    assert.deepEqual(await first.up(changed), ["update"]);
    assert.equal(first.state["stdout"], "after");

    await first.delete();
    assert.equal(await readFile(path.join(folder, "deleted"), "utf8"), "deleted\n");
  });

  it("connects with an encrypted key and over a proxy, and closes what it opened", async () => {
    const encrypted = makeEncryptedKey("open sesame");
    const authorizedKeys = [encrypted.publicKey];
    const innerKey = makeKey();
    const inner = await SshServer.start({ hostKey: innerKey, authorizedKeys });
    try {
      const proxied = command("proxied");
      const through = {
        host: "127.0.0.1",
        port: inner.port,
        proxy: usual(),
        hostKey: innerKey.publicKey,
        privateKey: encrypted.privateKey,
        privateKeyPassword: "open sesame",
      };
      await proxied.up(over(through, { create: "echo over a proxy" }));
      assert.equal(proxied.state["stdout"], "over a proxy");
      // The official plugin keeps them until it ends.
      if (!official) await closed(server, inner);
    } finally {
      await inner.stop();
    }
  });

  const once = (): PropertyMap => ({ ...endpoint(), dialErrorLimit: 1 });
  const failures: readonly (readonly [string, () => PropertyMap, create: string, RegExp])[] = [
    [
      "a wrong host key",
      () => ({ ...once(), privateKey: secret(key.privateKey), hostKey: makeKey().publicKey }),
      "echo never",
      official ? /host key/ : /host key SHA256:.*the settings pin SHA256:/,
    ],
    ...(official
      ? []
      : [
          [
            "no host key",
            () => ({ ...once(), privateKey: key.privateKey }),
            "echo never",
            /is required/,
          ] as const,
        ]),
    [
      "a refused login",
      () => ({ ...once(), privateKey: makeKey().privateKey, hostKey: hostKey.publicKey }),
      "echo never",
      /after 1 failed attempts:.*auth/,
    ],
    [
      "a failed command",
      usual,
      "echo out; echo err >&2; exit 7",
      // Two streams, in whichever order they come.
      /Process exited with status 7: running "echo out; echo err >&2; exit 7":\n(?=.*^\s*out$)(?=.*^\s*err$)/ms,
    ],
    ["a command without an exit status", usual, "kill -9 $$", /exit status/],
  ];
  for (const [what, connection, create, why] of failures) {
    it(`fails for ${what}`, async () => {
      assert.match(await failure(command("failing").up(over(connection(), { create }))), why);
    });
  }

  it("dials until the server is there", async () => {
    const { port } = server;
    const connection = usual();
    await server.stop();
    const late = command("late");
    const waiting = late.up(over(connection, { create: "echo at last" }));
    await refuseConnections(port, 3);
    server = await SshServer.start({ ...options, port });
    await waiting;
    assert.equal(late.state["stdout"], "at last");
    assert.ok(
      plugin.messages.some(({ text }) => /^Dial \d+\/10 failed: retrying/.test(text)),
      "no retry was logged",
    );
  });

  it("does not repeat a command after a lost connection", async () => {
    const runs = path.join(folder, "runs");
    const running = failure(
      command("broken").up(over(usual(), { create: `echo run >> ${runs}; sleep 3000` })),
    );
    await eventually("the command runs", () =>
      readFile(runs, "utf8").then(
        (text) => (text === "run\n" ? true : undefined),
        () => undefined,
      ),
    );
    const { accepted } = server;
    server.dropConnections();
    assert.match(await running, official ? /running "echo run/ : /the connection was lost before/);
    assert.equal(server.accepted, accepted);
    assert.equal(await readFile(runs, "utf8"), "run\n");
  });

  it("ends a hanging command, and connection attempts, if customTimeouts are exceeded", async function () {
    // The official plugin waits for a hanging command forever.
    if (official) this.skip();
    const sleeper = path.join(folder, "sleeper");
    const hanging = `echo $$ > ${sleeper}; echo waiting; exec sleep 3000`;
    const nowhere = { ...usual(), port: 1, dialErrorLimit: -1 };
    const [ran, dialled] = await Promise.all([
      failure(command("hanging").up(over(usual(), { create: hanging }), 5)),
      failure(command("unreachable").up(over(nowhere, { create: "echo never" }), 5)),
    ]);
    assert.match(ran, /create of hanging took longer than .*\(5 s\): running .*waiting/s);
    assert.match(
      dialled,
      /Dial 127[\d.]+:1: create of unreachable took longer.*last seen: .*ECONNREFUSED/,
    );
    await processGone(Number(await readFile(sleeper, "utf8")));
    await closed(server);
  });

  describe("CopyToRemote", () => {
    const local = (name: string): string => path.join(folder, "source", name);
    const remote = (name: string): string => path.join(folder, "remote", name);

    before(async () => {
      await mkdir(remote("existing"), { recursive: true });
      await mkdir(local("deeper"), { recursive: true });
      await writeFile(local("one.txt"), "one");
      await writeFile(local("deeper/big"), Buffer.alloc(300_000, 7));
    });

    /** Assets and archives as the engine sends them; their hashes are by content. */
    const ofFile = (kind: string, file: string, content: string): PropertyMap => ({
      [signature]: kind,
      path: file,
      hash: createHash("sha256").update(content).digest("hex"),
    });
    /** Where to, and what, while the file has this content. */
    const copies = (content: string): Readonly<Record<string, readonly [string, PropertyMap]>> => ({
      folder: ["folder", ofFile(archive, path.join(folder, "source"), content)],
      content: ["content", ofFile(archive, `${folder}/source/`, content)],
      into: ["existing", ofFile(archive, path.join(folder, "source"), content)],
      file: ["renamed.txt", ofFile(asset, local("one.txt"), content)],
      fileInto: ["existing", ofFile(asset, local("one.txt"), content)],
    });
    const inputs = ([to, source]: readonly [string, PropertyMap], more = {}): PropertyMap => ({
      connection: { ...usual(), dialErrorLimit: 1, ...more },
      remotePath: remote(to),
      source,
    });
    const resources: Record<string, Resource> = {};
    const up = async (content: string, more = {}): Promise<Record<string, Step[]>> => {
      const steps: Record<string, Step[]> = {};
      for (const [name, copy] of Object.entries(copies(content))) {
        const resource = (resources[name] ??= plugin.resource("command:remote:CopyToRemote", name));
        steps[name] = await resource.up(inputs(copy, more));
      }
      return steps;
    };
    const remoteFiles = async (): Promise<string[]> => {
      const entries = await readdir(remote(""), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(remote(""), path.join(entry.parentPath, entry.name)))
        .sort();
    };

    it("copies folders and files to the remote path, depending on what exists there", async () => {
      await up("one");
      assert.deepEqual(await remoteFiles(), [
        "content/deeper/big",
        "content/one.txt",
        "existing/one.txt",
        "existing/source/deeper/big",
        "existing/source/one.txt",
        "folder/source/deeper/big",
        "folder/source/one.txt",
        "renamed.txt",
      ]);
      assert.ok((await readFile(remote("content/deeper/big"))).equals(Buffer.alloc(300_000, 7)));
      assert.ok(Object.values(await up("one")).every(([step]) => step === "same"));
      await closed(server);
    });

    it("copies again only what changed, nothing if only the connection did, and never deletes", async () => {
      await writeFile(local("one.txt"), "two");
      const steps = await up("two");
      const updated = Object.keys(steps).filter((name) => steps[name]?.[0] === "update");
      assert.deepEqual(updated.sort(), ["content", "file", "fileInto", "folder", "into"]);
      assert.equal(await readFile(remote("renamed.txt"), "utf8"), "two");

      const { accepted } = server;
      const moved = await up("two", { perDialTimeout: 7 });
      assert.ok(Object.values(moved).every(([step]) => step === "update"));
      assert.equal(server.accepted, accepted);

      const before = await remoteFiles();
      for (const resource of Object.values(resources)) await resource.delete();
      assert.deepEqual(await remoteFiles(), before);
    });

    it("fails for a folder over a file, and for a file without its folder", async () => {
      const failing = plugin.resource("command:remote:CopyToRemote", "failing");
      const folder = ofFile(archive, local(""), "two");
      await assert.rejects(failing.up(inputs(["renamed.txt", folder])), /renamed\.txt/);
      const file = ofFile(asset, local("one.txt"), "two");
      const nowhere = inputs(["missing/parent.txt", file]);
      await assert.rejects(failing.up(nowhere), /missing\/parent\.txt/);
    });
  });
});

/** Listens on a port and hangs up, until that many connections were tried. */
async function refuseConnections(port: number, attempts: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let seen = 0;
    const listener = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.destroy();
      seen += 1;
      if (seen === attempts) listener.close(() => resolve());
    });
    listener.once("error", reject);
    listener.listen(port, ownAddress());
  });
}

describe("dialling", () => {
  let server: net.Server;
  /** What is done with whoever connects. */
  let greet: (socket: net.Socket) => void;

  beforeEach(async () => {
    server = net.createServer((socket) => {
      socket.on("error", () => undefined);
      greet(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(() => server.close());

  const dialled = (signal: AbortSignal, dialErrorLimit = -1): Promise<unknown> => {
    const { port } = server.address() as net.AddressInfo;
    const bounds = { dialErrorLimit, perDialTimeout: 300 };
    const hostKey = makeKey().publicKey;
    const connection = { host: "127.0.0.1", port, user: "nobody", hostKey, ...bounds };
    return dial(connection, { signal, progress: () => undefined });
  };

  /** The last connection may hear a little later. */
  const leftAlone = (signal: AbortSignal): Promise<boolean> =>
    eventually(
      "nobody listens",
      () => getEventListeners(signal, "abort").length === 0 || undefined,
    );

  it("leaves no listener on the operation's signal after any number of attempts", async () => {
    const { signal } = new AbortController();
    greet = (socket) => socket.destroy();
    await assert.rejects(dialled(signal, 2), /after 2 failed attempts/);
    await leftAlone(signal);
  });

  it("ends at once if the operation is already over", async () => {
    const over = AbortSignal.abort(new Error("the time is over"));
    greet = (socket) => socket.destroy();
    await assert.rejects(dialled(over), /the time is over; last seen: nothing yet/);
  });

  it("closes its connection when the operation ends while a server is silent", async () => {
    const operation = new AbortController();
    let closed: Promise<unknown> | undefined;
    greet = (socket) => {
      socket.resume();
      closed = once(socket, "close");
      operation.abort(new Error("the time is over"));
    };
    await assert.rejects(dialled(operation.signal), /the time is over/);
    await closed;
    await leftAlone(operation.signal);
  });
});
