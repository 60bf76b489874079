/** What single characters mean to PowerShell, and how it reads numbers. */

import type { ConstantValue } from "./syntax.ts";

/** Characters as PowerShell takes them: typographic quotes and dashes count as plain ones. */
const singleQuotes = "'\u2018\u2019\u201a\u201b";
const doubleQuotes = '"\u201c\u201d\u201e';
const dashes = "-\u2013\u2014\u2015";

/** None of these tests takes the empty text behind the end for a character. */
const oneOf = (set: string, character: string): boolean =>
  character !== "" && set.includes(character);

export const isSingleQuote = (character: string): boolean => oneOf(singleQuotes, character);
export const isDoubleQuote = (character: string): boolean => oneOf(doubleQuotes, character);
export const isDash = (character: string): boolean => oneOf(dashes, character);
export const isNewline = (character: string): boolean => oneOf("\r\n", character);
export const isDigit = (character: string): boolean => oneOf("0123456789", character);
export const isLetter = (character: string): boolean => /^[\p{L}_]$/u.test(character);
export const isNameCharacter = (character: string): boolean => /^[\p{L}\p{Nd}_]$/u.test(character);
export const isVariableCharacter = (character: string): boolean =>
  isNameCharacter(character) || character === "?";

/** Space within a line. */
export const isSpace = (character: string): boolean =>
  !isNewline(character) && /^[\s\u0085]$/u.test(character);

/** Whether a bare word ends before this character; so it does at the end of the text. */
export const endsWord = (character: string): boolean =>
  character === "" || isNewline(character) || isSpace(character) || oneOf("&(),;{}|<>", character);

const escapes: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** What a character behind a backtick stands for. */
export const escaped = (character: string): string => escapes[character] ?? character;

export interface ScannedNumber {
  readonly value: ConstantValue;
  readonly end: number;
  /** Written with `d`, as a System.Decimal. */
  readonly isDecimal: boolean;
}

const numberForm =
  /([-+\u2013\u2014\u2015]?)(?:(0x[0-9a-f]+)|((?:\d+(?:\.\d+|\.(?![.\p{L}_]))?|\.\d+)(?:e[-+]?\d+)?))([ld]?)([kmgtp]b)?/iuy;

const multipliers: Readonly<Record<string, bigint>> = {
  kb: 1n << 10n,
  mb: 1n << 20n,
  gb: 1n << 30n,
  tb: 1n << 40n,
  pb: 1n << 50n,
};

/** The number that begins at an offset, with its sign if it has one. What follows it is the caller's business. */
export function scanNumber(text: string, start: number): ScannedNumber | undefined {
  numberForm.lastIndex = start;
  const match = numberForm.exec(text);
  if (match === null) {
    return undefined;
  }
  const [whole, sign = "", hexadecimal, decimal = "", suffix = "", unit = ""] = match;
  const isDecimal = suffix.toLowerCase() === "d";
  const factor = multipliers[unit.toLowerCase()] ?? 1n;
  const signed = isDash(sign) ? -1n : 1n;
  const end = start + whole.length;

  if (hexadecimal === undefined && (isDecimal || /[.e]/i.test(decimal))) {
    return { value: { double: Number(signed) * Number(decimal) * Number(factor) }, end, isDecimal };
  }
  const magnitude =
    hexadecimal === undefined
      ? BigInt(decimal)
      : BigInt.asIntN(bitsOf(hexadecimal), BigInt(hexadecimal));
  return { value: integer(signed * magnitude * factor, suffix !== ""), end, isDecimal };
}

/** The digits of a hexadecimal number are the very bits: 0xFFFFFFFF is -1. */
function bitsOf(hexadecimal: string): number {
  const digits = hexadecimal.slice(2).replace(/^0+/, "").length;
  return digits <= 8 ? 32 : digits <= 16 ? 64 : 4 * digits + 1;
}

function integer(value: bigint, long: boolean): ConstantValue {
  if (!long && BigInt.asIntN(32, value) === value) {
    return Number(value);
  }
  return BigInt.asIntN(64, value) === value ? value : { double: Number(value) };
}
