import assert from "node:assert/strict";
import { statSync } from "node:fs";
import fs, { writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { mock } from "node:test";
import { memoryForImage, requireMakeableImage } from "../../../cli/prepare/image-checks.ts";
import { requireFetched } from "../../../cli/prepare/disk-from-iso.ts";
import { ownDisk } from "../../../cli/prepare/own-disk.ts";
import { requireRoomToPrepare } from "../../../cli/prepare/prepare.ts";
import { windowsImage } from "../../../images/windows/builder/image-artifact.ts";
import { roomProblems } from "../../../images/disk/require-room.ts";
import { hostProblemText } from "../../../config/host-problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import type { Settings } from "../../../config/settings.ts";
import { Cache, artifactAddress } from "../../../toolchain/cache.ts";
import { sha256OfFile } from "../../../toolchain/cache-marker.ts";
import { kindBaseFiles } from "../../../toolchain/tools/kind-base-files.ts";
import { kubernetesWindows, pulumi } from "../../../toolchain/tools/table.ts";
import { newFolder } from "../new-folder.ts";
import { makeWindowsIso, serverImages } from "../images/windows/real-media.ts";

const folder = newFolder();
const at = (name: string): string => path.join(folder, name);
const cache = new Cache(at("cache"));
const sha = (digit: string): string => digit.repeat(64);

/** Of every program that is put into an image: none of them is fetched here. */
const checksums = Object.fromEntries(
  ["containerd", "kubelet", "kubeadm", "kubeLogRunner", "crictl"].map((name) => [name, sha("1")]),
);

/** A stack that is emulated, so that what is found does not depend on this host's KVM. */
function stack(image: object, windows: object = { checksums }): Settings {
  const emulated = { hypervisor: { domainType: "qemu" }, cni: { kind: "kind-default" } };
  const settings = { windows: { ...windows, image }, ...emulated };
  return resolveSettings(settings, { stack: "dev", file: "Pulumi.dev.yaml" });
}

describe("whether an image can be made, before anything is built", () => {
  before(async () => {
    const name = "Windows 10 Pro";
    await makeWindowsIso(at("client.iso"), [
      { editionId: "Professional", installationType: "Client", name },
    ]);
    await makeWindowsIso(at("server.iso"), serverImages);
    await writeFile(at("no.msu"), "<html>403 Forbidden</html>");
  });

  // Whatever room this host has.
  before(() => {
    const { statfs } = fs;
    mock.method(fs, "statfs", async (folder: string) => ({
      ...(await statfs(folder)),
      bavail: 1024,
      bsize: 1024 ** 3,
    }));
    syncBuiltinESMExports();
  });
  after(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  const asked: string[] = [];
  beforeEach(() => (asked.length = 0));
  const check = (settings: Settings): Promise<boolean> =>
    requireMakeableImage(
      settings,
      cache,
      () => undefined,
      (names) => Promise.resolve(asked.push(...names)),
    );
  const refused = (settings: Settings): Promise<string[]> =>
    check(settings).then(
      () => assert.fail("nothing is in the way"),
      (error: Error) => error.message.split("\n").map((line) => line.replaceAll(`${folder}/`, "")),
    );

  it("says all that the settings leave open, and asks for no package before", async () => {
    const [, ...lines] = await refused(
      stack({ kind: "iso", path: "/gone.iso", update: { kb: "KB5044281" } }, {}),
    );
    assert.equal(lines.length, 2);
    assert.match(
      lines.join("\n"),
      /The update KB5044281 has not been looked up yet[^]*\n.*gone\.iso/,
    );
    assert.deepEqual(asked, []);
  });

  it("looks at the user's own media, though others are not fetched yet", async () => {
    const [, ...lines] = await refused(
      stack({ kind: "iso", path: at("client.iso"), update: { path: at("no.msu") } }),
    );
    assert.deepEqual(lines, [
      "  - client.iso contains no Windows Server (its images: Windows 10 Pro). Write the path of an ISO of Windows Server.",
      "  - no.msu is not an update (.msu). Write the path of an update (.msu) you may read, as it was downloaded.",
    ]);
    assert.ok(asked.includes("p7zip-full") && asked.includes("xorriso"), asked.join(" "));
  });

  it("has nothing against media that are right, or fetched with all else, as checksums are", async () => {
    assert.ok(await check(stack({ kind: "iso", path: at("server.iso") })));
    const evaluation = { kind: "evaluation-iso", acceptLicence: true };
    for (const known of [{ checksums }, {}]) {
      assert.ok(await check(stack(evaluation, { ...known, version: "2025" })));
    }
  });

  it("asks nothing where the image is there, whatever became of its media", async () => {
    const settings = stack({ kind: "iso", path: "/gone.iso", sha256: sha("2") });
    const address = await artifactAddress(windowsImage(settings, cache));
    await cache.make(address, "windows-image", (into) => writeFile(path.join(into, "disk"), "x"));
    assert.equal(await check(settings), false);
    assert.deepEqual(asked, []);
  });

  it("asks nothing where no image is made from an ISO", async () => {
    await check(stack({ kind: "disk", path: "/gone.qcow2" }));
    assert.deepEqual(asked, []);
  });

  it("tells the memory that the machine takes which it is made on", () => {
    assert.deepEqual(memoryForImage({ availableMiB: 4096, totalMiB: 8000 }), []);
    assert.deepEqual(memoryForImage({ availableMiB: 4095, totalMiB: 8000 }).map(hostProblemText), [
      "Memory of 4096 MiB is needed to make the image, 4095 of 8000 MiB are available. Stop something else meanwhile.",
    ]);
  });

  it("tells the room that is needed, also where the cache's folder is still to be made", async () => {
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    assert.deepEqual(await roomProblems(at("not/made/yet"), 2, "it", say), []);
    const need = `it takes up to 2.0 GiB of disk in ${at("not/made/yet")}, where 1024.0 GiB are free`;
    assert.deepEqual(said, [need]);
    const [problem] = await roomProblems(at("not/made/yet"), 1e6, "the image");
    const text = problem === undefined ? "" : hostProblemText(problem);
    const message =
      /yet has [\d.]+ GiB free, and the image takes 1000000\.0 GiB\. Make room.*KINDOWS_CACHE/;
    assert.match(text, message);
  });

  it("says the room that tools and images take, before any is built, and of small ones nothing", async () => {
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    await requireRoomToPrepare([kindBaseFiles], undefined, say);
    await requireRoomToPrepare([kubernetesWindows, pulumi, kindBaseFiles], undefined, say);
    assert.equal(said.length, 1);
    assert.match(
      said[0] ?? "",
      /^building what is missing takes up to 3\.0 GiB .* 1024\.0 GiB are/,
    );
  });

  it("says why a file did not come, and how else it can be had", () => {
    const state = { fileName: "w.iso", sha256: sha("3"), bytes: 5, folder: undefined };
    requireFetched([{ ...state, state: "fetched" }]);
    const missing = { ...state, state: "missing", problem: "no route to host" } as const;
    assert.throws(() => requireFetched([missing]), {
      name: "MediaError",
      message: /w\.iso could not be fetched: no route to host\. Run again.*write its `path`/,
    });
  });
});

describe("a disk that the settings name", () => {
  const lines: string[] = [];
  const diskOf = (path: string) =>
    ownDisk.parts?.({ kind: "disk", path }, (line) => lines.push(line)) ?? [];

  it("is converted when machines can't start from it, and noted with what it was", async () => {
    const source = at("a.vhdx");
    await writeFile(source, "vhdxfile");
    const [part] = diskOf(source);
    const noted = await part?.note("/cache/entry");
    const { size, mtimeMs } = statSync(source);
    const hash = (await sha256OfFile(source)).slice(0, 12);
    const copy = { size, mtimeMs, path: "/cache/entry/disk.qcow2", hash };
    assert.deepEqual(noted, { convertedDisks: { [source]: copy } });
    assert.deepEqual(lines, [`reading all of ${source} for its checksum`]);
  });

  it("is left alone otherwise", async () => {
    await writeFile(at("a.qcow2"), "QFI\xfb", "latin1");
    assert.deepEqual(diskOf(at("a.qcow2")), []);
    assert.deepEqual(diskOf(at("gone.vhdx")), []);
  });

  it("is named by a preview until there is a copy, without reading it", () => {
    const unmade = (path: string) => ownDisk.unmade?.(stack({ kind: "disk", path }, {}));
    assert.deepEqual(unmade(at("a.vhdx")), [`a qcow2 copy of ${at("a.vhdx")}`]);
    assert.deepEqual(unmade(at("a.qcow2")), []);
  });
});
