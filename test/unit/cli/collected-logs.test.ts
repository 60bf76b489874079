import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { Header, create } from "tar";

import { hiding, secretsOf } from "../../../cli/lab/known-secrets.ts";
import { unpacked } from "../../../cli/logs/collect.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";

/** An archive with files of zeros, by their sizes. */
function archiveOf(sizes: readonly number[]): Buffer {
  const parts = sizes.flatMap((size, index) => {
    const header = new Header({ path: `${index}.log`, mode: 0o600, size, type: "File" });
    header.encode();
    return [header.block ?? Buffer.alloc(0), Buffer.alloc(Math.ceil(size / 512) * 512)];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]), { level: 1 });
}

const MiB = 1024 * 1024;

describe("the archive of a machine's logs", () => {
  const tooMuch = /^Error: it sends more than 500 files, 16 MiB in a file or 256 MiB in all/;
  const refused: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
    "a file is too long": [archiveOf([17 * MiB]), tooMuch],
    "it is too large": [archiveOf(Array<number>(17).fill(16 * MiB)), tooMuch],
    "it has too many files": [archiveOf(Array<number>(501).fill(0)), tooMuch],
    "it is no archive": [Buffer.from("no"), /incorrect header/],
    "it is damaged": [gzipSync("no tar".repeat(1000)), /checksum failure/],
  };
  eachCase("is refused if %s", refused, ([archive, message]) =>
    assert.rejects(unpacked(archive), message),
  );

  it("gives only plain files in its folder", async () => {
    const cwd = newFolder();
    await mkdir(path.join(cwd, "deeper"));
    await writeFile(path.join(cwd, "deeper", "a.log"), "no");
    await writeFile(path.join(cwd, "b.log"), "yes");
    await symlink("/etc/passwd", path.join(cwd, "c.log"));
    const archive = await create({ cwd, gzip: true }, ["."]).concat();
    assert.deepEqual(await unpacked(archive), new Map([["b.log", Buffer.from("yes")]]));
  });
});

describe("the secrets of a state", () => {
  const secret = (value: unknown) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    plaintext: JSON.stringify(value),
  });
  const line = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU1";
  const hide = hiding(
    secretsOf([
      {
        urn: "urn:pulumi:dev::kindows::a:b:C::x",
        type: "a:b:C",
        inputs: {
          connection: secret({
            host: "192.168.1.1",
            user: "Administrator",
            privateKey: `K\n${line}\n`,
          }),
          stdin: secret(JSON.stringify({ login: "open sesame" })),
        },
        outputs: { result: { nested: [secret('corr"ect')] }, short: secret("abc"), open: "shown" },
      },
    ]),
  );
  const texts: Readonly<Record<string, readonly [text: string, left: string]>> = {
    "one of a list": ['is corr"ect.', "is [redacted]."],
    "one in JSON": [JSON.stringify({ a: 'corr"ect' }), '{"a":"[redacted]"}'],
    "one in JSON in JSON": [
      JSON.stringify(JSON.stringify({ a: 'corr"ect' })),
      JSON.stringify(JSON.stringify({ a: "[redacted]" })),
    ],
    "a part of JSON": ["with open sesame!", "with [redacted]!"],
    "a line of a key": [`a ${line} b`, "a [redacted] b"],
    "what is neither secret nor long": [
      "192.168.1.1 Administrator shown abc",
      "192.168.1.1 Administrator shown abc",
    ],
  };
  eachCase("are hidden: %s", texts, ([text, left]) => assert.equal(hide(text), left));

  it("are hidden in base64, wherever they begin", () => {
    for (const before of ["", "a", "ab", "abc"]) {
      const hidden = hide(Buffer.from(`${before}open sesame and more`).toString("base64"));
      assert.match(hidden, /\[redacted\]/);
      const rest = Buffer.from(hidden.replace("[redacted]", ""), "base64").toString();
      assert.doesNotMatch(rest, /pen|sesam/);
    }
  });
});
