import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import ssh2 from "ssh2";

import { execa } from "execa";
import { knownHosts, sshArguments, sshConfig } from "../../../../cli/lab/openssh-settings.ts";
import { logInTo } from "../../../../host/ssh/dial.ts";
import { connectConfig } from "../../../../host/ssh/endpoint.ts";
import { learnHostKey } from "../../../../host/ssh/host-key.ts";
import {
  makeEncryptedKey,
  makeKey,
  SshServer,
} from "../../../engine/plugins/support/ssh-server.ts";
import { eachCase } from "../../each-case.ts";
import { newFolder } from "../../new-folder.ts";

const here = { host: "127.0.0.1", port: 22, user: "admin" };
const hostKey = makeKey();
const key = makeKey();

describe("an SSH login", () => {
  const { SSH_AUTH_SOCK: before } = process.env;
  afterEach(() => {
    if (before === undefined) delete process.env["SSH_AUTH_SOCK"];
    else process.env["SSH_AUTH_SOCK"] = before;
  });

  it("offers the agent's keys only where there is no key", () => {
    // Any file that is there.
    process.env["SSH_AUTH_SOCK"] = import.meta.filename;
    const methods = (privateKey?: string): unknown =>
      connectConfig({ ...here, hostKey: hostKey.publicKey, privateKey }, () => undefined)
        .authHandler;
    assert.deepEqual(methods(key.privateKey), ["none", "publickey"]);
    assert.deepEqual(methods(), ["none", "agent"]);
  });

  const rsa = makeEncryptedKey("x");
  /** A server that knows SHA-1 only, in one of its algorithms. */
  const old: Readonly<Record<string, ssh2.ServerConfig["algorithms"]>> = {
    "signatures of its host key": { serverHostKey: ["ssh-rsa"] },
    "message authentication": { cipher: ["aes256-ctr"], hmac: ["hmac-sha1"] },
    "message authentication after encryption": {
      cipher: ["aes256-ctr"],
      hmac: ["hmac-sha1-etm@openssh.com"],
    },
    "the key exchange": { kex: ["diffie-hellman-group14-sha1"] },
  };
  eachCase(
    "has nothing in common with a server that uses SHA-1 for %s",
    old,
    async (algorithms) => {
      const hostKeys = [{ key: rsa.privateKey, passphrase: "x" }];
      const server = new ssh2.Server({ hostKeys, algorithms }, (connection) => {
        connection.on("error", () => undefined).on("authentication", (context) => context.accept());
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const login = { ...here, port, hostKey: rsa.publicKey, privateKey: key.privateKey };
      const signal = AbortSignal.timeout(60_000);
      try {
        await assert.rejects(logInTo(login, signal), /no matching/);
        await assert.rejects(learnHostKey("127.0.0.1", port), /no matching/);
      } finally {
        server.close();
      }
    },
  );
});

describe("OpenSSH with a lab's ssh_config", () => {
  const node = { name: "win-1", address: "192.0.2.10", sshUser: "Administrator" };
  let server: SshServer;
  before(async () => {
    server = await SshServer.start({ hostKey, authorizedKeys: [key.publicKey] });
  });
  after(() => server.stop());

  /** What `ssh` says, on the way to that machine, which this process plays. */
  const ssh = async (folderName: string, pin: string) => {
    const folder = path.join(newFolder(), folderName);
    const file = (name: string): string => path.join(folder, name);
    const files = {
      sshKey: file("id_ed25519"),
      knownHosts: file("known_hosts"),
      sshConfig: file("ssh_config"),
    };
    mkdirSync(folder);
    writeFileSync(files.sshKey, `${key.privateKey.trimEnd()}\n`, { mode: 0o600 });
    writeFileSync(files.knownHosts, knownHosts([{ ...node, hostKey: pin }]));
    writeFileSync(files.sshConfig, sshConfig([node], files));
    const connect = `require("net").connect(${server.port},"127.0.0.1",function(){process.stdin.pipe(this).pipe(process.stdout)})`;
    const way = `ProxyCommand='${process.execPath}' -e '${connect}'`;
    const args = ["-o", way, ...sshArguments(node, files), "echo arrived"];
    return execa("ssh", args, { reject: false, timeout: 60_000, stdin: "ignore" });
  };

  const folders = ["plain", "with blanks in it", "100%h", 'a "quoted" one', "back\\slash"];
  eachCase(
    "finds key and pin in a folder: %s",
    Object.fromEntries(folders.map((name) => [name, name])),
    async (name) => {
      const { stdout, stderr } = await ssh(name, hostKey.publicKey);
      assert.equal(stdout, "arrived", stderr);
    },
  );

  it("refuses another host key, and asks nothing", async () => {
    const { exitCode, stderr } = await ssh("a b", makeKey().publicKey);
    assert.equal(exitCode, 255);
    assert.match(stderr, /Host key verification failed/);
  });

  it("refuses a machine without a pin, and asks nothing", async () => {
    const { exitCode, stderr } = await ssh("a b", "");
    assert.equal(exitCode, 255);
    assert.match(stderr, /No ED25519 host key is known .* you have requested strict checking/s);
  });
});
