import { xmlText } from "../../../host/xml-text.ts";

/** An element of an XML document: text, or further elements. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string | readonly XmlElement[];
}

/** An element without attributes. */
export function element(name: string, content: XmlElement["content"]): XmlElement {
  return { name, attributes: {}, content };
}

/** A document, indented, with line ends as Windows writes them. */
export function renderXml(root: XmlElement): string {
  return ['<?xml version="1.0" encoding="utf-8"?>', ...lines(root, ""), ""].join("\r\n");
}

function lines({ name, attributes, content }: XmlElement, indent: string): string[] {
  const start = [
    name,
    ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(value)}"`),
  ].join(" ");
  return typeof content === "string"
    ? [`${indent}<${start}>${escaped(content)}</${name}>`]
    : [
        `${indent}<${start}>`,
        ...content.flatMap((child) => lines(child, `${indent}  `)),
        `${indent}</${name}>`,
      ];
}

/** @throws for characters that are invalid in XML. */
function escaped(text: string): string {
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text)) {
    throw new Error("a value has control characters, which XML cannot hold");
  }
  return xmlText(text).replaceAll("\r", "&#13;").replaceAll("\n", "&#10;");
}
