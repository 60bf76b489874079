import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { existingSchema } from "../../../config/existing.ts";
import { settingsSchema } from "../../../config/settings.ts";
import { scriptSeconds } from "../../../components/windows/node-step.ts";
import { nodeSteps } from "../../../components/windows/steps.ts";
import { documents, repository } from "./documented-commands.ts";

const read = (file: string): string => readFileSync(path.join(repository, file), "utf8");

/** What a link to a heading ends with. */
function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("the documents name only what there is", () => {
  it("files and headings that they link to", () => {
    const broken = documents.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = ""]) => link)
        .filter((link) => {
          const [file = "", anchor] = link.split("#");
          const target = file === "" ? page : path.join(path.dirname(page), file);
          return (
            !/^https?:/.test(link) &&
            !(
              existsSync(path.join(repository, target)) &&
              (anchor === undefined || anchorsOf(target).includes(anchor))
            )
          );
        })
        .map((link) => `${page}: ${link}`),
    );
    assert.deepEqual(broken, []);
  });

  it("tests that hold what SECURITY.md promises: at least one for each promise", () => {
    const promises = read("SECURITY.md").split("\n## ")[1]?.split("\n- ").slice(1) ?? [];
    assert.ok(promises.length > 8);
    const unheld = promises.filter((promise) => {
      const tests = [...promise.matchAll(/`(test\/\S+)`/g)].map(([, file = ""]) => file);
      return tests.length === 0 || !tests.every((file) => existsSync(path.join(repository, file)));
    });
    assert.deepEqual(unheld, []);
  });

  it("in tables that can be read as they are: no row is wider than 160 characters", () => {
    const wide = documents.flatMap((page) =>
      read(page)
        .split("\n")
        .filter((line) => line.startsWith("|") && line.length > 160)
        .map((line) => `${page}: ${line.slice(0, 60)}`),
    );
    assert.deepEqual(wide, []);
  });

  it("settings", () => {
    const rows = read("docs/settings.md");
    const sections = [
      "stack",
      ...Object.keys({ ...settingsSchema.shape, ...existingSchema.shape }),
    ];
    const unknown = documents.flatMap((page) =>
      [...read(page).matchAll(/`kindows:([A-Za-z]+)(?:\.([A-Za-z]+))?/g)]
        .filter(
          ([, section = "", key]) =>
            !sections.includes(section) ||
            (key !== undefined && !new RegExp(`^- (.*, )?\`${key}(?![A-Za-z])`, "m").test(rows)),
        )
        .map(([setting]) => `${page}: ${setting}`),
    );
    assert.deepEqual(unknown, []);
  });

  it("docs/how-to-extend.md: files and folders, but for those with a name to be given", () => {
    const text = read("docs/how-to-extend.md");
    const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(([, file = ""]) => file);
    assert.ok(named.length > 30, `${named.length} found`);
    const below = ["", "components/windows", "components/cni", "test/unit/rehearsal/machine"];
    for (const file of named) {
      const found = below.some((folder) => existsSync(path.join(repository, folder, file)));
      assert.ok(found || file === "golden/", file);
    }
  });

  it("docs/windows-traps.md: code and tests", () => {
    const text = read("docs/windows-traps.md");
    const named = [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|ps1))`/g)].flatMap(
      ([, file = ""]) => file,
    );
    assert.ok(named.length > 200, `${named.length} found`);
    const below = ["", "components/windows/steps", "test"];
    const missing = named.filter(
      (file) => !below.some((folder) => existsSync(path.join(repository, folder, file))),
    );
    assert.deepEqual(missing, []);
  });

  it("components/windows/README.md: every step of a node, in their order, with their limits", () => {
    const rows = [
      ...read("components/windows/README.md").matchAll(/^\| `-([a-z-]+)`.* (\d+) s +\|$/gm),
    ];
    assert.deepEqual(
      rows.map(([, name, seconds]) => [name, Number(seconds)]),
      nodeSteps.map((step) => [step.name.toLowerCase(), scriptSeconds(step)]),
    );
  });

  it("docs/troubleshooting.md: every code of a step, and no other", () => {
    const table = read("components/windows/steps/lib/Step.ps1");
    const codes = [...table.matchAll(/^ {4}(\w+) += \d+$/gm)].map(([, code = ""]) => code);
    assert.ok(codes.length > 20);
    const part = read("docs/troubleshooting.md").split("## Codes of the Windows steps")[1] ?? "";
    const heads = (part.split("\n## ")[0] ?? "").matchAll(/^- \*\*(.*?)\*\*/gm);
    const reported = [...heads].flatMap(([, head = ""]) =>
      [...head.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code),
    );
    assert.deepEqual(reported.toSorted(), codes.toSorted());
  });
});
