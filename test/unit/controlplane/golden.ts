import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { Document, stringify, visit } from "yaml";

/**
 * Compares text with a file in golden/. `UPDATE_GOLDEN=1` writes the file instead, so that git shows the difference.
 */
export function assertGolden(folder: URL, name: string, actual: string): void {
  const file = new URL(`golden/${name}`, folder);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    writeFileSync(file, actual);
  }
  assert.equal(actual, readFileSync(file, "utf8"));
}

/** The same for the texts of a table's cases, by the cases' names. */
export async function assertSaid<Case>(
  folder: URL,
  name: string,
  cases: Readonly<Record<string, Case>>,
  say: (one: Case) => unknown,
): Promise<void> {
  const said: Record<string, unknown> = {};
  for (const [title, one] of Object.entries(cases)) {
    said[title] = await say(one);
  }
  assertGolden(folder, name, stringify(said, { aliasDuplicateObjects: false, lineWidth: 0 }));
}

/** Objects as compact YAML for a golden file. */
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
