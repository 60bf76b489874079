/** Moments of time as texts and out of texts, by .NET's formats in the invariant culture. */
import { raised } from "./types.ts";
import { Unsupported, type Raised } from "./values.ts";

export interface Moment {
  /** Tenths of microseconds since the year 1. */
  readonly ticks: bigint;
  readonly kind: "Unspecified" | "Utc" | "Local";
}

export const ticksPerSecond = 10_000_000n;
const ticksPerMillisecond = 10_000n;
/** Of 1970-01-01. */
const epoch = 621_355_968_000_000_000n;

export function toTicks(milliseconds: number): bigint {
  return epoch + BigInt(Math.round(milliseconds * Number(ticksPerMillisecond)));
}

/** Milliseconds since 1970 by the clock the moment is of. */
export function toMilliseconds(ticks: bigint): number {
  return Number((ticks - epoch) / ticksPerMillisecond);
}

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const standardFormats: Readonly<Record<string, string>> = {
  d: "MM/dd/yyyy",
  D: "dddd, dd MMMM yyyy",
  f: "dddd, dd MMMM yyyy HH:mm",
  F: "dddd, dd MMMM yyyy HH:mm:ss",
  g: "MM/dd/yyyy HH:mm",
  G: "MM/dd/yyyy HH:mm:ss",
  m: "MMMM dd",
  M: "MMMM dd",
  o: "yyyy-MM-ddTHH:mm:ss.fffffffK",
  O: "yyyy-MM-ddTHH:mm:ss.fffffffK",
  r: "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
  R: "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
  s: "yyyy-MM-ddTHH:mm:ss",
  t: "HH:mm",
  T: "HH:mm:ss",
  u: "yyyy-MM-dd HH:mm:ss'Z'",
  y: "yyyy MMMM",
  Y: "yyyy MMMM",
};

function tokens(format: string): string[] {
  if (format.length === 1) {
    const standard = standardFormats[format];
    if (standard === undefined) {
      throw format === "U" ? new Unsupported("the date format U") : badFormat();
    }
    return tokens(standard);
  }
  return format.match(/'[^']*'|"[^"]*"|\\.|%(?=.)|([dfFhHmMstyzKg])\1*|[^]/g) ?? [];
}

function badFormat(): Raised {
  return raised("System.FormatException", "Input string was not in a correct format.");
}

/** `offset`: minutes that the moment's clock is ahead of UTC. */
export function formatDate(moment: Moment, format: string, offset: number): string {
  const date = new Date(toMilliseconds(moment.ticks));
  const fraction = String(moment.ticks % ticksPerSecond).padStart(7, "0");
  return tokens(format)
    .map((token) => formatPart(token, date, fraction, moment.kind, offset))
    .join("");
}

function formatPart(
  token: string,
  date: Date,
  fraction: string,
  kind: Moment["kind"],
  offset: number,
): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const { length } = token;
  const number = (value: number) => (length === 1 ? String(value) : two(value));
  switch (token.charAt(0)) {
    case "d": {
      const day = days[date.getUTCDay()] ?? "";
      return length > 3 ? day : length === 3 ? day.slice(0, 3) : number(date.getUTCDate());
    }
    case "M": {
      const month = months[date.getUTCMonth()] ?? "";
      return length > 3 ? month : length === 3 ? month.slice(0, 3) : number(date.getUTCMonth() + 1);
    }
    case "y": {
      const year = date.getUTCFullYear();
      return length <= 2 ? number(year % 100) : String(year).padStart(length, "0");
    }
    case "H":
      return number(date.getUTCHours());
    case "h":
      return number(date.getUTCHours() % 12 || 12);
    case "m":
      return number(date.getUTCMinutes());
    case "s":
      return number(date.getUTCSeconds());
    case "t":
      return (date.getUTCHours() < 12 ? "AM" : "PM").slice(0, length);
    case "f":
      return fraction.slice(0, length);
    case "F":
      return fraction.slice(0, length).replace(/0+$/, "");
    case "z":
      return offsetText(offset, length);
    case "K":
      return kind === "Utc" ? "Z" : kind === "Local" ? offsetText(offset, 3) : "";
    case "g":
      return "A.D.";
    case "%":
      return length === 1 ? "" : token;
    case "'":
    case '"':
      return token.slice(1, -1);
    case "\\":
      return token.slice(1);
    default:
      return token;
  }
}

