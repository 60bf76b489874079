import assert from "node:assert/strict";
import { statSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { execa } from "execa";
import { prepareCloudImage } from "../../../cli/prepare/linux-parts.ts";
import { cloudImageFormat, locatedLinuxImage } from "../../../images/linux/located.ts";
import { gatherLinuxArtifacts } from "../../../stacks/image-readiness.ts";
import type { Settings } from "../../../config/settings.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { sha256OfFile } from "../../../toolchain/cache-marker.ts";
import { diskFormatOf } from "../../../toolchain/disk-format.ts";
import { inNewFolder } from "../new-folder.ts";

const gib = 1024 ** 3;

describe("a cloud image for Linux machines", () => {
  let at: ReturnType<typeof inNewFolder>;
  let cache: Cache;
  beforeEach(() => {
    at = inNewFolder();
    cache = new Cache(at("cache"));
  });

  /** A file of that size, sparse, with bytes at places of it. */
  async function file(name: string, size: number, ...parts: [number, string][]): Promise<string> {
    writeFileSync(at(name), "");
    truncateSync(at(name), size);
    await using opened = await open(at(name), "r+");
    for (const [place, bytes] of parts) {
      await opened.write(Buffer.from(bytes, "latin1"), 0, bytes.length, place);
    }
    return at(name);
  }
  async function disk(name: string, ...args: readonly string[]): Promise<string> {
    await execa("qemu-img", ["create", "-q", ...args.slice(0, -1), name, args.at(-1) ?? ""], {
      cwd: at(),
    });
    return at(name);
  }
  const rawDisk = (name: string, size = gib / 2): Promise<string> =>
    file(name, size, [510, "\x55\xaa"], [gib / 4, "something"]);

  const settings = (image: Settings["linux"]["image"]) =>
    ({ linux: { image }, linuxNodes: [{}] }) as unknown as Pick<Settings, "linux" | "linuxNodes">;
  const prepared = (image: Settings["linux"]["image"]) =>
    prepareCloudImage(image, { cache, progress: () => undefined });

  const formats: readonly [what: string, make: () => Promise<string>, is: string | undefined][] = [
    ["qcow2, whatever it is called", () => disk("a.img", "-f", "qcow2", "2G"), "qcow2"],
    ["VHDX", () => disk("a.vhdx", "-f", "vhdx", "2G"), "VHDX"],
    ["raw, by its partition table", () => rawDisk("a.raw"), "raw"],
    [
      "no disk, but an installer that can be put on a stick",
      () => file("a.iso", gib, [510, "\x55\xaa"], [32_769, "CD001"]),
      undefined,
    ],
    ["no disk, but a file system", () => file("a.ext4", gib, [1080, "\x53\xef"]), undefined],
    ["no disk, but one that is cut off", () => rawDisk("a.cut", gib / 2 - 100), undefined],
    ["no disk, but nothing", () => file("a.none", 0), undefined],
  ];
  for (const [what, make, is] of formats) {
    it(`is ${what}`, async () => assert.equal(cloudImageFormat(await make()), is));
  }

  it("is used in its place where it is qcow2, and is another one once it has changed", async () => {
    const image = await disk("debian.qcow2", "-f", "qcow2", "2G");
    assert.deepEqual(await prepared({ path: image }), {});
    const first = locatedLinuxImage({ path: image });
    assert.ok(typeof first === "object");
    assert.equal(first.path, image);
    assert.match(first.hash, /^[0-9a-f]{12}$/);
    assert.deepEqual(locatedLinuxImage({ path: image }), first);
    await disk("debian.qcow2", "-f", "qcow2", "3G");
    assert.notDeepEqual(locatedLinuxImage({ path: image }), first);
  });

  for (const [name, make] of [
    ["raw", () => rawDisk("a.raw")],
    ["VHDX", () => disk("a.vhdx", "-f", "vhdx", "2G")],
  ] as const) {
    it(`is converted where it is ${name}`, async () => {
      const source = await make();
      const { convertedDisks } = await prepared({ path: source });
      const made = convertedDisks?.[source];
      assert.ok(made);
      assert.equal(made.hash, (await sha256OfFile(source)).slice(0, 12));
      assert.equal(made.size, statSync(source).size);
      assert.equal(diskFormatOf(made.path), "qcow2");
      await execa("qemu-img", ["compare", "-q", source, made.path]);
    });
  }

  const located: readonly [what: string, make: () => Promise<string>, is: string][] = [
    ["missing", () => Promise.resolve(at("none")), "missing"],
    ["a folder", () => Promise.resolve(at()), "unreadable"],
    [
      "an overlay",
      () => disk("overlay", "-f", "qcow2", "-b", "none", "-F", "raw", "-u", "2G"),
      "unsafe",
    ],
    ["a text", () => file("a.txt", 0, [0, "Debian"]), "no disk"],
    ["raw and not converted", () => rawDisk("a.raw"), "not prepared"],
  ];
  for (const [what, make, is] of located) {
    it(`is ${is} where it is ${what}`, async () => {
      const image = { path: await make() };
      assert.equal(locatedLinuxImage(image), is);
      assert.equal((await gatherLinuxArtifacts(settings(image)))?.image, is);
    });
  }

  it("is not prepared where nobody has downloaded it", () => {
    const url = "https://cloud.example.com/none.qcow2";
    assert.equal(locatedLinuxImage({ url, sha256: "0".repeat(64) }), "not prepared");
  });

  it("is reported with its size, or with the checksum that it has instead", async () => {
    const image = await disk("debian.qcow2", "-f", "qcow2", "2G");
    const sha256 = await sha256OfFile(image);
    const reported = async (wanted: string | undefined) =>
      (await gatherLinuxArtifacts(settings({ path: image, sha256: wanted })))?.image;
    assert.deepEqual(await reported(undefined), { virtualGiB: 2 });
    assert.deepEqual(await reported(sha256), { virtualGiB: 2 });
    assert.deepEqual(await reported("0".repeat(64)), { wrongSha256: sha256 });
  });

  it("is not looked at where no node needs it", async () => {
    const none = { ...settings({ path: at("none") }), linuxNodes: [] };
    assert.equal(await gatherLinuxArtifacts(none), undefined);
  });

  it("is refused where it is too small", async () => {
    const path = await disk("small.qcow2", "-f", "qcow2", "100M");
    await assert.rejects(
      prepared({ path }),
      /is a disk of 0\.1 GiB, which is too small for a cloud image of Debian or Ubuntu/,
    );
  });
});
