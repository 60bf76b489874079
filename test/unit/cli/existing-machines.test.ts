import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { authorizedKey, bootstrap, bootstrapLines } from "../../../cli/commands/bootstrap.ts";
import { fingerprint, learnHostKey } from "../../../host/ssh/host-key.ts";
import { withoutSealed } from "../../../cli/stack-settings.ts";
import { resolveExisting } from "../../../config/existing.ts";
import { hostKey } from "../../../config/values/host-key.ts";
import { makeKey, SshServer } from "../../engine/plugins/support/ssh-server.ts";
import { assertGolden } from "../controlplane/golden.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";

describe("turning SSH on at a machine", () => {
  it("keeps keys that are there, closes the file, opens the port, and shows the host key", () =>
    assertGolden(new URL(import.meta.url), "bootstrap.txt", bootstrapLines("KEY").join("\n")));

  /** What the lines must do on machines of others. */
  const kept: Readonly<Record<string, RegExp>> = {
    "a last key without the end of its line (hashicorp/vagrant#7518)": /-Value '', 'KEY'/,
    "groups in another language (MicrosoftDocs/windowsserverdocs#7392)":
      /icacls '\S+' \/inheritance:r \/grant '\*S-1-5-32-544:F' \/grant '\*S-1-5-18:F'/,
    "keys that only the administrators' file lets in (PowerShell/Win32-OpenSSH#1701)":
      /'C:\\ProgramData\\ssh\\administrators_authorized_keys'/,
    "an existing file, which is not written anew (warewulf/warewulf#567)": /^Add-Content /m,
  };
  eachCase("suits %s", kept, (line) => assert.match(bootstrapLines("KEY").join("\n"), line));

  const comments = [
    "",
    " me@here",
    " Bob\u2019; net user evil P@ss /add #",
    " a' ; evil",
    " \u201b;x",
  ];
  for (const comment of comments) {
    it(`authorizes a key without its comment:${comment}`, () => {
      const key = makeKey().publicKey.split(" ").slice(0, 2).join(" ");
      assert.equal(authorizedKey(`${key}${comment}\n`), key);
    });
  }

  const refused: Readonly<Record<string, readonly [string, string | undefined, RegExp]>> = {
    "a host with a user in it": ["me@win-1", "", /neither an IPv4 address nor a DNS name/],
    "a private key": ["win-1", makeKey().privateKey, /is not a public key on one line/],
    "a key that could end the line": ["win-1", "ssh-ed25519 A' ; evil", /is not a public key/],
    "a key that is not there": ["win-1", undefined, /cannot be read \(ENOENT\).*ssh-keygen -t /],
  };
  eachCase("refuses %s", refused, async ([host, content, why]) => {
    const key = path.join(newFolder(), "key");
    if (content !== undefined) await writeFile(key, content);
    await assert.rejects(bootstrap({ host, key }), why);
  });
});

describe("the host key a machine shows", () => {
  it("is what it has, without a login, and can be pinned as it is", async () => {
    const own = makeKey();
    const server = await SshServer.start({ hostKey: own, authorizedKeys: [] });
    const shown = await learnHostKey("127.0.0.1", server.port).finally(() => server.stop());
    assert.equal(shown, own.publicKey);
    assert.equal(hostKey(shown), undefined);
    await assert.rejects(learnHostKey("127.0.0.1", 1), /ECONNREFUSED/);
  });

  it("has the fingerprint that ssh-keygen shows", async () => {
    const file = path.join(newFolder(), "key.pub");
    const { publicKey } = makeKey();
    await writeFile(file, publicKey);
    const { stdout } = await execa("ssh-keygen", ["-lf", file]);
    assert.ok(stdout.includes(fingerprint(publicKey)), stdout);
  });
});

const secure = { secure: "v1:abc:def" };

describe("settings with sealed values", () => {
  it("are read without them, and as they are where nothing is sealed", () => {
    const written = {
      cluster: { kubeconfig: { text: secure, context: "prod" }, kubernetesVersion: "1.35.1" },
      login: { privateKey: secure, privateKeyPassphrase: secure },
      nodes: [],
    };
    const plain = { nodes: [{ name: "win-1", taints: [{ key: "os" }] }], proxy: null };
    assert.deepEqual(withoutSealed(plain), plain);
    const unsealed = withoutSealed(written) as Record<string, unknown>;
    const settings = resolveExisting(unsealed, { file: "Pulumi.prod.yaml" });
    assert.equal(settings.cluster.kubernetesVersion, "1.35.1");
    assert.deepEqual(settings.cluster.kubeconfig, { file: "/sealed", context: "prod" });
    assert.equal(settings.login.privateKeyFile, "/sealed");
  });
});
