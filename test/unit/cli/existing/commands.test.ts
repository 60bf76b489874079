import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { bootstrap } from "../../../../cli/commands/bootstrap.ts";
import { bootstrapLines } from "../../../../cli/existing/bootstrap-lines.ts";
import { learnHostKey } from "../../../../cli/existing/learn-host-key.ts";
import { fingerprint } from "../../../../components/machine/fingerprint.ts";
import { hostKey } from "../../../../config/values/host-key.ts";
import { makeKey, SshServer } from "../../../engine/plugins/support/ssh-server.ts";

describe("turning SSH on at a machine", () => {
  it("keeps keys that are there, closes the file, opens the port, and shows the host key", () => {
    const { publicKey } = makeKey();
    const text = bootstrapLines(publicKey).join("\n");
    assert.match(text, /Add-WindowsCapability -Online -Name 'OpenSSH\.Server/);
    assert.match(text, /Add-Content .*administrators_authorized_keys/);
    assert.ok(text.includes(`-Value '${publicKey}'`));
    assert.match(
      text,
      /icacls .* \/inheritance:r \/grant '\*S-1-5-32-544:F' \/grant '\*S-1-5-18:F'/,
    );
    assert.match(text, /-LocalPort 22 -Action Allow/);
    assert.match(text, /Get-Content .*ssh_host_ed25519_key\.pub$/);
    // The folder is there only after the first start.
    assert.ok(text.indexOf("Start-Service sshd") < text.indexOf("Add-Content"));
  });

  describe("refuses", () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), "kindows-bootstrap-"));
    });
    after(() => rm(folder, { recursive: true }));

    const cases: readonly (readonly [name: string, host: string, key: string, why: RegExp])[] = [
      ["a host with a user in it", "me@win-1", "", /neither an IPv4 address nor a DNS name/],
      ["a private key", "win-1", makeKey().privateKey, /holds no public key on one line/],
      ["a key that could end the line", "win-1", "ssh-ed25519 AAAA' ; evil", /holds no public key/],
    ];
    for (const [name, host, content, why] of cases) {
      it(name, async () => {
        const key = path.join(folder, "key");
        await writeFile(key, content);
        await assert.rejects(bootstrap({ host, key }), why);
      });
    }

    it("a key that is not there", () =>
      assert.rejects(
        bootstrap({ host: "win-1", key: path.join(folder, "gone") }),
        /gone cannot be read \(ENOENT\).*ssh-keygen -t ed25519/,
      ));
  });
});

describe("the host key a machine shows", () => {
  it("is what it has, without a login, and can be pinned as it is", async () => {
    const own = makeKey();
    const server = await SshServer.start({ hostKey: own, authorizedKeys: [] });
    try {
      const shown = await learnHostKey("127.0.0.1", server.port);
      assert.equal(shown, own.publicKey);
      assert.equal(hostKey(shown), undefined);
    } finally {
      await server.stop();
    }
  });

  it("is none where nobody answers", () =>
    assert.rejects(learnHostKey("127.0.0.1", 1), /ECONNREFUSED/));

  it("has the fingerprint that ssh-keygen shows", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-fingerprint-"));
    try {
      const file = path.join(folder, "key.pub");
      const { publicKey } = makeKey();
      await writeFile(file, publicKey);
      const { stdout } = await promisify(execFile)("ssh-keygen", ["-lf", file]);
      assert.ok(stdout.includes(fingerprint(publicKey)), stdout);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
