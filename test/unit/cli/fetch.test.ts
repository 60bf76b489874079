import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";

import {
  fetchPrograms,
  findPrograms,
  type FetchedFile,
  type FetchOptions,
  type HostArtifact,
  type ProgramState,
  programsText,
} from "../../../cli/fetch/programs.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { readSoftwareLock } from "../../../toolchain/software-lock.ts";
import { newFolder } from "../new-folder.ts";
import { HttpsServer, cutAfter, serve, type Answer } from "../toolchain/https-server.ts";

const kubelet = randomBytes(200_000);
const kubeadm = randomBytes(100_000);
const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

describe("kindows fetch", () => {
  let server: HttpsServer;
  let folder: string;
  let cache: Cache;
  let lines: string[];
  let site: Record<string, Answer>;
  before(async () => {
    server = await HttpsServer.start();
  });
  after(() => server.stop());
  beforeEach(() => {
    folder = newFolder();
    cache = new Cache(path.join(folder, "cache"));
    lines = [];
    site = {
      "/kubelet.exe": serve(kubelet),
      "/kubelet.exe.sha256": serve(Buffer.from(sha256(kubelet))),
      "/kubeadm.exe": serve(kubeadm),
      "/kubeadm.exe.sha256": serve(Buffer.from(`${sha256(kubeadm)}  kubeadm.exe\n`)),
    };
    server.asked.length = 0;
    server.answer = (request, response) => {
      const answer = site[request.url ?? ""];
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    };
  });

  const lockFile = (): string => path.join(folder, "software.lock.json");
  const medium = (fileName: string, pinned?: string): HostArtifact => {
    const uri = `${server.url}/${fileName}`;
    return { uri, sha256: pinned, origin: { checksumUri: `${uri}.sha256`, folder: undefined } };
  };
  const fetch = (
    media: readonly FetchedFile[],
    options: Partial<FetchOptions> = {},
  ): Promise<ProgramState[]> =>
    fetchPrograms(media, {
      ...{ cache, lockFile: lockFile() },
      say: (line) => lines.push(line),
      ...options,
    });
  const statesOf = (states: readonly ProgramState[]): readonly string[] =>
    states.map(({ state }) => state);
  const paths = (): string[] => server.asked.map((each) => each.path);
  const both = (): HostArtifact[] => [
    medium("kubelet.exe", sha256(kubelet)),
    medium("kubeadm.exe", sha256(kubeadm)),
  ];

  it("fetches what is pinned, once, as it shall lie on a machine", async () => {
    const first = await fetch(both());
    assert.deepEqual(statesOf(first), ["fetched", "fetched"]);
    const sizes = first.map(({ bytes }) => bytes);
    assert.deepEqual(sizes, [200_000, 100_000]);
    const [{ folder: where = "" } = {}] = first;
    assert.equal(path.basename(where), sha256(kubelet));
    assert.deepEqual(readdirSync(where), ["kubelet.exe"]);
    assert.ok(readFileSync(path.join(where, "kubelet.exe")).equals(kubelet));
    assert.deepEqual(paths(), ["/kubelet.exe", "/kubeadm.exe"]);
    assert.deepEqual(readdirSync(cache.downloadsFolder), []);

    assert.deepEqual(statesOf(await fetch(both())), ["there", "there"]);
    assert.equal(server.asked.length, 2);
  });

  it("trusts a publisher on first use, says so, and locks what came", async () => {
    const [state] = await fetch([medium("kubelet.exe")]);
    assert.deepEqual([state?.state, state?.sha256], ["fetched", sha256(kubelet)]);
    const checksumUri = `${server.url}/kubelet.exe.sha256`;
    const told = `kubelet.exe: trusted on first use: SHA-256 ${sha256(kubelet)} from ${checksumUri}, written to software.lock.json`;
    assert.equal(lines.at(-1), told);
    const { takenOn, ...entry } = Object.values(readSoftwareLock(lockFile()))[0] ?? assert.fail();
    assert.match(takenOn, /^\d{4}-\d\d-\d\d$/);
    assert.deepEqual(entry, { sha256: sha256(kubelet), takenFrom: checksumUri });
  });

  it("trusts nobody where only what is pinned is taken, as for an image", async () => {
    const [state] = await fetch([{ ...medium("drivers.iso"), origin: {} }]);
    assert.equal(state?.state, "missing");
    assert.match(state?.problem ?? "", /^no checksum is known/);
    assert.equal(server.asked.length, 0);
    assert.equal(existsSync(lockFile()), false);
  });

  it("locks nothing when the file is not what its publisher says", async () => {
    site["/kubelet.exe"] = serve(kubeadm);
    const [state] = await fetch([medium("kubelet.exe")]);
    assert.equal(state?.state, "missing");
    assert.match(
      state?.problem ?? "",
      new RegExp(`has SHA-256 ${sha256(kubeadm)}, not the pinned .*kept as \\S+ for a look`),
    );
    assert.equal(existsSync(lockFile()), false);
  });

  it("never asks the publisher for a checksum that is known, and refuses everything else", async () => {
    const [state] = await fetch([medium("kubelet.exe", "1".repeat(64))]);
    assert.equal(state?.state, "missing");
    assert.match(state?.problem ?? "", /not the pinned 1{64}: not used/);
    assert.deepEqual(paths(), ["/kubelet.exe"]);
  });

  const failures: Readonly<Record<string, readonly [string, Buffer | undefined, RegExp]>> = {
    "a checksum that is not there": [
      "/kubelet.exe.sha256",
      undefined,
      /^its publisher's checksum \S+kubelet\.exe\.sha256 can't be had: curl: \(22\) .* 404$/,
    ],
    "a login page for a checksum": [
      "/kubelet.exe.sha256",
      Buffer.from("<html>"),
      /can't be had: no SHA-256 of kubelet\.exe is in it$/,
    ],
    "an endless checksum": [
      "/kubelet.exe.sha256",
      randomBytes(1_100_000),
      /can't be had: curl: \(63\)/,
    ],
    "a file that is not there": [
      "/kubelet.exe",
      undefined,
      /^kubelet\.exe could not be made after .*curl: \(22\) .* 404$/,
    ],
  };
  for (const [what, [page, content, message]] of Object.entries(failures)) {
    it(`goes on with the others after ${what}, and names it`, async () => {
      if (content === undefined) Reflect.deleteProperty(site, page);
      else site[page] = serve(content);
      const states = await fetch([medium("kubelet.exe"), medium("kubeadm.exe")]);
      assert.deepEqual(statesOf(states), ["missing", "fetched"]);
      assert.match(states[0]?.problem ?? "", message);
      assert.deepEqual(Object.keys(readSoftwareLock(lockFile())), [`${server.url}/kubeadm.exe`]);
    });
  }

  it("says what there is and what not, without a network, also of what was cut off", async () => {
    await fetch([medium("kubeadm.exe", sha256(kubeadm))]);
    site["/kubelet.exe"] = (request, response) => {
      if (request.headers.range === undefined) cutAfter(150_000, kubelet)(request, response);
      else response.writeHead(404).end();
    };
    await fetch([medium("kubelet.exe", sha256(kubelet))]);
    server.asked.length = 0;
    const states = await findPrograms([...both(), medium("containerd.tar.gz")], cache);
    assert.equal(
      programsText(states),
      [
        "PROGRAM            STATE    SIZE           SHA-256",
        `kubelet.exe        missing  0.1 MiB of it  ${sha256(kubelet)}`,
        `kubeadm.exe        there    0.1 MiB        ${sha256(kubeadm)}`,
        "containerd.tar.gz  missing  -              unknown",
        "kubelet.exe: not in the cache",
        "containerd.tar.gz: no checksum is known, and nothing is installed without one",
      ].join("\n"),
    );
    assert.equal(server.asked.length, 0);
  });

  it("works from a cache that was carried here, without a network", async () => {
    await fetch(both());
    const carried = new Cache(path.join(folder, "carried"));
    // A plain copy: other times of change, no locks.
    cpSync(cache.entriesFolder, carried.entriesFolder, { recursive: true });
    site = {};
    server.asked.length = 0;
    assert.deepEqual(statesOf(await fetch(both(), { cache: carried })), ["there", "there"]);
    assert.equal(server.asked.length, 0);
  });
});
