import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { answer, type Consent, requireConsent } from "../../../cli/fetch/consent.ts";
import {
  type FetchedFile,
  fetchPrograms,
  findPrograms,
  type HostArtifact,
  type ProgramState,
  programsText,
  pushedPrograms,
} from "../../../cli/fetch/programs.ts";
import { downloadedMedia } from "../../../cli/fetch/image-media.ts";
import { lockedFiles, lockedText, updateLock } from "../../../cli/commands/lock.ts";
import { fileNameOf } from "../../../components/windows/media-folder.ts";
import { downloadArtifact } from "../../../components/windows/download-artifact.ts";
import { programNames } from "../../../components/windows/software.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { stackNeeds } from "../../../stacks/stack-needs.ts";
import { artifactAddress, Cache } from "../../../toolchain/cache.ts";
import { readSoftwareLock } from "../../../toolchain/software-lock.ts";
import { inNewFolder, newFolder } from "../new-folder.ts";
import { type Answer, cutAfter, HttpsServer, serve } from "../toolchain/https-server.ts";

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
  const fetch = (media: readonly FetchedFile[], into = cache): Promise<ProgramState[]> =>
    fetchPrograms(media, {
      cache: into,
      lockFile: lockFile(),
      progress: (line) => lines.push(line),
    });
  const statesOf = (states: readonly ProgramState[]) => states.map(({ state }) => state);
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

  it("takes a file of this host by its path, where it is what is pinned", async () => {
    const file = path.join(folder, "hybrid-overlay-node.exe");
    await writeFile(file, kubelet);
    const at = (pinned: string): FetchedFile => ({ uri: `file://${file}`, sha256: pinned });
    const [state] = await fetch([at(sha256(kubelet))]);
    const placed = path.join(state?.folder ?? "", "hybrid-overlay-node.exe");
    assert.ok(readFileSync(placed).equals(kubelet));
    const [wrong] = await fetch([at(sha256(kubeadm))]);
    assert.match(wrong?.problem ?? "", /hybrid-overlay-node\.exe has the SHA-256 .*, not /);
  });

  it("trusts a publisher on first use, says so, and locks what came", async () => {
    const [state] = await fetch([medium("kubelet.exe")]);
    assert.deepEqual([state?.state, state?.sha256], ["fetched", sha256(kubelet)]);
    const checksumUri = `${server.url}/kubelet.exe.sha256`;
    const reported = `kubelet.exe: trusted on first use: SHA-256 ${sha256(kubelet)} from ${checksumUri}, written to software.lock.json`;
    assert.equal(lines.at(-1), reported);
    const { takenOn, ...entry } = Object.values(readSoftwareLock(lockFile()))[0] ?? assert.fail();
    assert.match(takenOn, /^\d{4}-\d\d-\d\d$/);
    assert.deepEqual(entry, { sha256: sha256(kubelet), takenFrom: checksumUri });
  });

  it("trusts nobody where only what is pinned is taken, as for an image", async () => {
    const [state] = await fetch([{ ...medium("drivers.iso"), origin: undefined }]);
    assert.equal(state?.state, "missing");
    assert.match(state?.problem ?? "", /^no checksum is known/);
    assert.equal(server.asked.length, 0);
    assert.equal(existsSync(lockFile()), false);
  });

  it("takes nothing but what its publisher says, or what is pinned, which nobody is asked for", async () => {
    site["/kubelet.exe"] = serve(kubeadm);
    for (const [pinned, expected, asked] of [
      [undefined, sha256(kubelet), ["/kubelet.exe.sha256", "/kubelet.exe"]],
      ["1".repeat(64), "1".repeat(64), ["/kubelet.exe"]],
    ] as const) {
      server.asked.length = 0;
      const [state] = await fetch([medium("kubelet.exe", pinned)]);
      assert.equal(state?.state, "missing");
      const why = `has SHA-256 ${sha256(kubeadm)}, not the pinned ${expected}: not used.*kept as`;
      assert.match(state.problem ?? "", new RegExp(why));
      assert.deepEqual(paths(), asked);
    }
    assert.equal(existsSync(lockFile()), false);
  });

  it("goes on with the others after one that does not come, and names it", async () => {
    Reflect.deleteProperty(site, "/kubelet.exe");
    const states = await fetch([medium("kubelet.exe"), medium("kubeadm.exe")]);
    assert.deepEqual(statesOf(states), ["missing", "fetched"]);
    const message = /^kubelet\.exe could not be made after .*curl: \(22\) .* 404$/;
    assert.match(states[0]?.problem ?? "", message);
    assert.deepEqual(Object.keys(readSoftwareLock(lockFile())), [`${server.url}/kubeadm.exe`]);
  });

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
    assert.deepEqual(statesOf(await fetch(both(), carried)), ["there", "there"]);
    assert.equal(server.asked.length, 0);
  });
});

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
  const lock = (...entries: readonly (readonly [name: string, digit: string, from: string])[]) => {
    const locked = entries.map(
      ([name, digit, takenFrom]) =>
        [published(name).url, { sha256: sha(digit), takenFrom, takenOn: "2026-11-21" }] as const,
    );
    writeFileSync(file, JSON.stringify(Object.fromEntries(locked)));
  };
  const update = (...names: string[]): ReturnType<typeof updateLock> =>
    updateLock(names.map(published), () => undefined, file);

  it("locks what publishers say, naming the source of each, and what they do not", async () => {
    const text = lockedText(await update("one", "gone"));
    assert.match(text, /^one +https:\/\/\S+\/one\.sha256$/m);
    assert.match(text, /^gone +not locked$/m);
    assert.match(text, /^gone: its publisher's checksum \S+ can't be downloaded: .*404$/m);
    assert.deepEqual(Object.keys(readSoftwareLock(file)), [published("one").url]);
  });

  it("asks for nothing that a publisher has vouched for, nor without --update, and changes nothing", async () => {
    lock(["one", "b", "https://example.test/one"]);
    const { url } = published("two");
    assert.deepEqual(lockedFiles([published("two")], file), [{ url, takenFrom: undefined }]);
    const before = readFileSync(file, "utf8");
    await update("one");
    assert.equal(server.asked.length, 0);
    assert.equal(readFileSync(file, "utf8"), before);
  });

  it("asks the publisher where somebody else has vouched, and refuses another checksum", async () => {
    lock(["one", "a", "independent publications"], ["other", "b", "independent publications"]);
    const [one, other] = await update("one", "other");
    assert.equal(one?.takenFrom, published("one").checksumUrl);
    assert.equal(other?.takenFrom, "independent publications");
    assert.match(
      other.problem ?? "",
      /is locked to the SHA-256 b+ \(from independent publications\), not to a+ from https:/,
    );
  });
});

