import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";

import { answer, requireConsent, type Consent } from "../../../cli/fetch/consent.ts";
import { pushedPrograms } from "../../../cli/fetch/stack-programs.ts";
import { downloadArtifact } from "../../../components/windows/download-artifact.ts";
import { fileNameOf } from "../../../components/windows/media-folder.ts";
import { programNames } from "../../../components/windows/software.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { artifactAddress, Cache } from "../../../toolchain/cache.ts";
import { newFolder } from "../new-folder.ts";

const evaluation = { kind: "evaluation-iso", acceptLicence: true };
const settingsOf = (windows: object): ReturnType<typeof resolveSettings> =>
  resolveSettings(
    { windows: { version: "2025", image: evaluation, ...windows }, cni: { kind: "flannel" } },
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
  const require = (consent: Partial<Consent>, makesImage = true, of = settings): Promise<void> =>
    requireConsent(
      of,
      makesImage,
      { stack: "dev-2025", yes: false, ask: undefined, ...consent },
      cache,
    );

  it("it is asked at a terminal, which files these are, how large and how trusted", async () => {
    await require(answering("y"));
    await require(answering("Yes"));
    const [header, ...lines] = (questions[0] ?? "").split("\n");
    assert.equal(header, "the stack dev-2025 takes files that this host has not yet:");
    assert.ok(lines.includes("  - https://dl.k8s.io/v1.36.4/bin/windows/amd64/kubelet.exe"));
    const trusted = "kubeadm.exe, by the checksum that its publisher gives";
    assert.ok(lines.some((line) => line.endsWith(trusted)));
    assert.ok(lines.some((line) => /flannel-v\S+-windows/.test(line)));
    assert.ok(lines.some((line) => /SERVER_EVAL_x64FRE_en-us\.iso, 7774\.7 MiB$/.test(line)));
    assert.equal(lines.at(-1), "Fetch them? [y/N] ");
  });

  it("anything but yes is no", async () => {
    for (const text of ["", "n", "yesterday"]) {
      await assert.rejects(require(answering(text)), /^Failure: nothing was fetched, and nothing/);
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
    const checksums = Object.fromEntries(programNames.map((name) => [name, "2".repeat(64)]));
    const known = settingsOf({ checksums });
    for (const { uri, sha256 = "" } of pushedPrograms(known)) {
      const fileName = fileNameOf({ uri });
      const address = await artifactAddress(downloadArtifact({ uri, sha256, fileName }));
      await cache.make(address, fileName, async (into) => {
        await mkdir(path.join(into, sha256));
        await writeFile(path.join(into, sha256, fileName), "program");
      });
    }
    await require({}, false, known);
    await require({}, false, settingsOf({
      version: "2022",
      image: { kind: "rehearsal" },
      containerdVersion: "2.4.2",
    }));
  });

  it("the answer is one line, or none at its end", async () => {
    assert.equal(await answer("", Readable.from([" y \nmore\n"])), "y");
    assert.equal(await answer("", Readable.from([])), "");
  });
});
