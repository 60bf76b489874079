import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { isSecret, secret, type PropertyMap } from "../../../plugins/protocol/property-value.ts";
import { eventually, processGone } from "../../engine/plugins/support/eventually.ts";
import { official } from "../../engine/plugins/support/installed-plugins.ts";
import { Plugin, type Resource } from "../../engine/plugins/support/plugin.ts";
import { makeEncryptedKey, makeKey, SshServer } from "../../engine/plugins/support/ssh-server.ts";
import { newFolder } from "../new-folder.ts";

describe("command.remote.Command", () => {
  const hostKey = makeKey();
  const key = makeKey();
  let plugin: Plugin;
  let server: SshServer;
  const folder = newFolder();

  before(async () => {
    plugin = await Plugin.start("command");
    server = await SshServer.start({
      hostKey,
      authorizedKeys: [key.publicKey],
      password: "correct horse",
      acceptEnvironment: ["ACCEPTED", "PULUMI_COMMAND_STDOUT"],
    });
  });
  after(async () => {
    await server.stop();
    await plugin.stop();
  });

  const command = (name: string): Resource => plugin.resource("command:remote:Command", name);
  const endpoint = (): PropertyMap => ({ host: "127.0.0.1", port: server.port });
  const usual = (): PropertyMap => ({
    ...endpoint(),
    user: "admin",
    privateKey: key.privateKey,
    hostKey: hostKey.publicKey,
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

  it("runs create with stdin and accepted variables, update with the previous output, delete", async () => {
    const first = command("first");
    const remove = `echo deleted > ${folder}/deleted`;
    const inputs = {
      connection: usual(),
      create: 'cat; echo "$ACCEPTED"; echo oops >&2',
      stdin: "from stdin\n",
      environment: { ACCEPTED: "yes" },
      delete: remove,
    };
    assert.deepEqual((await first.preview(inputs)).steps, ["create"]);
    assert.equal(server.accepted, 0);
    assert.deepEqual(await first.up(inputs), ["create"]);
    assert.deepEqual([first.state["stdout"], first.state["stderr"]], ["from stdin\nyes", "oops"]);
    assert.ok(isSecret(first.state["connection"]), "nobody had to mark it");
    assert.deepEqual(
      plugin.messages
        .filter(({ resource }) => resource === "first")
        .map(({ text }) => text)
        .sort(),
      ["from stdin", "oops", "yes"],
    );
    assert.deepEqual(await first.up(inputs), ["same"]);

    const update = 'echo "after $PULUMI_COMMAND_STDOUT"';
    const changed = { connection: usual(), create: "exit 1", update, delete: remove };
    assert.deepEqual(await first.up(changed), ["update"]);
    assert.equal(first.state["stdout"], "after from stdin\nyes");
    // The server does not accept PULUMI_COMMAND_STDERR: a warning, not an error.
    const warning = plugin.messages.find(({ severity }) => severity === "warning");
    assert.match(warning?.text ?? "", /Unable to set '?PULUMI_COMMAND_STDERR/);

    await first.delete();
    assert.equal(await readFile(path.join(folder, "deleted"), "utf8"), "deleted\n");
  });

  it("connects with a password, with an encrypted key and over a proxy, and closes what it opened", async () => {
    const encrypted = makeEncryptedKey("open sesame");
    const authorizedKeys = [encrypted.publicKey];
    const inner = await SshServer.start({ hostKey: makeKey(), authorizedKeys });
    try {
      const password = command("password");
      await password.up({
        connection: { ...endpoint(), password: "correct horse" },
        create: "echo by password",
      });
      assert.equal(password.state["stdout"], "by password");
      const proxied = command("proxied");
      await proxied.up({
        connection: {
          ...{ host: "127.0.0.1", port: inner.port },
          ...{ privateKey: encrypted.privateKey, privateKeyPassword: "open sesame" },
          proxy: usual(),
        },
        create: "echo over a proxy",
      });
      assert.equal(proxied.state["stdout"], "over a proxy");
      // The official plugin keeps them until it ends.
      if (!official) await closed(server, inner);
    } finally {
      await inner.stop();
    }
  });

  const once = (): PropertyMap => ({ ...endpoint(), dialErrorLimit: 1 });
  const failures: readonly [string, () => PropertyMap, RegExp][] = [
    [
      "a wrong host key",
      () => ({
        connection: { ...once(), privateKey: secret(key.privateKey), hostKey: makeKey().publicKey },
        create: "echo never",
      }),
      official ? /host key/ : /host key SHA256:.*the settings pin SHA256:/,
    ],
    [
      "a refused login",
      () => ({ connection: { ...once(), password: "wrong" }, create: "echo never" }),
      /after 1 failed attempts:.*auth/,
    ],
    [
      "a refused variable",
      () => ({ connection: usual(), create: "echo never", environment: { REFUSED: "hidden" } }),
      /could not set environment variable "?REFUSED/,
    ],
    [
      "a failed command",
      () => ({ connection: usual(), create: "echo out; echo err >&2; exit 7" }),
      // Two streams, in whichever order they come.
      /Process exited with status 7: running "echo out; echo err >&2; exit 7":\n(?=.*^\s*out$)(?=.*^\s*err$)/ms,
    ],
    [
      "a command without an exit status",
      () => ({ connection: usual(), create: "kill -9 $$" }),
      /exit status/,
    ],
  ];
  for (const [what, inputs, why] of failures) {
    it(`fails for ${what}`, async () => {
      assert.match(await failure(command("failing").up(inputs())), why);
    });
  }

  it("dials until the server is there", async () => {
    const { port } = server;
    const connection = usual();
    await server.stop();
    const late = command("late");
    const waiting = late.up({ connection, create: "echo at last" });
    await refuseConnections(port, 3);
    server = await SshServer.start({ hostKey, authorizedKeys: [key.publicKey], port });
    await waiting;
    assert.equal(late.state["stdout"], "at last");
    assert.ok(
      plugin.messages.some(({ text }) => /^Dial \d+\/10 failed: retrying/.test(text)),
      "no retry was logged",
    );
  });

  it("does not run a command again whose connection broke", async () => {
    const runs = path.join(folder, "runs");
    const running = failure(
      command("broken").up({ connection: usual(), create: `echo run >> ${runs}; sleep 3000` }),
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

  it("ends a command that hangs, and the dialling, when customTimeouts are exceeded", async function () {
    // The official plugin waits for a hanging command forever.
    if (official) this.skip();
    const sleeper = path.join(folder, "sleeper");
    const hanging = `echo $$ > ${sleeper}; echo waiting; exec sleep 3000`;
    const nowhere = { host: "127.0.0.1", port: 1, password: "x", dialErrorLimit: -1 };
    const [ran, dialled] = await Promise.all([
      failure(command("hanging").up({ connection: usual(), create: hanging }, 5)),
      failure(command("unreachable").up({ connection: nowhere, create: "echo never" }, 5)),
    ]);
    assert.match(ran, /create of hanging took longer than .*\(5 s\): running .*waiting/s);
    assert.match(
      dialled,
      /Dial 127.0.0.1:1: create of unreachable took longer.*last seen: .*ECONNREFUSED/,
    );
    await processGone(Number(await readFile(sleeper, "utf8")));
    await closed(server);
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
    listener.listen(port, "127.0.0.1");
  });
}
