import { xmlText } from "../../host/xml-text.ts";

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
