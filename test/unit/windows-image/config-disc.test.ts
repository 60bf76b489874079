import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { discNameProblems, withConfigDisc } from "../../../components/windows/image/config-disc.ts";
import { extractFiles, findFile, listDisc } from "../../../components/windows/image/disc.ts";
import { inNewFolder } from "../new-folder.ts";

describe("config disc", () => {
  const at = inNewFolder();
  before(() => writeFileSync(at("driver.sys"), "a driver"));

  const content = (): Parameters<typeof withConfigDisc>[1] => ({
    "Autounattend.xml": { text: "<unattend/>" },
    "drivers/NetKVM/A driver with a long name, 2k22.sys": { file: at("driver.sys") },
    "kindows/ssh/ssh_host_ed25519_key": { text: "secret" },
    "kindows/empty": { text: "" },
  });

  it("has every file under its name, the answer file in its root, where Setup looks", async () => {
    await withConfigDisc(at("work"), content(), async (iso) => {
      const disc = await listDisc(iso);
      assert.deepEqual(disc.files.map((file) => file.path).sort(), Object.keys(content()).sort());
      await extractFiles(disc, disc.files, at("out"));
      assert.equal(readFileSync(at("out/Autounattend.xml"), "utf8"), "<unattend/>");
      assert.equal(
        readFileSync(at("out/drivers/NetKVM/A driver with a long name, 2k22.sys"), "utf8"),
        "a driver",
      );
      const { stdout } = await execa("isoinfo", ["-d", "-i", iso]);
      assert.match(stdout, /Volume id: KINDOWS/);
      assert.match(stdout, /Joliet with UCS level 3 found/);
      // As a Windows sees it: through Joliet.
      const joliet = await execa("isoinfo", ["-J", "-f", "-i", iso]);
      assert.match(joliet.stdout, /^\/drivers\/NetKVM\/A driver with a long name, 2k22\.sys$/m);
    });
  });

  it("is for its owner alone, holds no texts beside it, and is gone after", async () => {
    let where = "";
    await withConfigDisc(at("work"), content(), (iso) => {
      where = path.dirname(iso);
      assert.equal(statSync(iso).mode & 0o777, 0o600);
      assert.equal(statSync(where).mode & 0o777, 0o700);
      assert.deepEqual(readdirSync(where), ["config.iso"]);
      return Promise.resolve();
    });
    assert.equal(existsSync(where), false);
    await assert.rejects(
      withConfigDisc(at("work"), content(), (iso) => {
        where = path.dirname(iso);
        return Promise.reject(new Error("the build failed"));
      }),
      /the build failed/,
    );
    assert.equal(existsSync(where), false);
    assert.deepEqual(readdirSync(at("work")), []);
  });

  it("is not made of what could not be on it, or is not there", async () => {
    const work = (): Promise<never> => assert.fail("a disc was made");
    await assert.rejects(
      withConfigDisc(at("work"), { "a/x.xml": { text: "" }, "A/X.XML": { text: "" } }, work),
      /^Error: these files can't be on a disc:\n {2}- "A\/X\.XML" is "a\/x\.xml" to Windows$/,
    );
    await assert.rejects(
      withConfigDisc(at("work"), { "a.sys": { file: at("gone.sys") } }, work),
      /ENOENT/,
    );
    assert.deepEqual(readdirSync(at("work")), []);
  });

  it("that is damaged is noticed when it is read", async () => {
    const disc = await listDisc(await keptDisc());
    const file = findFile(disc, "kindows/ssh/ssh_host_ed25519_key");
    assert.ok(file !== undefined);
    await assert.rejects(
      extractFiles(disc, [{ ...file, bytes: 7 }], at("damaged")),
      /could not be read whole/,
    );
  });

  async function keptDisc(): Promise<string> {
    await withConfigDisc(at("work"), content(), async (iso) => {
      await execa("cp", [iso, at("kept.iso")]);
    });
    return at("kept.iso");
  }

  const name64 = `${"n".repeat(60)}.xml`;
  const bad: readonly (readonly [string, number, RegExp])[] = [
    [`${name64}x`, 1, /has 65 characters, more than 64/],
    [`${"f".repeat(64)}/`.repeat(4) + "x", 1, /has 261 characters, more than 240/],
    ["1/2/3/4/5/6/7/8/9", 1, /is 9 names deep, more than 8/],
    ["large.wim", 4 * 1024 ** 3, /more than 4 GiB/],
    ["a//b", 1, /is no name/],
    ["../b", 1, /is no name/],
    ["a:b", 1, /has a character that no name may have/],
    ["what?.txt", 1, /has a character that no name may have/],
    ["blank ", 1, /ends with a blank or a dot/],
    ["dot.", 1, /ends with a blank or a dot/],
    ["drivers/aux.inf", 1, /is a device to Windows/],
    ["COM1", 1, /is a device to Windows/],
  ];
  for (const [name, bytes, why] of bad) {
    it(`can't have a file named ${name.slice(0, 30)}, of ${bytes} bytes`, () =>
      assert.match(discNameProblems([{ path: name, bytes }]).join("\n"), why));
  }

  for (const name of [name64, "1/2/3/4/5/6/7/8", "console.inf", ".hidden", "a,b", "\u00fc.txt"]) {
    it(`may have a file named ${name.slice(0, 30)}`, () =>
      assert.deepEqual(discNameProblems([{ path: name, bytes: 4 * 1024 ** 3 - 2048 }]), []));
  }
});
