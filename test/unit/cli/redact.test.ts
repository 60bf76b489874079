import assert from "node:assert/strict";
import { redact, redactLog } from "../../../cli/engine/redact.ts";
import type { RehearsalHost } from "../../rehearsed-machine/in-process.ts";
import { eachCase } from "../each-case.ts";
import { runText, startWithSteps } from "../rehearsal-host/step-runner.ts";

const body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB";
const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n${body}==\n-----END OPENSSH PRIVATE KEY-----\n`;

describe("redact", () => {
  const rsa = "-----BEGIN RSA PRIVATE KEY-----\nAAAA+/==\n-----END RSA PRIVATE KEY-----";
  const inJson = JSON.stringify({ a: JSON.stringify({ k: pem }) });
  const ofBoth: Readonly<Record<string, readonly [text: string, shown: string]>> = {
    "an RSA key": [rsa, "[redacted]"],
    "a bootstrap token": ["value={abcdef.0123456789abcdef}!", "value={[redacted]}!"],
    "a kubeconfig's key": ["    client-key-data: LS0tLQ==\n", "    client-key-data: [redacted]\n"],
  };
  const ofEngine: typeof ofBoth = {
    ...ofBoth,
    "a key": [`key: ${pem}rest`, "key: [redacted]\nrest"],
    "a key in JSON": [JSON.stringify({ a: pem, b: 1 }), '{"a":"[redacted]\\n","b":1}'],
    "a key in JSON in JSON": [inJson, '{"a":"{\\"k\\":\\"[redacted]\\\\n\\"}"}'],
    "a key that is cut off": [`x ${pem.slice(0, 60)}`, "x [redacted]"],
  };
  eachCase("takes %s out of the engine's log", ofEngine, ([text, shown]) =>
    assert.equal(redact(text), shown),
  );

  const ofNode: typeof ofBoth = {
    ...ofBoth,
    "a password in JSON": ['{"password":"sesame","a":1}', '{"password":"[redacted]","a":1}'],
    "a password's variable": ["PASSWORD=sesame x", "PASSWORD=[redacted] x"],
    "a bearer's token": ["Bearer eyJhbGciOi.x.y", "Bearer [redacted]"],
    "a header": ["Authorization: Bearer sesame", "Authorization: [redacted]"],
    "another one": ["authorization: Basic c2VzYW1l, next", "authorization: [redacted], next"],
    "one in JSON": ['{"Authorization":"Bearer sesame"}', '{"Authorization":"[redacted]"}'],
    "a password with blanks": ['{"password":"my word","a":1}', '{"password":"[redacted]","a":1}'],
    "one behind a blank": ['{"Password" : "a b"}', '{"Password" : "[redacted]"}'],
    "one with quotes": ['"password": "a\\"b c", x', '"password": "[redacted]", x'],
    "one in JSON in JSON": [
      String.raw`{\"password\":\"a b\",x}`,
      String.raw`{\"password\":\"[redacted]\",x}`,
    ],
    "one in single quotes": ["password='my word' x", "password='[redacted]' x"],
    "a proxy's login": ["http://me:sesame@proxy.test:3128/", "http://[redacted]@proxy.test:3128/"],
  };
  eachCase("takes %s out of a node's log", ofNode, ([text, shown]) =>
    assert.equal(redactLog(text), shown),
  );

  describe("on the machine", () => {
    let host: RehearsalHost;
    before(async () => {
      host = await startWithSteps();
    });
    after(() => host.stop());

    it("hides the same", async () => {
      const texts = Object.values(ofNode);
      const given = JSON.stringify(texts.map(([text]) => text));
      await host.windows.drive.write("C:\\texts.json", given);
      const lines = [
        "foreach ($text in (ConvertFrom-Json -InputObject ([IO.File]::ReadAllText('C:\\texts.json')))) {",
        "    [Console]::Out.WriteLine((ConvertTo-Json -InputObject (Hide-Secret -Text $text)))",
        "}",
      ];
      const output = await runText(host, ["Step", "NativeCommand", "LogFiles"], lines.join("\r\n"));
      const hidden = output
        .trimEnd()
        .split("\r\n")
        .map((line) => JSON.parse(line) as string);
      assert.deepEqual(
        hidden,
        texts.map(([, shown]) => shown),
      );
      assert.deepEqual(hidden.map(redactLog), hidden);
    });
  });

  it("leaves all else alone", () => {
    const both = ["sha256:3b6713a2e4d1 v1.36.4 10.0.20348.4405"];
    const inEnginesLog = [
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAA win-1",
      "certificate-authority-data: LS0tLS1CRUdJTiBDRVJU",
      "-----BEGIN CERTIFICATE-----",
      "password: sesame",
    ];
    const inNodesLog = [
      'I1122 11:32:38.1 kubelet.go:2412] "Starting kubelet main sync loop"',
      "https://192.168.150.128:6443/api/v1/nodes?limit=500",
    ];
    for (const text of [...both, ...inEnginesLog]) assert.equal(redact(text), text);
    for (const text of [...both, ...inNodesLog]) assert.equal(redactLog(text), text);
  });
});
