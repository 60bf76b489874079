import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { addToLock, publishedChecksum } from "../../../toolchain/publisher.ts";
import {
  parseSoftwareLock,
  readSoftwareLock,
  renderSoftwareLock,
} from "../../../toolchain/software-lock.ts";
import { inNewFolder } from "../new-folder.ts";
import { eachCase } from "../each-case.ts";

const sha = (digit: string): string => digit.repeat(64);
const entry = (digit: string): { sha256: string; takenFrom: string; takenOn: string } => ({
  sha256: sha(digit),
  takenFrom: "https://example.com/kubelet.exe.sha256",
  takenOn: "2026-11-21",
});
const good = { "https://example.com/kubelet.exe": entry("a") };

describe("software.lock.json", () => {
  let at: ReturnType<typeof inNewFolder>;
  let file: string;
  beforeEach(() => {
    at = inNewFolder();
    file = at("software.lock.json");
  });
  const add = (uri: string, digit: string): Promise<void> => addToLock(file, uri, entry(digit));

  it("is read as it was written, in the order of addresses", () => {
    const text = renderSoftwareLock({
      "https://z.test/z": entry("b"),
      "https://a.test/a": entry("c"),
    });
    assert.deepEqual(Object.keys(parseSoftwareLock(text)), [
      "https://a.test/a",
      "https://z.test/z",
    ]);
    assert.equal(renderSoftwareLock(parseSoftwareLock(text)), text);
  });

  const wrong: Readonly<Record<string, readonly [unknown, RegExp]>> = {
    "no JSON": [
      "{",
      /^Error: software\.lock\.json is not JSON: take it from version control again$/,
    ],
    "a list": [[], /software\.lock\.json is wrong/],
    "plain HTTP": [{ "http://example.com/x": entry("a") }, /is wrong \(http:\/\/example/],
    "half a checksum": [
      { "https://example.com/x": { ...entry("a"), sha256: "ab" } },
      /x sha256: must be 64/,
    ],
    "a checksum from plain HTTP": [
      { "https://example.com/x": { ...entry("a"), takenFrom: "http://example.com/x.sha256" } },
      /x takenFrom/,
    ],
    "a key more": [{ "https://example.com/x": { ...entry("a"), size: 1 } }, /size/],
  };
  eachCase("with %s is an error that names it", wrong, ([value, message]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    assert.throws(() => parseSoftwareLock(text), message);
  });

  it("that is not there is empty, one that can't be read is an error", () => {
    assert.deepEqual(readSoftwareLock(file), {});
    assert.throws(() => readSoftwareLock(at()), { code: "EISDIR" });
  });

  it("gets one more file, and keeps the others", async () => {
    writeFileSync(file, renderSoftwareLock(good));
    await add("https://example.com/kubeadm.exe", "b");
    assert.deepEqual(parseSoftwareLock(readFileSync(file, "utf8")), {
      ...good,
      "https://example.com/kubeadm.exe": entry("b"),
    });
    assert.deepEqual(readdirSync(at()), [".kindows", "software.lock.json"]);
    assert.deepEqual(readdirSync(at(".kindows")), []);
  });

  it("gets all that several add at once", async () => {
    const uris = ["a", "b", "c", "d"].map((name) => `https://example.com/${name}`);
    await Promise.all(uris.map((uri) => add(uri, "a")));
    assert.deepEqual(Object.keys(readSoftwareLock(file)), uris);
  });

  it("never changes what is locked", async () => {
    writeFileSync(file, renderSoftwareLock(good));
    await add("https://example.com/kubelet.exe", "a");
    await assert.rejects(
      add("https://example.com/kubelet.exe", "b"),
      /kubelet\.exe is locked to the SHA-256 a+ \(from https:\S+\), not to b+ from https:\S+$/,
    );
    assert.deepEqual(readSoftwareLock(file), good);
  });
});

describe("a publisher's checksum", () => {
  const name = "containerd-2.3.4-windows-amd64.tar.gz";
  const cases: Readonly<Record<string, string>> = {
    "bare, as on dl.k8s.io": sha("a"),
    "bare, with a line end": `${sha("a")}\n`,
    "in upper case": sha("A"),
    "with the name, as at containerd's releases": `${sha("a")}  ${name}\n`,
    "of a file read as binary": `${sha("a")} *${name}\r\n`,
    "with a path": `${sha("a")}  ./releases/${name}\n`,
    "in what GitHub tells of a release": JSON.stringify({
      assets: [
        { name: "other.tar.gz", digest: `sha256:${sha("b")}` },
        { name, digest: `sha256:${sha("a")}` },
      ],
    }),
    "among others": `${sha("b")}  other.tar.gz\n${sha("a")}  ${name}\n`,
  };
  eachCase("is found %s", cases, (text) => assert.equal(publishedChecksum(text, name), sha("a")));
  const none: Readonly<Record<string, string>> = {
    nothing: "",
    "a web page": "<html><body>Log in</body></html>",
    "one of another file": `${sha("a")}  other.tar.gz\n`,
    "one of a file whose name only ends like it": `${sha("a")}  x${name}\n`,
    "a release without it": JSON.stringify({ assets: [{ name: "other", digest: null }] }),
    "a release whose files have none": JSON.stringify({ assets: [{ name, digest: null }] }),
    "an answer of GitHub's that is no release": JSON.stringify({ message: "rate limit" }),
    "half an answer": '{"assets": [',
    "one that is too short": "a".repeat(63),
    "one that is too long": "a".repeat(65),
    "a SHA-512": "a".repeat(128),
    "two bare ones": `${sha("a")}\n${sha("b")}\n`,
  };
  eachCase("is not taken from %s", none, (text) =>
    assert.throws(() => publishedChecksum(text, name), /no SHA-256 of containerd\S+ is in it/),
  );
});
