import { Document, LineCounter, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { YAMLMap } from "yaml";

import { Failure } from "../../host/failure.ts";
import { parseJson } from "../../toolchain/parse-json.ts";

/** Lists of named entries in a kubeconfig, in the order of removal, and `kubectl config`'s word for an entry. */
export const sections = { contexts: "context", clusters: "cluster", users: "user" } as const;

export type Section = keyof typeof sections;

export const sectionNames = Object.keys(sections) as readonly Section[];

/**
 * Parses a kubeconfig to be changed and written again with its comments and unknown fields.
 *
 * @param file the name for errors, which do not show the content because it has keys.
 * @throws Failure if it is not a kubeconfig.
 */
export function readConfig(text: string, file: string): Document {
  const lines = new LineCounter();
  // Pretty errors would show the surrounding lines, which may contain a key.
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    const { line, col } = lines.linePos(mistake.pos[0]);
    throw damaged(file, `it is not YAML at line ${line}, column ${col} (${mistake.code})`);
  }
  if (document.contents === null || (isScalar(document.contents) && !document.contents.value)) {
    const empty = new Document({ apiVersion: "v1", kind: "Config" });
    empty.commentBefore = document.commentBefore;
    return empty;
  }
  if (!isMap(document.contents)) throw damaged(file, "it is not a mapping");
  for (const section of sectionNames) {
    const list = document.get(section);
    const isNone = list === undefined || list === null || (isScalar(list) && list.value === null);
    const isList = isSeq(list) && list.items.every((item) => isMap(item) && item.has("name"));
    if (!isNone && !isList) {
      throw damaged(file, `\`${section}\` is not a list of entries that have a name`);
    }
  }
  return document;
}

/** The text of a changed kubeconfig, in the style of `before`. */
export function writeConfig(document: Document, before: string): string {
  if (parseJson(before) !== undefined)
    return `${JSON.stringify(document.toJSON(), undefined, 2)}\n`;
  const indentSeq = !/^(?:clusters|contexts|users):[ \t]*\r?\n-/m.test(before);
  const flowCollectionPadding = !/\{\S/.test(before);
  return document.toString({ lineWidth: 0, indentSeq, flowCollectionPadding });
}

export function entriesOf(document: Document, section: Section): readonly YAMLMap[] {
  const list = document.get(section);
  return isSeq(list) ? list.items.filter((item) => isMap(item)) : [];
}

/** Replaces the first entry of the same name and removes others, or appends the entry. */
export function putEntry(
  document: Document,
  section: Section,
  entry: Readonly<Record<string, unknown>> & { readonly name: string },
): void {
  const list = document.get(section);
  if (!isSeq(list)) {
    document.set(section, document.createNode([entry]));
    return;
  }
  const at = list.items.findIndex((item) => isMap(item) && item.get("name") === entry.name);
  takeEntries(document, section, (item) => item.get("name") === entry.name);
  list.items.splice(at === -1 ? list.items.length : at, 0, document.createNode(entry));
}

/** Removes entries. @returns their names */
export function takeEntries(
  document: Document,
  section: Section,
  which: (entry: YAMLMap) => boolean,
): readonly string[] {
  const gone = new Set<unknown>(entriesOf(document, section).filter(which));
  const list = document.get(section);
  if (isSeq(list)) list.items = list.items.filter((item) => !gone.has(item));
  return [...(gone as ReadonlySet<YAMLMap>)].map((item) => String(item.get("name")));
}

/** Unsets kubectl's current context when it no longer exists. */
export function unsetMissingCurrent(document: Document, instead?: string): void {
  const names = entriesOf(document, "contexts").map((entry) => entry.get("name"));
  const current = document.get("current-context");
  if (current === undefined || current === "" || names.includes(current)) return;
  document.set("current-context", instead !== undefined && names.includes(instead) ? instead : "");
}

function damaged(file: string, why: string): Failure {
  return new Failure(
    `${file} is not a kubeconfig, and was not changed: ${why}. Repair it, or name another file in KUBECONFIG`,
  );
}
