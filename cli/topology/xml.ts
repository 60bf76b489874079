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
    .map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
    .join("");
  if (content.length === 0) return { xml: `<${name}${written}/>` };
  const inner = content.map((each) => (typeof each === "string" ? escaped(each) : each.xml));
  // Only elements may be broken into lines: in a text, a line break is a space.
  const nested = content.every((each) => typeof each !== "string");
  return {
    xml: nested
      ? `<${name}${written}>\n${inner.join("\n").replaceAll(/^/gm, "  ")}\n</${name}>`
      : `<${name}${written}>${inner.join("")}</${name}>`,
  };
}

/** Also without characters that XML does not know, escaped or not. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "?")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
