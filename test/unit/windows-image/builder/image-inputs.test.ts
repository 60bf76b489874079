import assert from "node:assert/strict";
import { rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Bake } from "../../../../components/windows/image/bake.ts";
import { enableContainersFeature } from "../../../../components/windows/steps.ts";
import { imageInputs } from "../../../../components/windows/image/builder/image-inputs.ts";
import { MediaError } from "../../../../components/machine/disk/media-error.ts";
import {
  openSshArchive,
  virtioDrivers,
} from "../../../../components/windows/image/pinned-media.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import { Cache } from "../../../../toolchain/cache.ts";
import { inNewFolder } from "../../new-folder.ts";

const productKey = "AAAAA-BBBBB-CCCCC-DDDDD-EEEEE";
const sha = "a".repeat(64);

describe("what goes into an image", () => {
  const at = inNewFolder();
  const cache = new Cache(at("cache"));

  before(async () => {
    for (const name of ["windows.iso", "virtio.iso", "OpenSSH-Win64.zip", "other.iso"]) {
      await writeFile(at(name), name);
    }
  });

  const inputs = (
    image: object = {},
    version = "2022",
    steps: Bake["steps"] = [],
  ): Promise<Readonly<Record<string, string>>> =>
    imageInputs(
      resolveSettings(
        {
          windows: {
            version,
            image: {
              kind: "iso",
              path: at("windows.iso"),
              drivers: { path: at("virtio.iso") },
              openSsh: { path: at("OpenSSH-Win64.zip") },
              ...image,
            },
          },
        },
        { stack: "dev", file: "Pulumi.dev.yaml" },
      ).windows,
      () => ({ steps }),
      cache,
    );

  const others: readonly (readonly [what: string, change: () => object])[] = [
    ["another ISO", () => ({ path: at("other.iso") })],
    ["another edition", () => ({ edition: "datacenter-desktop" })],
    ["another language", () => ({ language: "de-DE" })],
    ["another firmware", () => ({ firmware: "uefi" })],
    ["a product key", () => ({ productKey })],
    ["other drivers", () => ({ drivers: { path: at("other.iso") } })],
    ["another OpenSSH", () => ({ openSsh: { path: at("other.iso") } })],
    ["an update", () => ({ update: { path: at("other.iso") } })],
  ];
  for (const [what, change] of others) {
    it(`differs with ${what}`, async () =>
      assert.notDeepEqual(await inputs(change()), await inputs()));
  }

  it("differs with what is done in it of what its nodes need", async () => {
    const step = (seconds: number): Bake["steps"] => [
      { step: enableContainersFeature, parameters: { RebootDelaySeconds: seconds } },
    ];
    const found = await Promise.all(
      [[], step(1), step(2)].map((steps) => inputs({}, "2022", steps)),
    );
    assert.equal(new Set(found.map(({ bake }) => bake)).size, 3);
  });

  it("is the same wherever the same files lie, and holds no key", async () => {
    await writeFile(at("moved.iso"), "windows.iso");
    assert.deepEqual(await inputs({ path: at("moved.iso") }), await inputs());
    assert.ok(!JSON.stringify(await inputs({ productKey })).includes(productKey));
  });

  it("has every script", async () => {
    const names = Object.keys(await inputs());
    assert.ok(names.includes("script Complete-Image.ps1"));
    assert.ok(names.includes("script lib/Sealing.ps1"));
    assert.ok(names.includes("script Install-Containerd.ps1"));
  });

  it("needs no file that is known by its checksum", async () => {
    const gone = { path: at("gone.iso"), sha256: sha };
    assert.equal((await inputs(gone))["medium windows"], sha);
  });

  it("notices a file that changed", async () => {
    const file = at("changing.iso");
    await writeFile(file, "before");
    const before = await inputs({ path: file });
    await writeFile(file, "after!");
    await utimes(file, new Date(), new Date(Date.now() + 5000));
    assert.notDeepEqual(await inputs({ path: file }), before);
  });

  it("names every file that is not there, at once", async () => {
    await writeFile(at("short-lived.iso"), "x");
    await rm(at("short-lived.iso"));
    const image = { path: at("short-lived.iso"), drivers: { path: at("no-drivers.iso") } };
    await assert.rejects(inputs(image), (error) => {
      assert.ok(error instanceof MediaError);
      assert.deepEqual(
        error.problems.map(({ subject, why }) => [path.basename(subject), why]),
        [
          ["short-lived.iso", "does not exist"],
          ["no-drivers.iso", "does not exist"],
        ],
      );
      return true;
    });
  });

  it("has the pinned media where the settings leave them open", async () => {
    const found = await inputs({ drivers: {}, openSsh: {} });
    assert.deepEqual(
      [found["medium drivers"], found["medium openSsh"]],
      [virtioDrivers.sha256, openSshArchive.sha256],
    );
  });
});
