import { xmlText } from "../../host/xml-text.ts";

/** Width of a letter, for fonts that are wide: where text is broken, and boxes end. */
const letterWidth = 6.5;
/** From one line of small text to the next. */
export const lineHeight = 16;

/** Where something is; whole numbers. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A box; its class says its colours. */
export function box({ x, y, width, height }: Place, kind: string, radius = 6): Xml {
  return element("rect", { class: kind, x, y, width, height, rx: radius });
}

/** A line of text; `name` is bold, `small` is not. */
export function label(x: number, y: number, text: string, kind: "name" | "small"): Xml {
  return element("text", { class: kind, x, y }, text);
}

/** Lines of small text from here downward. */
export function labels(x: number, y: number, lines: readonly string[]): readonly Xml[] {
  return lines.map((line, at) => label(x, y + at * lineHeight, line, "small"));
}

/** Room that a small text takes at most. */
export function widthOf(text: string): number {
  return Math.ceil(text.length * letterWidth);
}

/** Text in lines that fit into a width; a word that is longer has a line of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  const most = Math.floor(width / letterWidth);
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

/** A piece of XML that is well-formed. */
export interface Xml {
  readonly xml: string;
}

/** Attributes; those without a value are left out. */
type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element; texts in it are escaped. */
export function element(name: string, attributes: Attributes, ...content: (Xml | string)[]): Xml {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${xmlText(String(value))}"`)
    .join("");
  if (content.length === 0) return { xml: `<${name}${written}/>` };
  const inner = content.map((each) => (typeof each === "string" ? xmlText(each) : each.xml));
  // Only elements may be broken into lines: in a text, a line break is a space.
  const nested = content.every((each) => typeof each !== "string");
  return {
    xml: nested
      ? `<${name}${written}>\n${inner.join("\n").replaceAll(/^/gm, "  ")}\n</${name}>`
      : `<${name}${written}>${inner.join("")}</${name}>`,
  };
}
