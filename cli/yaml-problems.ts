import { isCollection, isScalar, visit } from "yaml";
import type { Document, LineCounter, YAMLError } from "yaml";

import type { Complaint, SettingsProblem } from "../config/problem.ts";

/** Descriptions of common faults, by the library's code. */
const known: Readonly<Record<string, Complaint>> = {
  TAB_AS_INDENT: { why: "is indented with a tab", instead: "Indent it with blanks." },
  BAD_INDENT: {
    why: "is not indented as its neighbours are, or as what it belongs to",
    instead: "Indent it with as many blanks as they are.",
  },
  DUPLICATE_KEY: {
    why: "is there twice",
    instead: "Leave one of the two out, or put all below one.",
  },
  BLOCK_AS_IMPLICIT_KEY: {
    why: "has two keys on one line",
    instead: "Write one `key: value` a line, or put a value with a colon in quotes.",
  },
  MISSING_CHAR: {
    why: "has no end: a quote, a bracket, a comma or a colon is missing",
    instead: "Add it.",
  },
  MULTILINE_IMPLICIT_KEY: {
    why: "has no colon",
    instead: "Write `key: value`, or indent it as a part of the value before.",
  },
  MULTIPLE_DOCS: {
    why: "begins a second document, which nothing reads",
    instead: "Leave this line out, and have every setting once.",
  },
};

/** Git's conflict markers. */
const conflict = /^(<{7}|={7}|>{7})( |$)/;
const merge: Complaint = {
  why: "is what git leaves of a conflict",
  instead: "Choose one of the two sides, and remove the three lines.",
};

/** Problems of a text that is not YAML, one per line. */
export function yamlProblems(
  document: Document.Parsed,
  text: string,
  counter: LineCounter,
): SettingsProblem[] {
  const lines = text.split("\n");
  const seen = new Set<number>();
  return withoutConsequences(document.errors).flatMap((error) => {
    const start = startOf(document, error.pos[0]);
    const { line, col } = counter.linePos(start);
    const code = start < error.pos[0] ? "MISSING_CHAR" : error.code;
    // Further problems on the same line follow from the first.
    if (seen.has(line)) {
      return [];
    }
    seen.add(line);
    const written = (lines[line - 1] ?? "").trim();
    return [
      {
        // The key, if it can be recognized: it decides whether the value may be shown.
        path: [/^[-\s]*([\w:.]+)\s*:/.exec(written)?.[1] ?? ""],
        place: `line ${line}, column ${col}`,
        value: written,
        ...((conflict.test(written) ? merge : known[code]) ?? {
          why: `is not YAML: ${error.message.split("\n")[0]?.replace(/[.:]$/, "") ?? ""}`,
          instead: "Write it as in Pulumi.rehearsal.yaml, or put the value in quotes.",
        }),
      },
    ];
  });
}

/** If there are tabs, nothing else can be said about the lines around them. */
function withoutConsequences(errors: readonly YAMLError[]): readonly YAMLError[] {
  const tabs = errors.filter(({ code }) => code === "TAB_AS_INDENT");
  return tabs.length > 0 ? tabs : errors;
}

/** Start of the unterminated element at `position`: the library only notices its end. */
function startOf(document: Document.Parsed, position: number): number {
  let start = position;
  visit(document, {
    Node(_, node) {
      const open =
        (isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE")) ||
        (isCollection(node) && node.flow === true);
      if (open && node.range && node.range[0] < position && position <= node.range[1]) {
        start = node.range[0];
      }
    },
  });
  return start;
}
