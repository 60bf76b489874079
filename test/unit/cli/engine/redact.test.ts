import assert from "node:assert/strict";
import { redact } from "../../../../cli/engine/redact.ts";

const body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB";
const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n${body}==\n-----END OPENSSH PRIVATE KEY-----\n`;

describe("redact", () => {
  const rows: readonly [string, string, string][] = [
    ["a key", `key: ${pem}rest`, "key: [redacted]\nrest"],
    ["a key in JSON", JSON.stringify({ a: pem, b: 1 }), '{"a":"[redacted]\\n","b":1}'],
    [
      "a key in JSON in JSON",
      JSON.stringify({ a: JSON.stringify({ k: pem }) }),
      '{"a":"{\\"k\\":\\"[redacted]\\\\n\\"}"}',
    ],
    ["a key that is cut off", `x ${pem.slice(0, 60)}`, "x [redacted]"],
    [
      "an RSA key",
      "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
      "[redacted]",
    ],
    [
      "a kubeconfig's key",
      "    client-key-data: LS0tLS1CRUdJTg==\n",
      "    client-key-data: [redacted]\n",
    ],
    ["a bootstrap token", "value={abcdef.0123456789abcdef}", "value={[redacted]}"],
  ];
  for (const [what, text, expected] of rows) {
    it(`takes out ${what}`, () => {
      assert.equal(redact(text), expected);
    });
  }

  const harmless = [
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAA win-1",
    "certificate-authority-data: LS0tLS1CRUdJTiBDRVJU",
    "sha256:3b6713a2e4d1 v1.36.4 10.0.20348.4405",
    "-----BEGIN CERTIFICATE-----",
  ];
  for (const text of harmless) {
    it(`leaves alone: ${text}`, () => {
      assert.equal(redact(text), text);
    });
  }
});
