import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { lstatSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  downloadText,
  WrongContentError,
  download,
  type DownloadOptions,
} from "../../../toolchain/download.ts";
import { transferText } from "../../../toolchain/progress-text.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { HttpsServer, cutAfter, serve, type Answer } from "./https-server.ts";

const content = randomBytes(300_000);
const other = randomBytes(300_000);
const sha256 = createHash("sha256").update(content).digest("hex");

describe("downloads", () => {
  let server: HttpsServer;
  let folder: string;
  let lines: string[];
  before(async () => (server = await HttpsServer.start()));
  after(() => server.stop());
  beforeEach(() => {
    folder = newFolder();
    mkdirSync(path.join(folder, "downloads"));
    lines = [];
    server.asked.length = 0;
  });

  const into = (): string => path.join(folder, "kubelet.exe");
  const part = `${sha256}.part`;
  const partial = (): string => path.join(folder, "downloads", part);
  const left = (): string[] => readdirSync(path.join(folder, "downloads"));
  const ranges = (): (string | undefined)[] => server.asked.map(({ range }) => range);
  const fetch = (options: Partial<DownloadOptions> = {}, url?: string): Promise<void> =>
    download({ url: url ?? `${server.url}/kubelet.exe`, sha256 }, into(), {
      downloads: path.join(folder, "downloads"),
      connectSeconds: 600,
      wholeSeconds: 600,
      slowSeconds: 600,
      tries: 3,
      pauseMilliseconds: 1,
      progressSeconds: 60,
      progress: (line) => lines.push(line),
      ...options,
    });
  /** The first requests are answered by these, one each; the last one answers all further ones. */
  const answers = (...each: readonly Answer[]): void => {
    server.answer = (request, response) =>
      (each[server.asked.length - 1] ?? each.at(-1))?.(request, response);
  };
  const status =
    (code: number): Answer =>
    (_request, response) =>
      response.writeHead(code).end();
  const isThere = (): void => {
    assert.ok(readFileSync(into()).equals(content));
    assert.deepEqual(left(), []);
  };

  it("fetch the file and leave nothing else", async () => {
    answers(serve(content));
    await fetch();
    isThere();
    assert.deepEqual(ranges(), [undefined]);
  });

  it("resume after a lost connection, and say so", async () => {
    answers(cutAfter(100_000, content), cutAfter(50_000, content), serve(content));
    await fetch();
    isThere();
    assert.deepEqual(ranges(), [undefined, "bytes=100000-", "bytes=150000-"]);
    assert.match(lines.join("\n"), /; trying again\nresuming after 0\.1 MiB/);
  });

  it("fail after too many lost connections, and the next run resumes them", async () => {
    answers(cutAfter(1000, content));
    await assert.rejects(fetch(), { name: "DownloadError", message: /curl: \((18|56)\)/ });
    assert.equal(server.asked.length, 3);
    assert.deepEqual(left(), [part]);
    assert.equal(existsSync(into()), false);
    server.asked.length = 0;
    answers(serve(content));
    await fetch();
    isThere();
    assert.deepEqual(ranges(), ["bytes=3000-"]);
  });

  it("end if no more data arrives", async () => {
    answers((_request, response) => {
      response.writeHead(200, { "content-length": content.length });
      response.write(content.subarray(0, 10));
    });
    await assert.rejects(fetch({ slowSeconds: 1, tries: 1 }), /curl: \(28\)/);
  });

  const earlier: Readonly<Record<string, readonly [Buffer, Answer[], (string | undefined)[]]>> = {
    "whole, of a run that was killed before its end": [content, [], []],
    "of a server that can't go on in the middle": [
      content.subarray(0, 1000),
      [(_request, response) => response.writeHead(200).end(content)],
      ["bytes=1000-", undefined],
    ],
    "longer than the file": [
      Buffer.concat([content, other]),
      [serve(content)],
      ["bytes=600000-", undefined],
    ],
    "of another file": [other.subarray(0, 1000), [serve(content)], ["bytes=1000-", undefined]],
  };
  eachCase("end well with an earlier part: %s", earlier, async ([bytes, each, expected]) => {
    writeFileSync(partial(), bytes);
    answers(...each);
    await fetch();
    isThere();
    assert.deepEqual(ranges(), expected);
  });

  it("of a wrong file are an error, and the file is kept but never resumed", async () => {
    answers(serve(other));
    await assert.rejects(fetch(), (error: Error) => {
      assert.ok(error instanceof WrongContentError);
      const found = createHash("sha256").update(other).digest("hex");
      assert.match(error.message, new RegExp(`has SHA-256 ${found}, not the pinned ${sha256}`));
      const kept = /kept as (\S+) for inspection/.exec(error.message)?.[1] ?? "";
      assert.ok(readFileSync(kept).equals(other));
      return true;
    });
    assert.equal(server.asked.length, 1);
    assert.equal(existsSync(into()), false);
    assert.deepEqual(left(), ["wrong"]);
    answers(serve(content));
    await fetch();
    assert.ok(readFileSync(into()).equals(content));
    assert.deepEqual(ranges(), [undefined, undefined]);
  });

  const tries = { 404: 1, 403: 1, 407: 1, 429: 3, 503: 3 };
  eachCase("end at HTTP status %s, or try again", tries, async (count, code) => {
    answers(status(Number(code)));
    await assert.rejects(fetch(), new RegExp(`returned error: ${code}`));
    assert.equal(server.asked.length, count);
    assert.deepEqual(left(), []);
  });

  it("do not follow the user's own settings of curl", async () => {
    const settings = path.join(process.env["HOME"] ?? "", ".curlrc");
    writeFileSync(settings, "max-filesize = 1\n");
    try {
      answers(serve(content));
      await fetch();
      isThere();
    } finally {
      rmSync(settings);
    }
  });

  it("end before a file that is longer than any", async () => {
    answers((_request, response) => {
      response.writeHead(200, { "content-length": 17 * 1024 ** 3 });
      response.write(content);
    });
    await assert.rejects(fetch(), /curl: \(63\)/);
    assert.equal(server.asked.length, 1);
  });

  it("end if the disk is full, and free their space", async () => {
    symlinkSync("/dev/full", partial());
    answers(serve(content));
    await assert.rejects(fetch(), /no disk space below \S+downloads \(curl: \(23\)/);
    assert.equal(server.asked.length, 1);
    assert.equal(lstatSync(partial(), { throwIfNoEntry: false }), undefined);
  });

  it("follow a redirect, but not to an unencrypted URL", async () => {
    answers(
      (_request, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
      serve(content),
    );
    await fetch();
    isThere();
    rmSync(into());
    server.asked.length = 0;
    answers((_request, response) =>
      response.writeHead(302, { location: "http://127.0.0.1:1/kubelet.exe" }).end(),
    );
    await assert.rejects(fetch(), /Protocol "http" not supported or disabled/);
  });

  const unreachable: Readonly<Record<string, readonly [url: string, RegExp]>> = {
    "without a name server or a name": ["https://no-such-host.invalid/x", /curl: \(6\)/],
    "where nobody listens": ["https://127.0.0.1:1/x", /curl: \(7\)/],
    "without encryption": ["http://127.0.0.1:1/x", /curl: \(1\)/],
  };
  eachCase("end at once %s", unreachable, async ([url, message]) => {
    await assert.rejects(fetch({ pauseMilliseconds: 3_600_000 }, url), message);
    assert.deepEqual(left(), []);
  });

  const withVariable = async (name: string, value: string, message: RegExp): Promise<void> => {
    const before = process.env[name];
    process.env[name] = value;
    await assert.rejects(fetch(), message).finally(() => (process.env[name] = before));
  };

  it("refuse an untrusted certificate", () => {
    answers(serve(content));
    return withVariable("CURL_CA_BUNDLE", "", /curl: \(60\)/);
  });

  it("return a short text, and refuse one that is too long", async () => {
    const release = Buffer.alloc(70_000, "a"); // As the description of a release of Flannel's.
    answers(serve(release));
    assert.equal(await downloadText(`${server.url}/release`), String(release));
    answers(serve(Buffer.alloc(1024 ** 2 + 1)));
    await assert.rejects(downloadText(`${server.url}/release`), /^DownloadError: curl: \(63\)/);
  });

  it("need curl", () => withVariable("PATH", folder, /^DownloadError: curl is missing$/));

  it("report their progress", async () => {
    const half = /^0\.1 of 0\.3 MiB \((4\d|50) %\), \d+\.\d MiB\/s$/;
    let finish = (): void => undefined;
    answers((_request, response) => {
      response.writeHead(200, { "content-length": content.length });
      response.write(content.subarray(0, 150_000));
      finish = () => response.end(content.subarray(150_000));
    });
    // The rest comes after half of it was reported.
    const progress = (line: string): void => (half.test(line) ? finish() : undefined);
    await fetch({ progressSeconds: 0.02, progress });
  });

  it("say it in these words", () => {
    assert.equal(transferText(0), "0.0 MiB");
    assert.equal(transferText(1024 ** 2, 0), "1.0 MiB");
    const text = transferText(12_900_000, 102_900_000, 3_250_586);
    assert.equal(text, "12.3 of 98.1 MiB (12 %), 3.1 MiB/s");
  });
});
