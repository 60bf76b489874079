import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import ssh2 from "ssh2";
import { parse } from "yaml";
import { generateEd25519 } from "../../../ssh/generate-ed25519.ts";
import { metaData, userData } from "../../../components/machine/identity.ts";
import { macAddress } from "../../../components/machine/mac-address.ts";

const pem = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\nbnNz\n-----END OPENSSH PRIVATE KEY-----\n";

describe("identity disk", () => {
  const identity = {
    ...{ computerName: "win-1", hostPrivateKey: pem, hostPublicKey: "ssh-ed25519 AAAA win-1" },
    authorizedKeys: ["ssh-ed25519 BBBB one", 'ssh-ed25519 CCCC "two": #3'],
  };
  const text = userData(identity);

  it("is a cloud-config that a reader of YAML, and of JSON below the first line, gets back", () => {
    const read = {
      hostname: "win-1",
      ssh_keys: { ed25519_private: pem, ed25519_public: "ssh-ed25519 AAAA win-1" },
      ssh_authorized_keys: identity.authorizedKeys,
    };
    assert.deepEqual(parse(text), read);
    assert.equal(text.split("\n")[0], "#cloud-config");
    assert.deepEqual(JSON.parse(text.replace("#cloud-config\n", "")), read);
  });

  it("lets root log in on a Linux machine, and says nothing of that elsewhere", () => {
    const said = (asRoot?: boolean): unknown => {
      const given = { ...identity, ...(asRoot !== undefined && { asRoot }) };
      return (parse(userData(given)) as Record<string, unknown>)["disable_root"];
    };
    assert.deepEqual([said(true), said(false), said()], [false, undefined, undefined]);
  });

  it("has what the image's script reads, by the same names", () => {
    const script = readFileSync(
      new URL("../../../components/windows/image/scripts/lib/IdentityDisc.ps1", import.meta.url),
      "utf8",
    );
    const read = [...script.matchAll(/\$document\.([\w.]+)/g)].map(([, place = ""]) => place);
    assert.deepEqual(read.sort(), [
      "hostname",
      "ssh_authorized_keys",
      "ssh_keys.ed25519_private",
      "ssh_keys.ed25519_public",
    ]);
    const document: unknown = parse(text);
    for (const place of read) {
      const value = place
        .split(".")
        .reduce((below: unknown, name) => (below as Record<string, unknown>)[name], document);
      assert.ok(value, place);
    }
    assert.ok(script.includes("'^#cloud-config\\r?\\n'"));
  });

  it("names the instance in its meta-data", () =>
    assert.deepEqual(parse(metaData("kindows-a-win-1", "win-1")), {
      "instance-id": "kindows-a-win-1",
      "local-hostname": "win-1",
    }));
});

describe("macAddress", () => {
  it("is a stable address in QEMU's range", () => {
    assert.match(macAddress("kindows-dev", "win-1"), /^52:54:00(:[0-9a-f]{2}){3}$/);
    assert.equal(macAddress("kindows-dev", "win-1"), macAddress("kindows-dev", "win-1"));
  });

  const pairs: readonly [string, [string, string], [string, string]][] = [
    ["two machines of a lab", ["kindows-a", "win-1"], ["kindows-a", "win-2"]],
    ["the same machine in two labs", ["kindows-a", "win-1"], ["kindows-b", "win-1"]],
    ["names that would join to the same text", ["kindows-a", "b-win"], ["kindows-a-b", "win"]],
  ];
  for (const [what, one, other] of pairs) {
    it(`differs for ${what}`, () => assert.notEqual(macAddress(...one), macAddress(...other)));
  }
});

describe("generateEd25519", () => {
  it("makes pairs that can be read back, every time", () => {
    for (let count = 0; count < 1000; count += 1) {
      const pair = generateEd25519("me");
      assert.ok(!(ssh2.utils.parseKey(pair.private) instanceof Error), `pair ${count}`);
    }
  });

  it("puts the comment behind the public key", () =>
    assert.match(generateEd25519("kindows-a").public, /^ssh-ed25519 \S+ kindows-a\s*$/));
});