const evaluation = { kind: "evaluation-iso", acceptLicence: true };
const settingsOf = (windows: object): ReturnType<typeof resolveSettings> =>
  resolveSettings(
    {
      nodes: [{ name: "win-1" }],
      windows: { version: "2025", image: evaluation, ...windows },
      cni: { kind: "flannel" },
    },
    { stack: "dev-2025", file: "Pulumi.dev-2025.yaml" },
  );
const settings = settingsOf({ checksums: { kubelet: "1".repeat(64) } });

describe("before what a stack lacks is fetched", () => {
  let cache: Cache;
  beforeEach(() => (cache = new Cache(newFolder())));

  const questions: string[] = [];
  beforeEach(() => (questions.length = 0));
  const answering = (text: string): Partial<Consent> => ({
    ask: (question) => Promise.resolve((questions.push(question), text)),
  });
  const require = (consent: Partial<Consent>, makesImage = true, of = settings): Promise<void> => {
    const all = { stack: "dev-2025", yes: false, ask: undefined, ...consent };
    const media = makesImage ? downloadedMedia(of).files : [];
    return requireConsent([...pushedPrograms(of, stackNeeds(of)), ...media], all, cache);
  };

  it("it is asked at a terminal, which files these are, how large and how trusted", async () => {
    await require(answering("y"));
    await require(answering("Yes"));
    const [header, ...lines] = (questions[0] ?? "").split("\n");
    assert.equal(header, "the stack dev-2025 needs files that this host does not have yet:");
    assert.ok(lines.includes("  - https://dl.k8s.io/v1.36.4/bin/windows/amd64/kubelet.exe"));
    const trusted = "kubeadm.exe, with the checksum that its publisher provides";
    assert.ok(lines.some((line) => line.endsWith(trusted)));
    assert.ok(lines.some((line) => /flannel-v\S+-windows/.test(line)));
    assert.ok(lines.some((line) => /SERVER_EVAL_x64FRE_en-us\.iso, 7774\.7 MiB$/.test(line)));
    assert.equal(lines.at(-1), "Download them? [y/N] ");
  });

  it("every answer but y and yes refuses", async () => {
    for (const text of ["", "n", "yesterday"]) {
      await assert.rejects(
        require(answering(text)),
        /^Failure: nothing was downloaded, and nothing/,
      );
    }
  });

  it("without a terminal it takes --yes, or `fetch` before", async () => {
    await assert.rejects(require({}), {
      message: /kubelet\.exe\n[^]*Run it again with `--yes`.*`\.\/kindows fetch --stack dev-2025`/,
    });
    await require({ ...answering("n"), yes: true });
    assert.deepEqual(questions, []);
  });

  it("an image that is there takes none of its media", async () => {
    await require(answering("y"), false);
    assert.doesNotMatch(questions[0] ?? "", /\.iso/);
  });

  it("nobody is asked where all is there, or an image carries it", async () => {
    // A lab has no OVN-Kubernetes, and kube-proxy is published as an image.
    const names = programNames.filter((name) => !["hybridOverlay", "kubeProxy"].includes(name));
    const checksums = Object.fromEntries(names.map((name) => [name, "2".repeat(64)]));
    const known = settingsOf({ checksums });
    for (const { uri, sha256 = "" } of pushedPrograms(known, stackNeeds(known))) {
      const fileName = fileNameOf({ uri });
      const address = await artifactAddress(downloadArtifact({ uri, sha256 }));
      await cache.make(address, fileName, async (into) => {
        await mkdir(path.join(into, sha256));
        await writeFile(path.join(into, sha256, fileName), "program");
      });
    }
    await require({}, false, known);
    const rehearsal = { version: "2022", image: { kind: "rehearsal" }, containerdVersion: "2.4.2" };
    await require({}, false, settingsOf(rehearsal));
  });

  it("the answer is one line, or none at its end", async () => {
    assert.equal(await answer("", Readable.from([" y \nmore\n"])), "y");
    assert.equal(await answer("", Readable.from([])), "");
  });
});