function offsetText(offset: number, length: number): string {
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const text = length === 1 ? String(hours) : String(hours).padStart(2, "0");
  const sign = offset < 0 ? "-" : "+";
  return `${sign}${text}${length > 2 ? `:${String(minutes).padStart(2, "0")}` : ""}`;
}

/** What a text says, before styles decide about its clock. */
export interface ParsedDate {
  readonly ticks: bigint;
  /** Minutes ahead of UTC, where the text says so. */
  readonly offset: number | undefined;
}

/** Undefined: the text does not fit the format. */
export function parseDate(text: string, format: string): ParsedDate | undefined {
  const fields = new Map<string, string>();
  let pattern = "";
  for (const token of tokens(format)) {
    const part = parsePattern(token);
    if (typeof part === "string") {
      pattern += part;
      continue;
    }
    const [letter, expression] = part;
    const name = `${letter}${String(fields.size)}`;
    fields.set(name, letter);
    pattern += `(?<${name}>${expression})`;
  }
  const match = new RegExp(`^${pattern}$`).exec(text);
  if (!match) {
    return undefined;
  }
  const value = new Map<string, string>();
  for (const [name, letter] of fields) {
    value.set(letter, match.groups?.[name] ?? "");
  }
  return toParsed(value);
}

/** A regular expression for a part of a format: a plain one, or one whose match is kept under a letter. */
function parsePattern(token: string): string | readonly [string, string] {
  const { length } = token;
  const number = length === 1 ? "\\d{1,2}" : "\\d{2}";
  const names = (list: readonly string[]) =>
    list.map((name) => anyCase(length === 3 ? name.slice(0, 3) : name)).join("|");
  switch (token.charAt(0)) {
    case "d":
      return length > 2 ? ["w", names(days)] : ["d", number];
    case "M":
      return length > 2 ? ["n", names(months)] : ["M", number];
    case "y":
      return ["y", length <= 2 ? number : `\\d{${String(length)}}`];
    case "H":
    case "h":
    case "m":
    case "s":
      return [token.charAt(0), number];
    case "t":
      return ["t", length === 1 ? "[APap]" : "[APap][Mm]"];
    case "f":
      return ["f", `\\d{${String(length)}}`];
    case "F":
      return ["f", `\\d{0,${String(length)}}`];
    case "z":
    case "K":
      return [
        "z",
        token === "K"
          ? "Z|[+-]\\d\\d:\\d\\d|"
          : length > 2
            ? "[+-]\\d{1,2}:\\d\\d"
            : "[+-]\\d{1,2}",
      ];
    case "Z":
      // .NET writes the letter as it is, and reads it as a zone.
      return ["z", "Z|GMT"];
    case "%":
      return "";
    case "'":
    case '"':
      return escaped(token.slice(1, -1));
    case "\\":
      return escaped(token.slice(1));
    default:
      return escaped(token);
  }
}

function anyCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function toParsed(fields: ReadonlyMap<string, string>): ParsedDate | undefined {
  const number = (letter: string, otherwise: number) =>
    fields.has(letter) ? Number(fields.get(letter)) : otherwise;
  const monthName = fields.get("n")?.slice(0, 3).toLowerCase();
  const month =
    monthName === undefined
      ? number("M", 1)
      : months.findIndex((name) => name.toLowerCase().startsWith(monthName)) + 1;
  const shortYear = number("y", 1);
  const year =
    (fields.get("y")?.length ?? 4) > 2 ? shortYear : shortYear + (shortYear < 30 ? 2000 : 1900);
  const half = fields.get("t")?.charAt(0).toUpperCase();
  const hour = fields.has("h") ? (number("h", 0) % 12) + (half === "P" ? 12 : 0) : number("H", 0);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, number("d", 1));
  date.setUTCHours(hour, number("m", 0), number("s", 0), 0);
  const ordinary =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === number("d", 1) &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === number("m", 0) &&
    date.getUTCSeconds() === number("s", 0);
  const weekday = fields.get("w")?.slice(0, 3).toLowerCase();
  if (
    !ordinary ||
    (weekday !== undefined && days[date.getUTCDay()]?.slice(0, 3).toLowerCase() !== weekday)
  ) {
    return undefined;
  }
  const fraction = BigInt((fields.get("f") ?? "").padEnd(7, "0"));
  return {
    ticks: toTicks(date.getTime()) + fraction,
    offset: parsedOffset(fields.get("z")),
  };
}

function parsedOffset(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === "") {
    return undefined;
  }
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d+):?(\d*)$/.exec(zone) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
}
