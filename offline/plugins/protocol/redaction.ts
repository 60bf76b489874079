import {
  isList,
  isMap,
  isSecret,
  type PropertyMap,
  type PropertyValue,
  unwrap,
} from "./property-value.ts";

/** Shorter pieces are not hidden: they occur by chance, and hiding them would make a text unreadable. */
const SHORTEST_PIECE = 6;

const REDACTED = "[secret]";

/**
 * Returns a function that hides the properties' secrets in a text. Hides also each line of a secret with several
 * lines and each string of a JSON secret, because programs print such parts alone.
 */
export function redactor(properties: PropertyMap): (text: string) => string {
  const pieces = new Set<string>();
  for (const text of secretTexts(properties)) {
    for (const piece of piecesOf(text)) if (piece.length >= SHORTEST_PIECE) pieces.add(piece);
  }
  const longestFirst = [...pieces].sort((left, right) => right.length - left.length);
  return (text) =>
    longestFirst.reduce((redacted, piece) => redacted.replaceAll(piece, REDACTED), text);
}

function secretTexts(value: PropertyValue | undefined): string[] {
  if (isSecret(value)) return leafTexts(unwrap(value));
  if (isList(value)) return value.flatMap(secretTexts);
  if (isMap(value)) return Object.values(value).flatMap(secretTexts);
  return [];
}

function leafTexts(value: PropertyValue | undefined): string[] {
  const bare = unwrap(value);
  if (typeof bare === "string") return [bare];
  if (isList(bare)) return bare.flatMap(leafTexts);
  if (isMap(bare)) return Object.values(bare).flatMap(leafTexts);
  return [];
}

function piecesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return [text, text.trim(), ...lines, ...jsonTexts(text)];
}

function jsonTexts(text: string): string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    return leafTexts(JSON.parse(text) as PropertyValue);
  } catch {
    return [];
  }
}
