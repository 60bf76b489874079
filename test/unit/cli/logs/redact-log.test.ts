import assert from "node:assert/strict";

import { redact } from "../../../../cli/engine/redact.ts";
import { redactLog } from "../../../../cli/logs/redact-log.ts";
import { hideSecrets } from "../../../../rehearsal/host/steps/export-node-log.ts";

const key = "-----BEGIN RSA PRIVATE KEY-----\nAAAA+/==\n-----END RSA PRIVATE KEY-----";
const rows: readonly (readonly [text: string, shown: string])[] = [
  ["token abcdef.0123456789abcdef!", "token [redacted]!"],
  [key, "[redacted]"],
  ["client-key-data: LS0tLS1CRUdJTg==", "client-key-data: [redacted]"],
  ['{"password":"sesame","a":1}', '{"password":"[redacted]","a":1}'],
  ["PASSWORD=sesame x", "PASSWORD=[redacted] x"],
  ["Bearer eyJhbGciOi.x.y", "Bearer [redacted]"],
  ["Authorization: Bearer sesame", "Authorization: [redacted]"],
  ["authorization: Basic c2VzYW1l, next", "authorization: [redacted], next"],
  ['{"Authorization":"Bearer sesame"}', '{"Authorization":"[redacted]"}'],
  ["http://me:sesame@proxy.test:3128/", "http://[redacted]@proxy.test:3128/"],
];

describe("redaction of a node's logs", () => {
  for (const [text, shown] of rows) {
    it(`hides the secret in ${JSON.stringify(text)}`, () => {
      assert.equal(redactLog(text), shown);
    });
    it(`shows the same of ${JSON.stringify(text)} where the machine has hidden before`, () => {
      assert.equal(redactLog(hideSecrets(text)), shown);
    });
  }

  it("hides what the redaction of the engine's own log leaves", () => {
    assert.equal(redact("password: sesame"), "password: sesame");
  });

  for (const text of [
    'I1122 11:32:38.1 kubelet.go:2412] "Starting kubelet main sync loop"',
    "https://192.168.150.128:6443/api/v1/nodes?limit=500",
    "sha256:3b6713a2e4d1 v1.36.4 10.0.20348.4405",
  ]) {
    it(`leaves alone: ${text}`, () => {
      assert.equal(redactLog(text), text);
    });
  }
});
