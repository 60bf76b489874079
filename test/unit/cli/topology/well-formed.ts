/** A tag, a text or what is none; attributes quoted, entities known. */
const token =
  /<\/([A-Za-z][\w:-]*)>|<([A-Za-z][\w:-]*)((?:\s+[A-Za-z_][\w:-]*="(?:[^<&"]|&(?:amp|lt|gt|quot);)*")*)\s*(\/?)>|((?:[^<&]|&(?:amp|lt|gt|quot);)+)/y;

/** What XML of elements, attributes and texts is made of. */
export interface ReadXml {
  readonly elements: readonly { readonly name: string; readonly attributes: string }[];
  /** Texts, as they are read. */
  readonly texts: readonly string[];
}

/** @throws where it is not well-formed. */
export function readXml(xml: string): ReadXml {
  const open: string[] = [];
  const elements: { name: string; attributes: string }[] = [];
  const texts: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const found = token.exec(xml);
    if (found === null) throw new Error(`no XML at ${at}: ${xml.slice(at, at + 60)}`);
    const [, closed, name, attributes = "", selfClosed, text] = found;
    if (closed !== undefined) {
      const last = open.pop();
      if (last !== closed) throw new Error(`</${closed}> closes <${last ?? "nothing"}> at ${at}`);
    } else if (name !== undefined) {
      const keys = [...attributes.matchAll(/([\w:-]+)="/g)].map(([, key]) => key);
      if (new Set(keys).size < keys.length) throw new Error(`an attribute twice at ${at}`);
      if (open.length === 0 && elements.length > 0) throw new Error(`a second root at ${at}`);
      elements.push({ name, attributes });
      if (selfClosed === "") open.push(name);
    } else if (text !== undefined) {
      if (open.length === 0 && text.trim() !== "") throw new Error(`text outside at ${at}`);
      texts.push(
        text
          .replaceAll("&lt;", "<")
          .replaceAll("&gt;", ">")
          .replaceAll("&quot;", '"')
          .replaceAll("&amp;", "&"),
      );
    }
  }
  if (open.length > 0) throw new Error(`<${open.join("><")}> stay open`);
  return { elements, texts };
}
