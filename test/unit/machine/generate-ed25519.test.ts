import assert from "node:assert/strict";
import ssh2 from "ssh2";
import { generateEd25519 } from "../../../components/machine/generate-ed25519.ts";

describe("generateEd25519", () => {
  it("makes pairs that can be read back, every time", () => {
    for (let count = 0; count < 1000; count += 1) {
      const pair = generateEd25519("me");
      assert.ok(!(ssh2.utils.parseKey(pair.private) instanceof Error), `pair ${count}`);
    }
  });

  it("puts the comment behind the public key", () => {
    assert.match(generateEd25519("kindows-a").public, /^ssh-ed25519 \S+ kindows-a\s*$/);
  });
});
