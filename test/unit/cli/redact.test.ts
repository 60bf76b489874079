import assert from "node:assert/strict";
import { redact, RedactedLines, secretPatterns } from "../../../components/redact.ts";
import type { RehearsedMachine } from "../../rehearsed-machine/in-process.ts";
import { eachCase } from "../each-case.ts";
import { runText, startWithSteps } from "../rehearsal/machine/step-runner.ts";

const body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB";
const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n${body}==\n-----END OPENSSH PRIVATE KEY-----\n`;
const rsa = (inner: string): string =>
  `-----BEGIN RSA PRIVATE KEY-----\n${inner}-----END RSA PRIVATE KEY-----`;
const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl-_";
const hex = "0123456789abcdef".repeat(4);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const hidden: Readonly<Record<string, readonly [text: string, shown: string]>> = {
  "an RSA key": [rsa("AAAA+/==\n"), "[redacted]"],
  "a key with headers": [
    `a ${rsa(`Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AA\n\n${body}\n`)} b`,
    "a [redacted] b",
  ],
  "a PGP key": [
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nxx\n-----END PGP PRIVATE KEY BLOCK-----",
    "[redacted]",
  ],
  "a key": [`key: ${pem}rest`, "key: [redacted]\nrest"],
  "a key in JSON": [JSON.stringify({ a: pem, b: 1 }), '{"a":"[redacted]\\n","b":1}'],
  "a key in JSON in JSON": [
    JSON.stringify({ a: JSON.stringify({ k: pem }) }),
    '{"a":"{\\"k\\":\\"[redacted]\\\\n\\"}"}',
  ],
  "a key without its end": [`x ${pem.slice(0, 60)}`, "x [redacted]"],
  "a key without its beginning": [`${pem.slice(50)}rest`, "[redacted]\nrest"],
  "a key in base64": [`data ${base64(pem)} x`, "data [redacted] x"],
  "a bootstrap token": ["value={abcdef.0123456789abcdef}!", "value={[redacted]}!"],
  "a bootstrap token in two parts": [
    "token-id: abcdef\ntoken-secret: 0123456789abcdef\n",
    "token-id: [redacted]\ntoken-secret: [redacted]\n",
  ],
  "a bootstrap Secret": ['{"token-id":"YWJj","x":1}', '{"token-id":"[redacted]","x":1}'],
  "a certificate key": [`"certificateKey": "${hex}"`, '"certificateKey": "[redacted]"'],
  "a certificate key's option": [`--certificate-key ${hex} x`, "--certificate-key [redacted] x"],
  "a kubeconfig's key": ["    client-key-data: LS0tLQ==\n", "    client-key-data: [redacted]\n"],
  "Calico's kubeconfig": [
    `users:\n- name: calico\n  user:\n    token: ${jwt}\n`,
    "users:\n- name: calico\n  user:\n    token: [redacted]\n",
  ],
  "a token in JSON": ['{"token":"sesame","a":1}', '{"token":"[redacted]","a":1}'],
  "a token in a URL": ["GET /v2/?token=sesame&x=1 200", "GET /v2/?token=[redacted] 200"],
  "a bare JWT": [`got ${jwt}, ok`, "got [redacted], ok"],
  "a JWT behind an escape": [`a\\n${jwt}\\n`, "a\\n[redacted]\\n"],
  "a JWT in base64": [`data: ${base64(jwt)}`, "data: [redacted]"],
  "Docker's login": [
    '{"auths":{"https://index.docker.io/v1/":{"auth":"dXNlcjpwYXNz"}}}',
    '{"auths":{"https://index.docker.io/v1/":{"auth":"[redacted]"}}}',
  ],
  "an identity token": ['"identitytoken": "sesame"', '"identitytoken": "[redacted]"'],
  "a cloud's key": ["id AKIAIOSFODNN7EXAMPLE.", "id [redacted]."],
  "a cloud's secret": [
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG",
    "AWS_SECRET_ACCESS_KEY=[redacted]",
  ],
  "a storage account's key": [
    "AccountName=a;AccountKey=c2VzYW1l;x",
    "AccountName=a;AccountKey=[redacted]",
  ],
  "a forge's token": [`push ghp_${"a1".repeat(18)} x`, "push [redacted] x"],
  "a passphrase": ["passphrase: 'open it''s' x", "passphrase: '[redacted]' x"],
  "a client's secret": ['"clientSecret": "a\\"b"', '"clientSecret": "[redacted]"'],
  "user data": ["userDataBase64: I2Nsb3VkLWNvbmZpZw==", "userDataBase64: [redacted]"],
  cookies: ["Set-Cookie: id=a; session=b\r\nHost: x", "Set-Cookie: [redacted]\r\nHost: x"],
  "a block of YAML": ["password: |\n  open\n  sesame\nuser: x", "password: [redacted]\nuser: x"],
  "a container's variable": [
    "- name: DB_PASSWORD\n  value: sesame\n",
    "- name: DB_PASSWORD\n  value: [redacted]\n",
  ],
  "one in JSON text": [
    '{"name":"DB_PASSWORD","value":"sesame"}',
    '{"name":"DB_PASSWORD","value":"[redacted]"}',
  ],
  "an answer file's password": [
    "<AdministratorPassword>\r\n<Value>c2VzYW1l</Value>",
    "<AdministratorPassword>\r\n<Value>[redacted]</Value>",
  ],
  "a password in JSON": ['{"password":"sesame","a":1}', '{"password":"[redacted]","a":1}'],
  "a password's variable": ["PASSWORD=sesame x", "PASSWORD=[redacted] x"],
  "a password's option": [
    "New-Thing -Password sesame -Name a",
    "New-Thing -Password [redacted] -Name a",
  ],
  "a bearer's token": ["Bearer eyJhbGciOi.x.y", "Bearer [redacted]"],
  "a header": ["Authorization: Bearer sesame", "Authorization: [redacted]"],
  "a header with a JWT": [`Authorization: Bearer ${jwt}\n`, "Authorization: [redacted]\n"],
  "another header": ["authorization: Basic c2VzYW1l, next", "authorization: [redacted], next"],
  "a header in JSON": ['{"Authorization":"Bearer sesame"}', '{"Authorization":"[redacted]"}'],
  "a password with blanks": ['{"password":"my word","a":1}', '{"password":"[redacted]","a":1}'],
  "one behind a blank": ['{"Password" : "a b"}', '{"Password" : "[redacted]"}'],
  "one with quotes": ['"password": "a\\"b c", x', '"password": "[redacted]", x'],
  "one in JSON in JSON": [
    JSON.stringify(JSON.stringify({ password: 'a" \\b', x: 1 })),
    JSON.stringify(JSON.stringify({ password: "[redacted]", x: 1 })),
  ],
  "one that is escaped twice": [
    JSON.stringify(JSON.stringify(JSON.stringify({ password: "a b", x: 1 }))),
    JSON.stringify(JSON.stringify(JSON.stringify({ password: "[redacted]", x: 1 }))),
  ],
  "one in single quotes": ["password='my word' x", "password='[redacted]' x"],
  "a proxy's login": ["http://me:sesame@proxy.test:3128/", "http://[redacted]@proxy.test:3128/"],
  "a token as the user of a URL": ["https://sesame@git.test/a", "https://[redacted]@git.test/a"],
};

const shown: readonly string[] = [
  "sha256:3b6713a2e4d1 v1.36.4 10.0.20348.4405",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAA win-1",
  "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t",
  "-----BEGIN CERTIFICATE-----",
  'I1122 11:32:38.1 kubelet.go:2412] "Starting kubelet main sync loop"',
  "https://192.168.150.128:6443/api/v1/nodes?limit=500",
  "qemu+libssh://root@rack-2.test/system?sshauth=privkey",
  "authentication:\n  anonymous:\n    enabled: false\nauthorization:\n  mode: Webhook\n",
  '{"secret":{"secretName":"kube-proxy"},"token":null}',
  "password: [secret]",
  "administrator-password created (0.02s)",
];

describe("redact", () => {
  eachCase("takes out %s, and nothing else", hidden, ([text, left]) => {
    assert.equal(redact(text), left);
    assert.equal(redact(left), left);
  });

  it("leaves all else alone", () => {
    for (const text of shown) assert.equal(redact(text), text);
  });

  it("hides the same on the machine", async () => {
    const machine: RehearsedMachine = await startWithSteps();
    try {
      const texts = [...Object.values(hidden).map(([text]) => text), ...shown];
      await machine.windows.drive.write("C:\\texts.json", JSON.stringify(texts));
      const lines = [
        "foreach ($text in (ConvertFrom-Json -InputObject ([IO.File]::ReadAllText('C:\\texts.json')))) {",
        "    [Console]::Out.WriteLine((ConvertTo-Json -InputObject (Hide-Secret -Text $text)))",
        "}",
      ];
      const output = await runText(
        machine,
        ["Step", "NativeCommand", "LogFiles"],
        lines.join("\r\n"),
      );
      const there = output.trimEnd().split("\r\n");
      assert.deepEqual(
        there.map((line) => JSON.parse(line) as string),
        [...Object.values(hidden).map(([, left]) => left), ...shown],
      );
    } finally {
      await machine.stop();
    }
  });

  it("takes out a key whose lines come one by one, as the engine's", () => {
    const lines = new RedactedLines();
    const text = `before ${pem}after\n${rsa(`Proc-Type: 4,ENCRYPTED\n\n${body}\n`)} end`;
    const left = text.split("\n").flatMap((line) => lines.next(line));
    assert.deepEqual(left, ["before [redacted]", "after", "[redacted]", " end"]);
  });

  describe("takes well under a second for 200 KB of a guest", () => {
    const pieces = [
      ...["a", " ", "\\", '"', "'", "=", ":", "\n", "\\n", "-", "--", "://", "://a", "@", "<", "|"],
      ...["-----BEGIN ", "-----BEGIN A ", "-----BEGIN PRIVATE KEY-----", "-----END ", "A/"],
      ...["eyJ", "-eyJ", "eyJaaaaaa.", "\\neyJaaaaa", "aaaaaa.", "abcdef.0123456789abcde"],
      ...["password", "password ", 'password"', 'password:"', "password: |\n ", "password \\"],
      ...["password=\\\\", 'password\\":\\"', "authorization: bearer ", "bearer ", " -password"],
      ...["name", 'name:"a', 'name:"password', "name=password,", "cookie", "cookie: ", "<password"],
      ...["<password ", "LS0tLS1CRUdJTi", "ZXlK", "ghp_", "token", "secret_access_", " --a-"],
    ];
    const heads = ['password\\":\\"', 'password":"', "name:password", "://", "eyJaaaaa", "<"];
    const hostile = [
      ...pieces.map((piece) => ["", piece] as const),
      ...heads.flatMap((head) => ["a", " ", "\\", "="].map((piece) => [head, piece] as const)),
    ];
    for (const [what, pattern] of secretPatterns) {
      it(what, () => {
        let slowest: readonly [string, number] = ["", 0];
        for (const [head, piece] of hostile) {
          const text = head + piece.repeat(200_000 / piece.length);
          const before = process.cpuUsage().user;
          text.replaceAll(pattern, "");
          const seconds = (process.cpuUsage().user - before) / 1e6;
          if (seconds > slowest[1]) slowest = [`${head}(${piece})`, seconds];
        }
        assert.ok(slowest[1] < 0.5, `${slowest[1]} s for ${slowest[0]}`);
      });
    }
  });
});
