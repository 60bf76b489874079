import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { settingsSchema } from "../../../config/settings.ts";

const repository = path.resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(repository, file), "utf8");

const pages = ["README.md", "docs/cli.md", "docs/how-to-extend.md", "docs/troubleshooting.md"];

describe("the guides name only what there is", () => {
  for (const page of pages) {
    const text = read(page);

    it(`${page}: what it links to`, () => {
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
      for (const link of links.filter((each) => !/^(https?:|#)/.test(each))) {
        const [file = "", anchor] = link.split("#");
        const target = path.resolve(repository, path.dirname(page), file);
        assert.ok(existsSync(target), link);
        if (anchor === undefined) continue;
        const headings = [...readFileSync(target, "utf8").matchAll(/^#+ (.*)$/gm)];
        const anchors = headings.map(([, heading = ""]) =>
          heading
            .toLowerCase()
            .replaceAll(/[^\p{L}\p{N} -]/gu, "")
            .replaceAll(" ", "-"),
        );
        assert.ok(anchors.includes(anchor), link);
      }
    });

    it(`${page}: settings`, () => {
      for (const [, section = "", key] of text.matchAll(/`kindows:([a-z]+)(?:\.([A-Za-z]+))?/g)) {
        const schema = Object.entries(settingsSchema.shape).find(([name]) => name === section)?.[1];
        assert.ok(schema !== undefined, `kindows:${section}`);
        if (key === undefined) continue;
        assert.match(
          read("docs/settings.md"),
          new RegExp(`^\\| \`${key}(?![A-Za-z])`, "m"),
          `${section}.${key}`,
        );
      }
    });
  }

  it("docs/how-to-extend.md: files and folders, but for those with a name to be given", () => {
    const text = read("docs/how-to-extend.md");
    const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(([, file = ""]) => file);
    assert.ok(named.length > 30, `${named.length} found`);
    const below = ["", "components/windows", "components/cni", "test/unit/rehearsal-host"];
    for (const file of named) {
      const found = below.some((folder) => existsSync(path.join(repository, folder, file)));
      assert.ok(found || file === "golden/", file);
    }
  });

  it("docs/troubleshooting.md: every code of a step, and no other", () => {
    const table = read("components/windows/steps/lib/ExitCodes.ps1");
    const codes = [...table.matchAll(/^ {4}(\w+) += \d+$/gm)].map(([, code = ""]) => code);
    assert.ok(codes.length > 20);
    const part = read("docs/troubleshooting.md").split("## Codes of the Windows steps")[1] ?? "";
    const rows = (part.split("\n## ")[0] ?? "")
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    const told = rows.flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, code = ""]) => code),
    );
    assert.deepEqual(told.toSorted(), codes.toSorted());
  });
});
