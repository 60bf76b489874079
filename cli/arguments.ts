import { InvalidArgumentError } from "commander";

/** @throws when the text is not a whole number from 0 upward. */
export function days(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text)) {
    throw new InvalidArgumentError("It must be a whole number of days.");
  }
  return Number(text);
}

/** @throws when the text is not a whole number of seconds from 1 upward. */
export function seconds(text: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(text)) {
    throw new InvalidArgumentError("It must be a whole number of seconds, at least 1.");
  }
  return Number(text);
}

/** @throws when the text is not a whole number of lines from 0 upward. */
export function lines(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text)) {
    throw new InvalidArgumentError("It must be a whole number of lines.");
  }
  return Number(text);
}

/** @throws when the text is not a port's number. */
export function port(text: string): number {
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > 65535) {
    throw new InvalidArgumentError("It must be a whole number from 1 to 65535.");
  }
  return Number(text);
}

/** @throws when a part of the list is empty. */
export function commaList(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.includes("")) {
    throw new InvalidArgumentError("It must be names separated by commas.");
  }
  return parts;
}
