import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { saveWimIndex } from "../../../components/windows/image/wim-index.ts";
import {
  parseWimInfo,
  readWindowsImages,
} from "../../../components/windows/image/windows-images.ts";
import { makeWim, serverImages } from "./real-media.ts";
import { inNewFolder } from "../new-folder.ts";

/** A file's content in pieces of some size. */
async function* pieces(file: string, size: number): AsyncGenerator<Buffer> {
  const content = readFileSync(file);
  for (let start = 0; start < content.length; start += size) {
    yield await Promise.resolve(content.subarray(start, start + size));
  }
}

describe("index of a WIM file", () => {
  const at = inNewFolder();
  const wim = at("install.wim");
  before(() => makeWim(wim, serverImages));

  for (const size of [1, 7, 208, 209, 4096, 1024 ** 2]) {
    it(`has the images of the whole, which came in pieces of ${size}`, async () => {
      const index = at(`index-${size}.wim`);
      await saveWimIndex(pieces(wim, size), statSync(wim).size, index);
      assert.deepEqual(await readWindowsImages(index), await readWindowsImages(wim));
      assert.equal((await readWindowsImages(index)).length, serverImages.length);
    });
  }

  it("says where a file ends that ends too soon", async () => {
    const { size } = statSync(wim);
    const cut = (async function* () {
      yield await Promise.resolve(readFileSync(wim).subarray(0, size - 100));
    })();
    await assert.rejects(saveWimIndex(cut, size, at("cut.wim")), {
      name: "NotAWim",
      message: `ends after ${size - 100} bytes`,
    });
  });

  it("what an image does not say is empty", () => {
    const text =
      "Available Images:\n-----------------\nIndex:                  1\nName:                   \n";
    assert.deepEqual(parseWimInfo(text), [
      {
        index: 1,
        name: "",
        editionId: "",
        installationType: "",
        architecture: "",
        build: 0,
        revision: 0,
        languages: [],
      },
    ]);
  });
});
