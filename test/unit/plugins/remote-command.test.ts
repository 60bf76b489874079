import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { EngineProject, type EngineRun } from "./support/engine.ts";
import { eventually, processGone } from "./support/eventually.ts";
import { official } from "./support/installed-plugins.ts";
import { makeEncryptedKey, makeKey, SshServer } from "./support/ssh-server.ts";

describe("command.remote.Command in the engine", function () {
  this.timeout(60_000);
  const hostKey = makeKey();
  const key = makeKey();
  let project: EngineProject;
  let server: SshServer;

  before(async () => {
    server = await SshServer.start({
      hostKey,
      authorizedKeys: [key.publicKey],
      password: "correct horse",
      acceptEnvironment: ["ACCEPTED", "PULUMI_COMMAND_STDOUT"],
    });
    project = await EngineProject.create();
    await project.write("key", key.privateKey);
  });

  after(async () => {
    await project.dispose();
    await server.stop();
  });

  /** Runs a program with the commands given, as JavaScript by name, over the server's connection. */
  const up = async (
    commands: Readonly<Record<string, string>>,
    connections: Readonly<Record<string, string>> = {},
    options = "{}",
    port = server.port,
  ): Promise<EngineRun> => {
    const usual = `{ host: '127.0.0.1', port: ${String(port)}, user: 'admin',
      privateKey: readFileSync('key', 'utf8'), hostKey: '${hostKey.publicKey}' }`;
    const resources = Object.entries(commands).map(
      ([name, args]) => `
        const ${name} = new remote.Command('${name}',
          { connection: ${connections[name] ?? usual}, ...${args} }, ${options});
        outputs.${name} = ${name}.stdout;`,
    );
    await project.program(`
      import { readFileSync } from "node:fs";
      import * as pulumi from "@pulumi/pulumi";
      import { remote } from "@pulumi/command";
      export const outputs = {};
      ${resources.join("\n")}
    `);
    return project.up();
  };

  const outputs = async (): Promise<unknown> => (await project.outputs())["outputs"];

  it("runs create with stdin and accepted variables, update with the previous output, delete", async () => {
    const created = await up({
      first: `{
        create: 'cat; echo "$ACCEPTED"; echo oops >&2', stdin: 'from stdin\\n',
        environment: { ACCEPTED: 'yes' },
        delete: 'echo deleted > ${project.folder}/deleted' }`,
    });
    assert.equal(created.exitCode, 0, created.text);
    assert.deepEqual(await outputs(), { first: "from stdin\nyes" });
    assert.deepEqual((await project.resource("first")).outputs?.["stderr"], "oops");
    const logged = created.messages.filter(({ resource }) => resource === "first");
    assert.deepEqual(logged.map(({ text }) => text).sort(), ["from stdin", "oops", "yes"]);

    const again = await project.preview("--expect-no-changes");
    assert.equal(again.exitCode, 0, again.text);

    const updated = await up({
      first: `{ create: 'exit 1', update: 'echo "after $PULUMI_COMMAND_STDOUT"',
        delete: 'echo deleted > ${project.folder}/deleted' }`,
    });
    assert.deepEqual(updated.steps["first"], ["update"], updated.text);
    assert.deepEqual(await outputs(), { first: "after from stdin\nyes" });
    // The server does not accept PULUMI_COMMAND_STDERR: a warning, not an error.
    assert.match(updated.text, /Unable to set '?PULUMI_COMMAND_STDERR/);

    const removed = await up({});
    assert.deepEqual(removed.steps["first"], ["delete"], removed.text);
    assert.equal(await readFile(path.join(project.folder, "deleted"), "utf8"), "deleted\n");
  });

  it("connects with a password, with an encrypted key and over a proxy, and closes what it opened", async () => {
    const encrypted = makeEncryptedKey("open sesame");
    await project.write("encrypted", encrypted.privateKey);
    const inner = await SshServer.start({
      hostKey: makeKey(),
      authorizedKeys: [encrypted.publicKey],
    });
    try {
      const endpoint = `host: '127.0.0.1', port: ${String(server.port)}`;
      const run = await up(
        {
          password: "{ create: 'echo by password' }",
          proxied: "{ create: 'echo over a proxy' }",
        },
        {
          password: `{ ${endpoint}, password: 'correct horse' }`,
          proxied: `{ host: '127.0.0.1', port: ${String(inner.port)},
            privateKey: readFileSync('encrypted', 'utf8'), privateKeyPassword: 'open sesame',
            proxy: { ${endpoint}, privateKey: readFileSync('key', 'utf8'), hostKey: '${hostKey.publicKey}' } }`,
        },
      );
      assert.equal(run.exitCode, 0, run.text);
      assert.deepEqual(await outputs(), { password: "by password", proxied: "over a proxy" });
      await eventually("all connections are closed", () =>
        server.open + inner.open === 0 ? true : undefined,
      );
    } finally {
      await inner.stop();
    }
  });

  it("fails for a wrong host key, a refused login, a refused variable and a failed command", async () => {
    const endpoint = `host: '127.0.0.1', port: ${String(server.port)}, dialErrorLimit: 1`;
    const login = `privateKey: readFileSync('key', 'utf8')`;
    const run = await up(
      {
        host: "{ create: 'echo never' }",
        login: "{ create: 'echo never' }",
        variable: "{ create: 'echo never', environment: { REFUSED: 'hidden' } }",
        command: "{ create: 'echo out; echo err >&2; exit 7' }",
      },
      {
        host: `{ ${endpoint}, ${login}, hostKey: '${makeKey().publicKey}' }`,
        login: `{ ${endpoint}, password: 'wrong' }`,
      },
    );
    assert.notEqual(run.exitCode, 0);
    const error = (name: string): string =>
      run.messages.find(({ resource, severity }) => resource === name && severity === "error")
        ?.text ?? "";
    assert.match(error("host"), official ? /host key/ : /host key SHA256:.*hostKey pins SHA256:/);
    assert.match(error("login"), /after 1 failed attempts:.*auth/);
    assert.match(error("variable"), /could not set environment variable "?REFUSED/);
    assert.match(
      error("command"),
      /Process exited with status 7: running "echo out; echo err >&2; exit 7":\n\s*out\n\s*err/,
    );
    if (!official) assert.doesNotMatch(JSON.stringify(run.messages), /hidden|OPENSSH PRIVATE KEY/);
  });

  it("dials until the server is there", async () => {
    const { port } = server;
    await server.stop();
    const waiting = up({ late: "{ create: 'echo at last' }" }, {}, "{}", port);
    await refuseConnections(port, 3);
    server = await SshServer.start({ hostKey, authorizedKeys: [key.publicKey], port });
    const run = await waiting;
    assert.equal(run.exitCode, 0, run.text);
    assert.deepEqual(await outputs(), { late: "at last" });
    const retries = run.messages.filter(({ text }) => /^Dial \d+\/10 failed: retrying/.test(text));
    assert.ok(retries.length > 0, "no retry was logged");
  });

  it("does not run a command again whose connection broke", async () => {
    const runs = path.join(project.folder, "runs");
    const waiting = up({ broken: `{ create: 'echo run >> ${runs}; sleep 60' }` });
    await eventually("the command runs", () => (server.open > 0 ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { accepted } = server;
    server.dropConnections();
    const run = await waiting;
    assert.notEqual(run.exitCode, 0);
    assert.equal(server.accepted, accepted);
    assert.match(run.text, official ? /running "echo run/ : /the connection was lost before/);
    assert.equal(await readFile(runs, "utf8"), "run\n");
  });

  it("ends a command that hangs, and the dialling, when customTimeouts are exceeded", async function () {
    // The official plugin waits for a hanging command forever.
    if (official) this.skip();
    const sleeper = path.join(project.folder, "sleeper");
    const run = await up(
      {
        hanging: `{ create: 'echo $$ > ${sleeper}; echo waiting; exec sleep 300' }`,
        unreachable: "{ create: 'echo never' }",
      },
      { unreachable: `{ host: '127.0.0.1', port: 1, password: 'x', dialErrorLimit: -1 }` },
      "{ customTimeouts: { create: '3s' } }",
    );
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, /create of hanging took longer than .*\(3 s\): running .*waiting/s);
    assert.match(
      run.text,
      /Dial 127.0.0.1:1: create of unreachable took longer.*last seen: .*ECONNREFUSED/,
    );
    await processGone(Number(await readFile(sleeper, "utf8")));
    await eventually("all connections are closed", () => (server.open === 0 ? true : undefined));
  });

  it("keeps the connection secret in the state", async () => {
    const run = await up({ plain: "{ create: 'echo done' }" });
    assert.equal(run.exitCode, 0, run.text);
    assert.doesNotMatch(JSON.stringify(await project.state()), /PRIVATE KEY/);
    assert.equal((await project.resource("plain")).outputs?.["stdout"], "done");
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
