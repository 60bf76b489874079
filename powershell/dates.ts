/** Moments of time as texts and out of texts, by .NET's formats in the invariant culture. */
import { Unsupported } from "./values.ts";

export interface Moment {
  /** Tenths of microseconds since the year 1. */
  readonly ticks: bigint;
  readonly kind: "Unspecified" | "Utc" | "Local";
}

const ticksPerMillisecond = 10_000n;
/** Of 1970-01-01. */
const epoch = 621_355_968_000_000_000n;

export function toTicks(milliseconds: number): bigint {
  return epoch + BigInt(milliseconds) * ticksPerMillisecond;
}

/** Milliseconds since 1970 by the clock the moment is of. */
export function toMilliseconds(ticks: bigint): number {
  return Number((ticks - epoch) / ticksPerMillisecond);
}

/** Where the parts of a date stand in ISO 8601. */
const parts: ReadonlyMap<string, readonly [start: number, end: number]> = new Map([
  ["yyyy", [0, 4]],
  ["MM", [5, 7]],
  ["dd", [8, 10]],
  ["HH", [11, 13]],
  ["mm", [14, 16]],
  ["ss", [17, 19]],
]);

/** A moment by milliseconds since 1970. */
export function formatDate(milliseconds: number, format: string): string {
  const date = new Date(milliseconds);
  if (/^r$/i.test(format)) {
    return date.toUTCString();
  }
  const written = format === "G" ? "MM/dd/yyyy HH:mm:ss" : format;
  return written.replace(/([A-Za-z])\1*|[%'"\\]/g, (token) => {
    const part = parts.get(token);
    if (!part && (!/^[TZ]$/.test(token) || written.length === 1)) {
      throw new Unsupported(`the date format ${format}`);
    }
    return part ? date.toISOString().slice(...part) : token;
  });
}

/** Undefined: the text does not fit the format. */
export function parseDate(text: string, format: string): number | undefined {
  const part = (name: string, otherwise: string) => {
    const at = format.indexOf(name);
    return at < 0 ? otherwise : text.slice(at, at + name.length);
  };
  const day = `${part("yyyy", "")}-${part("MM", "01")}-${part("dd", "01")}`;
  const time = `${part("HH", "00")}:${part("mm", "00")}:${part("ss", "00")}`;
  const milliseconds = Date.parse(/^r$/i.test(format) ? text : `${day}T${time}Z`);
  const fits =
    !Number.isNaN(milliseconds) &&
    formatDate(milliseconds, format).toLowerCase() === text.toLowerCase();
  return fits ? milliseconds : undefined;
}
