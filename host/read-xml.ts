import { XMLParser } from "fast-xml-parser";

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly elements: readonly XmlElement[];
  readonly text: string;
}

/** An element in the parser's form: its content under its name, and its attributes under `:@`. */
type Parsed = Readonly<Record<string, unknown>>;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  preserveOrder: true,
  // This also enables numeric references.
  htmlEntities: true,
});

/** Parses any number of concatenated XML documents, which become the elements of the result. */
export function readXml(text: string): XmlElement {
  const [all = {}] = parser.parse(`<all>${text}</all>`) as readonly Parsed[];
  return elementOf(all);
}

export function below(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  return path.reduce<readonly XmlElement[]>(
    (found, name) => found.flatMap(({ elements }) => elements.filter((each) => each.name === name)),
    [element],
  );
}

function elementOf(parsed: Parsed): XmlElement {
  const [name = ""] = Object.keys(parsed);
  const content = (parsed[name] ?? []) as readonly Parsed[];
  return {
    name,
    attributes: (parsed[":@"] ?? {}) as XmlElement["attributes"],
    elements: content.filter((each) => !("#text" in each)).map(elementOf),
    text: content.map((each) => (each["#text"] ?? "") as string).join(""),
  };
}
