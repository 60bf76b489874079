import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { Document, visit } from "yaml";

/** Compares text with a file in golden/; `UPDATE_GOLDEN=1` writes it instead, for a look at the difference in git. */
export function assertGolden(folder: URL, name: string, actual: string): void {
  const file = new URL(`golden/${name}`, folder);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    writeFileSync(file, actual);
  }
  assert.equal(actual, readFileSync(file, "utf8"));
}

/** The same of what is said in each case of a table. */
export async function assertTexts<Case>(
  folder: URL,
  name: string,
  cases: Readonly<Record<string, Case>>,
  textOf: (one: Case) => string | Promise<string>,
): Promise<void> {
  const lines = Object.entries(cases).map(async ([title, one]) =>
    `${title}: ${await textOf(one)}\n`.replace(": \n", ":\n"),
  );
  assertGolden(folder, name, (await Promise.all(lines)).join(""));
}

/** Objects as YAML for a golden file: what fits on a line is on one. */
export function yamlText(...objects: readonly unknown[]): string {
  const documents = objects.map((each) => {
    const document = new Document(each, { aliasDuplicateObjects: false });
    visit(document, {
      Collection: (key, node) => {
        if (key === null || JSON.stringify(node.toJS(document)).length > 110) return undefined;
        node.flow = true;
        return visit.SKIP;
      },
    });
    return document.toString({ lineWidth: 0 });
  });
  return documents.join("---\n");
}
