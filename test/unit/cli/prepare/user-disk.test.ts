import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { userDisk } from "../../../../cli/prepare/user-disk.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import { Cache } from "../../../../toolchain/cache.ts";
import { sha256OfFile } from "../../../../toolchain/cache-marker.ts";
import { testFolder } from "../../windows-image/real-media.ts";

describe("a disk that the settings name", () => {
  let folder: Awaited<ReturnType<typeof testFolder>>;
  const lines: string[] = [];
  before(async () => {
    folder = await testFolder();
    writeFileSync(at("a.vhdx"), "vhdxfile");
    writeFileSync(at("a.qcow2"), "QFI\xfb", "latin1");
  });
  after(() => folder.remove());
  const at = (name: string): string => path.join(folder.path, name);
  const diskOf = (image: object): ReturnType<typeof userDisk> =>
    userDisk(
      resolveSettings({ windows: { image } }, { stack: "dev", file: "Pulumi.dev.yaml" }),
      (line) => lines.push(line),
      new Cache(at("cache")),
    );

  it("is converted when machines can't start from it, and noted with what it was", async () => {
    const source = at("a.vhdx");
    const recorded = await diskOf({ kind: "disk", path: source })?.record("/cache/entry");
    const { size, mtimeMs } = statSync(source);
    const hash = (await sha256OfFile(source)).slice(0, 12);
    assert.deepEqual(recorded, {
      [source]: { size, mtimeMs, path: "/cache/entry/disk.qcow2", hash },
    });
    assert.deepEqual(lines, [`reads ${source} whole: it is known by its content`]);
  });

  it("is left alone otherwise", () => {
    assert.equal(diskOf({ kind: "disk", path: at("a.qcow2") }), undefined);
    assert.equal(diskOf({ kind: "disk", path: at("gone.vhdx") }), undefined);
    assert.equal(diskOf({ kind: "rehearsal", baked: true }), undefined);
  });
});
