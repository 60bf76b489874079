import { Document, isMap, isScalar, visit } from "yaml";
import { metaAt } from "../../config/schema-paths.ts";
import { settingsSchema } from "../../config/settings.ts";
import { namespace } from "../../config/stack-sections.ts";
import type { Sections } from "./new-stack.ts";

const width = 110;

/** A settings file with a comment above each setting: the first sentence of its description in docs/settings.md. */
export function stackFile(stack: string, sections: Sections): string {
  const config = Object.fromEntries(
    Object.entries(sections).map(([section, value]) => [`${namespace}:${section}`, value]),
  );
  const document = new Document({ config });
  visit(document, {
    Pair(_, pair, path) {
      const { key } = pair;
      if (!isScalar(key)) return;
      const keys = path.flatMap((above) => ("key" in above ? keyOf(above.key) : []));
      const [, section = keyOf(key)[0] ?? "", ...rest] = [...keys, ...keyOf(key)];
      const isInList = path.some((above) => !isMap(above) && "items" in above);
      const at = [section.replace(`${namespace}:`, ""), ...rest];
      if (keys.length === 0 || isInList) return;
      const { description } = metaAt(settingsSchema, sections, at);
      if (description !== undefined) key.commentBefore = wrapped(firstSentence(description));
      if (keys.length === 1) key.spaceBefore = true;
    },
  });
  const lines = document.toString({ lineWidth: 0 }).replace(/^config:\n *\n/, "config:\n");
  return `# yaml-language-server: $schema=kindows-schema.json
# The lab ${stack}, written by \`kindows init\`. All settings and their defaults: docs/settings.md
${lines}`;
}

function keyOf(key: unknown): string[] {
  return isScalar(key) && typeof key.value === "string" ? [key.value] : [];
}

/** Up to the first full stop that ends a sentence; `e.g.` and version numbers go on. */
export function firstSentence(text: string): string {
  const plain = text.replaceAll("`", "");
  return /^.*?(?<!\be\.g|\bi\.e)\.(?= [A-Z]|$)/s.exec(plain)?.[0] ?? plain;
}

function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1) ?? ""} ${word}`;
    if (line.length > width) lines.push(` ${word}`);
    else lines[lines.length - 1] = line;
  }
  return lines.join("\n");
}
