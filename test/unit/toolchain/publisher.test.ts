import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";

import { DownloadError, WrongContentError } from "../../../toolchain/download.ts";
import { fetchPublished, publishedChecksum, whyUnreachable } from "../../../toolchain/publisher.ts";
import { addToLock, readSoftwareLock } from "../../../toolchain/software-lock.ts";
import { fetchDownloads } from "../../../toolchain/tools/download.ts";
import { unpackGo } from "../../../toolchain/tools/go-toolchain.ts";
import { toolArtifact } from "../../../toolchain/tools/tool-artifact.ts";
import type { Download } from "../../../toolchain/tools/tool.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";
import { type Answer, HttpsServer, serve } from "./https-server.ts";
import { zip } from "./zip-file.ts";

const program = randomBytes(200_000);
const digest = (content: Buffer): string => createHash("sha256").update(content).digest("hex");
const sha256 = digest(program);

/** A server stands in for the publishers. */
describe("what publishers offer", () => {
  let server: HttpsServer;
  let at: ReturnType<typeof inNewFolder>;
  let site: Record<string, Answer>;
  let lines: string[];
  beforeEach(async () => {
    server = await HttpsServer.start();
    at = inNewFolder();
    mkdirSync(at("tool"));
    lines = [];
    site = {
      "/": (_request, response) => response.writeHead(404).end(),
      "/program": serve(program),
      "/program.sha256": serve(Buffer.from(`${sha256}  program\n`)),
    };
    server.answer = (request, response) => {
      const answer = site[request.url ?? ""] ?? site["/"];
      answer?.(request, response);
    };
  });
  afterEach(() => server.stop());

  const lockFile = (): string => at("software.lock.json");
  const lock = (checksum: string): void =>
    writeFileSync(
      lockFile(),
      JSON.stringify({
        [`${server.url}/program`]: {
          sha256: checksum,
          takenFrom: "https://example.test/x",
          takenOn: "2026-11-21",
        },
      }),
    );
  const plain = (origin = server.url): Download => ({
    url: `${origin}/program`,
    checksumUrl: `${origin}/program.sha256`,
    executable: "program",
  });
  const fetch = (download = plain()): Promise<string | undefined> => {
    const context = { progress: (line: string) => lines.push(line), downloads: at("downloads") };
    return fetchDownloads([download], at("tool"), context, lockFile());
  };
  const isThere = (name = "program"): void => {
    assert.ok(readFileSync(at("tool", name)).equals(program));
    assert.equal(statSync(at("tool", name)).mode & 0o777, 0o755);
  };
  /** All requests but the first, which only asks whether anybody is there. */
  const asked = (): string[] => server.asked.slice(1).map((each) => each.path);

  it("is checked against the publisher's checksum, which is then locked with its source", async () => {
    assert.equal(await fetch(), undefined);
    isThere();
    assert.deepEqual(readdirSync(at("tool")), ["program"]);
    const { takenFrom, ...entry } =
      readSoftwareLock(lockFile())[`${server.url}/program`] ?? assert.fail();
    assert.equal(takenFrom, `${server.url}/program.sha256`);
    assert.equal(entry.sha256, sha256);
    assert.match(lines.join("\n"), /trusted on first use: SHA-256 .* written to software\.lock/);
  });

  it("is checked against a locked checksum without a request to the publisher", async () => {
    lock(sha256);
    assert.equal(await fetch(), undefined);
    isThere();
    assert.deepEqual(asked(), ["/program"]);
  });

  const wrong: Readonly<Record<string, readonly [() => void, RegExp]>> = {
    "than is locked": [
      () => lock("1".repeat(64)),
      new RegExp(
        `/program has SHA-256 ${sha256}, not the pinned 1{64}: .* is from software\\.lock\\.json$`,
      ),
    ],
    "than its publisher says": [
      () => (site["/program"] = serve(randomBytes(1000))),
      new RegExp(`not the pinned ${sha256}: .* is from https://\\S+/program\\.sha256$`),
    ],
  };
  eachCase(
    "that is something else %s is an error, and not locked",
    wrong,
    async ([set, message]) => {
      set();
      const before = existsSync(lockFile()) ? readFileSync(lockFile(), "utf8") : undefined;
      await assert.rejects(fetch(), (error) => {
        assert.ok(error instanceof WrongContentError);
        assert.match(error.message, message);
        return true;
      });
      assert.deepEqual(readdirSync(at("tool")), []);
      const after = existsSync(lockFile()) ? readFileSync(lockFile(), "utf8") : undefined;
      assert.equal(after, before);
    },
  );

  const none: Readonly<Record<string, readonly [site: Record<string, Answer>, why: RegExp]>> = {
    "no checksum": [{ "/program.sha256": serve(Buffer.from("<html>")) }, /no SHA-256 of program/],
    "a checksum of another kind": [
      { "/program.sha256": serve(Buffer.from(`${"a".repeat(40)}  ./program\n`)) },
      /it has no SHA-256 of program/,
    ],
    "no file": [{ "/program": (_, response) => response.writeHead(404).end() }, /error: 404/],
  };
  eachCase("is left for another way where there is %s", none, async ([answers, why]) => {
    Object.assign(site, answers);
    assert.match((await fetch()) ?? "", why);
    assert.deepEqual(readdirSync(at("tool")), []);
    assert.equal(existsSync(lockFile()), false);
  });

  it("is not waited for if its publisher is unreachable, which is checked once for each publisher", async () => {
    const dead = plain("https://127.0.0.1:1");
    const why = /^127\.0\.0\.1:1 can't be reached \(curl: \(7\)/;
    assert.match((await fetch(dead)) ?? "", why);
    assert.equal(whyUnreachable(dead.url), whyUnreachable(dead.checksumUrl ?? ""));
    assert.equal(await whyUnreachable(`${server.url}/a`), undefined);
    assert.equal(await whyUnreachable(`${server.url}/b`), undefined);
    assert.deepEqual(
      server.asked.map((each) => each.path),
      ["/"],
    );
  });

  it("requires Go 1.26 only if neither publisher nor Go's proxy is reachable, and says so before any build", async () => {
    const { PATH, KINDOWS_CACHE } = process.env;
    writeFileSync(at("go"), "#!/bin/sh\necho go1.19.8\n", { mode: 0o755 });
    process.env.PATH = `${at()}:${PATH ?? ""}`;
    process.env.KINDOWS_CACHE = at("cache");
    process.env.https_proxy = "http://127.0.0.1:1";
    process.env.no_proxy = "127.0.0.1";
    const go = { module: at(), packages: {} };
    const check = async (download?: Download): Promise<void> =>
      toolArtifact({
        name: "sample",
        version: "1.0.0",
        go,
        ...(download && { downloads: [download] }),
      }).check?.();
    try {
      await check(plain());
      await assert.rejects(check(plain("https://127.0.0.1:1")), {
        message:
          /^Go is needed to build sample, since 127\.0\.0\.1:1 can't be reached .*\. It can't be downloaded \(proxy\.golang\.org can't be reached .*127\.0\.0\.1 port 1.*\), and the one on the PATH is go1\.19\.8: install Go 1\.26 or later /,
      });
      await assert.rejects(check(), /^Error: Go is needed to build sample\. It can't/);
    } finally {
      Object.assign(process.env, { PATH, KINDOWS_CACHE });
      delete process.env.https_proxy;
      delete process.env.no_proxy;
    }
  });

  const tarball = (content: Buffer): Buffer => {
    mkdirSync(at("pulumi"), { recursive: true });
    writeFileSync(at("pulumi/program"), content);
    execFileSync("tar", ["--create", "--gzip", "--file", at("a.tgz"), "-C", at(), "pulumi"]);
    return readFileSync(at("a.tgz"));
  };
  /** Has it on the site, with its checksum. */
  const published = (name: string, archive: Buffer) => {
    site[`/${name}`] = serve(archive);
    site["/sums"] = serve(Buffer.from(`${digest(archive)}  ${name}\n`));
    return { url: `${server.url}/${name}`, checksumUrl: `${server.url}/sums` };
  };
  const archives: Readonly<Record<string, () => Buffer>> = {
    "program.tar.gz": () => tarball(program),
    "program.zip": () => zip({ "notes.md": Buffer.from("x"), "pulumi/program": program }),
  };
  eachCase("is taken out of %s", archives, async (make, name) => {
    const source = published(name, make());
    assert.equal(await fetch({ ...source, members: { "below/a": "pulumi/program" } }), undefined);
    isThere("below/a");
    assert.deepEqual(readdirSync(at("tool")), ["below"]);
    const lacking = await fetch({ ...source, members: { a: "pulumi/other" } });
    assert.equal(lacking, `pulumi/other is not in ${source.url}`);
    assert.deepEqual(readdirSync(at("tool")), []);
  });

  it("is unpacked from an archive of more than 100 MB, like the engine's", async () => {
    const source = published("large.tar.gz", tarball(Buffer.alloc(101_000_000)));
    assert.equal(await fetch({ ...source, members: { large: "pulumi/program" } }), undefined);
    assert.equal(statSync(at("tool/large")).size, 101_000_000);
  });

  it("makes the programs of a downloaded Go executable, and restores its go.mod files", async () => {
    const member = (name: string): string =>
      `golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64/${name}`;
    const archive = zip({
      [member("bin/go")]: Buffer.from("run"),
      [member("src/_go.mod")]: Buffer.from("module std"),
      [member("src/a_go.mod")]: Buffer.from("other"),
    });
    await unpackGo(archive, at("tool"));
    assert.equal(statSync(at("tool/bin/go")).mode & 0o777, 0o755);
    assert.equal(statSync(at("tool/src/go.mod")).mode & 0o777, 0o644);
    assert.deepEqual(readdirSync(at("tool/src")).sort(), ["a_go.mod", "go.mod"]);
  });

  const outside: Readonly<Record<string, string>> = {
    "a folder above": "../../x",
    "a folder above, further on": "src/../../../x",
    "the whole file system": "/x",
    "a folder with the same beginning": "../tool-2/x",
  };
  eachCase("is not unpacked into %s", outside, async (name) => {
    const member = `golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64/${name}`;
    const archive = zip({ [member]: Buffer.from("run") });
    await assert.rejects(unpackGo(archive, at("tool")), /would be outside of its folder/);
    assert.deepEqual(readdirSync(at("tool")), []);
  });

  it("is only taken by a locked checksum, where others do not count", async () => {
    process.env["KINDOWS_LOCKED"] = "1";
    try {
      assert.match((await fetch()) ?? "", /no checksum of \S+\/program is in software\.lock\.json/);
      assert.deepEqual(server.asked.slice(1), []);
      lock(sha256);
      assert.equal(await fetch(), undefined);
      isThere();
    } finally {
      delete process.env["KINDOWS_LOCKED"];
    }
  });

  it("is refused without a lock if its publisher gives no checksum", async () => {
    const context = { progress: () => undefined, downloads: at("downloads") };
    const file = { url: `${server.url}/program` };
    const fetching = fetchPublished(file, at("tool/program"), context, lockFile());
    await assert.rejects(fetching, (error) => error instanceof DownloadError);
    lock(sha256);
    await fetchPublished(file, at("tool/program"), context, lockFile());
  });
});

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

  it("is written in the order of URLs, and read back", async () => {
    await add("https://z.test/z", "b");
    await add("https://a.test/a", "c");
    const known = { "https://a.test/a": entry("c"), "https://z.test/z": entry("b") };
    assert.equal(readFileSync(file, "utf8"), `${JSON.stringify(known, undefined, 2)}\n`);
    assert.deepEqual(readSoftwareLock(file), known);
  });

  const wrong: Readonly<Record<string, readonly [unknown, RegExp]>> = {
    "no JSON": ["{", /^Error: software\.lock\.json is not JSON: restore it from version control$/],
    "a list": [[], /software\.lock\.json is invalid/],
    "plain HTTP": [{ "http://example.com/x": entry("a") }, /is invalid \(http:\/\/example/],
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
    writeFileSync(file, text);
    assert.throws(() => readSoftwareLock(file), message);
  });

  it("gets all entries that several processes add at once", async () => {
    const uris = ["a", "b", "c", "d"].map((name) => `https://example.com/${name}`);
    await Promise.all(uris.map((uri) => add(uri, "a")));
    assert.deepEqual(Object.keys(readSoftwareLock(file)), uris);
  });

  it("never changes a locked checksum", async () => {
    writeFileSync(file, JSON.stringify(good));
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
    "one of another file": `${sha("a")}  other.tar.gz\n`,
    "one of a file whose name only ends like it": `${sha("a")}  x${name}\n`,
    "a release without it": JSON.stringify({ assets: [{ name: "other", digest: null }] }),
    "an answer of GitHub's that is no release": JSON.stringify({ message: "rate limit" }),
    "one that is too short": "a".repeat(63),
    "two bare ones": `${sha("a")}\n${sha("b")}\n`,
  };
  eachCase("is not taken from %s", none, (text) =>
    assert.throws(() => publishedChecksum(text, name), /it has no SHA-256 of containerd\S+/),
  );
});
