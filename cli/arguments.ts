import { InvalidArgumentError } from "commander";

/** @throws when the text is not a whole number of days. */
export const days = (text: string): number => wholeNumber(text, 0, 99_999, " of days");

/** @throws when the text is not a whole number of seconds from 1 upward. */
export const seconds = (text: string): number =>
  wholeNumber(text, 1, 999_999, " of seconds, at least 1");

/** @throws when the text is not a whole number of lines. */
export const lines = (text: string): number => wholeNumber(text, 0, 99_999, " of lines");

/** @throws when the text is not a port's number. */
export const port = (text: string): number => wholeNumber(text, 1, 65_535, " from 1 to 65535");

/** @throws when a part of the list is empty. */
export function commaList(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.includes("")) {
    throw new InvalidArgumentError("It must be names separated by commas.");
  }
  return parts;
}

function wholeNumber(text: string, least: number, most: number, what: string): number {
  const number = Number(text);
  if (!/^[0-9]{1,6}$/.test(text) || number < least || number > most) {
    throw new InvalidArgumentError(`It must be a whole number${what}.`);
  }
  return number;
}
