import { LineCounter, parseDocument } from "yaml";

/** The value of a text in YAML or JSON, or what is wrong with it, as the rest of a sentence. */
type ReadYaml = { readonly value: unknown } | { readonly why: string };

/** Reads YAML that others have written. Of a wrong text only the line and a repeated key are shown, never a value. */
export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter();
  // Pretty errors would show the surrounding lines.
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    const { line, col } = lines.linePos(mistake.pos[0]);
    const [key = ""] = /^[\w./-]*/.exec(text.slice(mistake.pos[0])) ?? [];
    const what =
      mistake.code === "DUPLICATE_KEY"
        ? `the key ${key} twice in one mapping, the second time`
        : `no valid YAML (${mistake.code})`;
    return { why: `has ${what} at line ${line}, column ${col}` };
  }
  try {
    return { value: document.toJS() as unknown };
  } catch {
    return { why: "has more aliases than a configuration needs" };
  }
}
