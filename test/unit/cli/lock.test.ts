import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { lockedFiles, lockedText, updateLock } from "../../../cli/lock/locked-files.ts";
import { readSoftwareLock, renderSoftwareLock } from "../../../toolchain/software-lock.ts";
import { inNewFolder } from "../new-folder.ts";
import { HttpsServer, serve } from "../toolchain/https-server.ts";

const sha = (digit: string): string => digit.repeat(64);

describe("kindows lock", () => {
  let server: HttpsServer;
  let file: string;
  beforeEach(async () => {
    server = await HttpsServer.start();
    file = inNewFolder()("software.lock.json");
    server.answer = (request, response) => {
      const name = /^\/(\w+)\.sha256$/.exec(request.url ?? "")?.[1];
      if (name === undefined || name === "gone") response.writeHead(404).end();
      else serve(Buffer.from(sha("a")))(request, response);
    };
  });
  afterEach(() => server.stop());

  const published = (name: string): { url: string; checksumUrl: string } => {
    const url = `${server.url}/${name}`;
    return { url, checksumUrl: `${url}.sha256` };
  };
  const lock = (entries: Readonly<Record<string, readonly [digit: string, from: string]>>): void =>
    writeFileSync(
      file,
      renderSoftwareLock(
        Object.fromEntries(
          Object.entries(entries).map(([name, [digit, takenFrom]]) => [
            published(name).url,
            { sha256: sha(digit), takenFrom, takenOn: "2026-11-21" },
          ]),
        ),
      ),
    );
  const update = (...names: string[]): ReturnType<typeof updateLock> =>
    updateLock(names.map(published), () => undefined, file);

  it("locks what publishers say, naming the source of each, and what they do not", async () => {
    const text = lockedText(await update("one", "gone"));
    assert.match(text, /^one +https:\/\/\S+\/one\.sha256$/m);
    assert.match(text, /^gone +not locked$/m);
    assert.match(text, /^gone: its publisher's checksum \S+ can't be had: .*404$/m);
    assert.deepEqual(Object.keys(readSoftwareLock(file)), [published("one").url]);
  });

  it("asks for nothing that a publisher has vouched for, and changes nothing", async () => {
    lock({ one: ["b", "https://example.test/one"] });
    const before = readFileSync(file, "utf8");
    await update("one");
    assert.equal(server.asked.length, 0);
    assert.equal(readFileSync(file, "utf8"), before);
  });

  it("asks the publisher where somebody else has vouched, and refuses another checksum", async () => {
    lock({ one: ["a", "independent publications"], other: ["b", "independent publications"] });
    const [one, other] = await update("one", "other");
    assert.equal(one?.takenFrom, published("one").checksumUrl);
    assert.equal(other?.takenFrom, "independent publications");
    assert.match(
      other.problem ?? "",
      /is locked to the SHA-256 b+ \(from independent publications\), not to a+ from https:/,
    );
  });

  it("without --update asks nobody", () => {
    const [state] = lockedFiles([published("one")], file);
    assert.deepEqual(state, { url: published("one").url, takenFrom: undefined });
    assert.equal(server.asked.length, 0);
  });
});
