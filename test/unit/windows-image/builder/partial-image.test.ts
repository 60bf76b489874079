import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PartialImage } from "../../../../components/windows/image/builder/partial-image.ts";
import { Cache } from "../../../../toolchain/cache.ts";
import { inNewFolder } from "../../new-folder.ts";
import { eachCase } from "../../each-case.ts";

const address = "windows-image-0123456789abcdef";
const key = { private: "private", public: "public" };
const secrets = { administratorPassword: "password", hostKey: key, loginKey: key };

describe("the disk of an image that is being made", () => {
  let at: ReturnType<typeof inNewFolder>;
  let cache: Cache;
  let partial: PartialImage;
  const stateFile = (): string => path.join(cache.partialFolder, address, "state.json");

  beforeEach(async () => {
    at = inNewFolder();
    cache = new Cache(at());
    partial = new PartialImage(cache, address);
    assert.equal(await partial.cutOff(), undefined);
    await partial.begin();
    writeFileSync(partial.disk, "half a disk");
  });

  it("is not gone on with before Windows is set up", async () => {
    assert.equal(await partial.kept(), undefined);
    assert.equal(await partial.cutOff(), "in Setup");
  });

  it("is gone on with from there, with its keys, which nobody else may read", async () => {
    await partial.keep(secrets, at());
    assert.deepEqual(await partial.kept(), secrets);
    assert.equal(await partial.cutOff(), "while the nodes' steps ran");
    assert.equal(statSync(path.dirname(partial.disk)).mode & 0o777, 0o700);
    assert.equal(statSync(stateFile()).mode & 0o777, 0o600);
  });

  it("keeps the variables of its UEFI", async () => {
    writeFileSync(at("uefi-variables.fd"), "boots Windows");
    await partial.keep(secrets, at());
    assert.equal(readFileSync(partial.uefiVariables, "utf8"), "boots Windows");
    assert.equal(statSync(partial.uefiVariables).mode & 0o777, 0o600);
  });

  it("is not gone on with when it is being sealed, and its keys are gone", async () => {
    await partial.keep(secrets, at());
    await partial.withdraw();
    assert.equal(await partial.kept(), undefined);
    assert.ok(!existsSync(stateFile()));
  });

  const changed: Readonly<Record<string, () => void>> = {
    "of another image": () => edit(address, "windows-image-fedcba9876543210"),
    "of an earlier boot of this host": () => edit(/"bootId":"[^"]+"/, '"bootId":"other"'),
    "whose state is cut off": () => writeFileSync(stateFile(), '{"address":"'),
    "that is gone": () => rmSync(partial.disk),
  };
  function edit(from: string | RegExp, to: string): void {
    writeFileSync(stateFile(), readFileSync(stateFile(), "utf8").replace(from, to));
  }
  eachCase("is not gone on with: one %s", changed, async (change) => {
    await partial.keep(secrets, at());
    change();
    assert.equal(await partial.kept(), undefined);
  });

  it("leaves nothing behind", async () => {
    await partial.keep(secrets, at());
    await partial.remove();
    assert.equal(await partial.cutOff(), undefined);
    assert.ok(!existsSync(path.dirname(partial.disk)));
  });
});
