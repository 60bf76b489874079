/** Values as texts by formats: -f, and ToString with a format. Always in the invariant culture. */
import { isNumeric } from "./convert.ts";
import * as is from "./types.ts";
import { raised, typeOf } from "./types.ts";
import { isNull, type NetType, Num, Unsupported, type Raised, type Value } from "./values.ts";

/** `text` gives what a value is without a format. */
type Text = (value: Value) => string;

/** What -f makes of a text with `{0,-5:x4}` in it. */
export function composite(format: string, args: readonly Value[], text: Text): string {
  return format.replace(
    /\{\{|\}\}|\{(\d+)\s*(?:,\s*(-?\d+)\s*)?(?::((?:[^{}]|\{\{|\}\})*))?\}|[{}]/g,
    (written, index?: string, width = "0", itemFormat = "") => {
      if (written === "{{" || written === "}}") {
        return written.charAt(0);
      }
      if (index === undefined) {
        throw formatError("Input string was not in a correct format.", "FormatError");
      }
      const value = args[Number(index)];
      if (value === undefined) {
        throw formatError(
          "Index (zero based) must be greater than or equal to zero and less than the size of the argument list.",
          "FormatError",
        );
      }
      const formatted = formatValue(value, itemFormat, text);
      return Number(width) < 0
        ? formatted.padEnd(-Number(width))
        : formatted.padStart(Number(width));
    },
  );
}

function formatError(message: string, id?: string): Raised {
  return raised("System.FormatException", message, {
    hresult: -2146233033,
    ...(id === undefined ? {} : { id }),
  });
}

/** A value by a format. What knows no formats stays as it is. */
export function formatValue(value: Value, format: string, text: Text): string {
  if (isNull(value)) {
    return "";
  }
  if (format === "") {
    return text(value);
  }
  if (isNumeric(value)) {
    return formatNumber(value, format);
  }
  const method = typeOf(value)
    .overloads("tostring")
    .find((each) => each.parameters.length === 1 && each.parameters[0] === "string");
  const formatted = method?.call(value, [format]);
  return typeof formatted === "string" ? formatted : text(value);
}

/** A number in decimal: 0.digits times 10 to the power of `point`. */
interface Decimal {
  readonly negative: boolean;
  /** Without zeros at its ends. */
  readonly digits: string;
  readonly point: number;
}

function decimal(negative: boolean, digits: string, point: number): Decimal {
  const leading = /^0*/.exec(digits)?.[0].length ?? 0;
  const rest = digits.slice(leading).replace(/0+$/, "");
  return { negative, digits: rest, point: rest === "" ? 0 : point - leading };
}

/** .NET Framework formats the 15 significant digits of a double, not the double. */
function toDecimal(value: number | bigint | Num): Decimal {
  if (!(value instanceof Num) || isWhole(value)) {
    const digits = String(value instanceof Num ? BigInt(value.value) : value);
    return decimal(digits.startsWith("-"), digits.replace("-", ""), digits.replace("-", "").length);
  }
  const precision = value.type === is.single ? 7 : 15;
  const [mantissa = "", exponent = "0"] = Math.abs(value.value)
    .toExponential(precision - 1)
    .split("e");
  return decimal(value.value < 0, mantissa.replace(".", ""), Number(exponent) + 1);
}

function isWhole(value: Num): boolean {
  return ![is.double, is.single, is.decimal].includes(value.type);
}

/** Halves are rounded away from zero. */
function round(value: Decimal, decimals: number): Decimal {
  const keep = value.point + decimals;
  if (keep >= value.digits.length) {
    return value;
  }
  if (keep < 0) {
    return decimal(false, "", 0);
  }
  const up = value.digits.charAt(keep) >= "5";
  const kept = BigInt(`0${value.digits.slice(0, keep)}`) + (up ? 1n : 0n);
  const digits = String(kept).padStart(keep, "0");
  const rounded = decimal(value.negative, digits, value.point + digits.length - keep);
  return rounded.digits === "" ? decimal(false, "", 0) : rounded;
}

/** Digits before and behind the point, the latter so many. */
function parts(
  value: Decimal,
  decimals: number,
): { readonly whole: string; readonly fraction: string } {
  const { digits, point } = round(value, decimals);
  const whole = point <= 0 || digits === "" ? "" : digits.slice(0, point).padEnd(point, "0");
  const fraction = "0".repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point));
  return { whole, fraction: fraction.padEnd(decimals, "0") };
}

function grouped(whole: string): string {
  return whole.replace(/\B(?=(\d{3})+$)/g, ",");
}

export function formatNumber(value: number | bigint | Num, format: string): string {
  const plain = value instanceof Num ? value.value : Number(value);
  if (!Number.isFinite(plain)) {
    return Number.isNaN(plain) ? "NaN" : plain > 0 ? "Infinity" : "-Infinity";
  }
  const standard = /^([A-Za-z])(\d{0,2})$/.exec(format);
  if (!standard) {
    return formatCustom(toDecimal(value), format);
  }
  const [, letter = "", digits = ""] = standard;
  const precision = digits === "" ? undefined : Number(digits);
  switch (letter.toUpperCase()) {
    case "D":
      return wholeDigits(value, (whole) => {
        const text = String(whole < 0n ? -whole : whole).padStart(precision ?? 0, "0");
        return whole < 0n ? `-${text}` : text;
      });
    case "X":
      return wholeDigits(value, (whole) => {
        const text = BigInt.asUintN(bits(value), whole)
          .toString(16)
          .padStart(precision ?? 0, "0");
        return letter === "X" ? text.toUpperCase() : text;
      });
    case "F":
    case "N":
    case "P": {
      const exact = toDecimal(value);
      const shown = letter.toUpperCase() === "P" ? { ...exact, point: exact.point + 2 } : exact;
      return formatFixed(shown, precision ?? 2, letter.toUpperCase());
    }
    case "E":
      return scientific(toDecimal(value), precision ?? 6, letter, 3);
    case "G":
    case "R":
      return formatGeneral(value, letter.toUpperCase() === "R" ? 0 : (precision ?? 0), letter);
    case "C":
      throw new Unsupported("currency formats");
    default:
      throw formatError("Format specifier was invalid.");
  }
}

function wholeDigits(value: number | bigint | Num, show: (whole: bigint) => string): string {
  if (value instanceof Num && !isWhole(value)) {
    throw formatError("Format specifier was invalid.");
  }
  return show(BigInt(value instanceof Num ? value.value : value));
}

function bits(value: number | bigint | Num): number {
  const sizes = new Map<NetType, number>([
    [is.byte, 8],
    [is.sbyte, 8],
    [is.int16, 16],
    [is.uint16, 16],
    [is.long, 64],
    [is.uint64, 64],
  ]);
  return sizes.get(typeOf(value)) ?? 32;
}

function formatFixed(value: Decimal, decimals: number, letter: string): string {
  const { whole, fraction } = parts(value, decimals);
  const sign = value.negative && /[1-9]/.test(whole + fraction) ? "-" : "";
  const digits = whole === "" ? "0" : whole;
  const text = `${sign}${letter === "F" ? digits : grouped(digits)}${decimals === 0 ? "" : `.${fraction}`}`;
  return letter === "P" ? `${text} %` : text;
}

function scientific(value: Decimal, decimals: number, letter: string, width: number): string {
  const rounded = round(value, decimals + 1 - value.point);
  const digits = rounded.digits.padEnd(decimals + 1, "0");
  const exponent = rounded.digits === "" ? 0 : rounded.point - 1;
  const mantissa = decimals === 0 ? digits.charAt(0) : `${digits.charAt(0)}.${digits.slice(1)}`;
  const power = String(Math.abs(exponent)).padStart(width, "0");
  return `${rounded.negative ? "-" : ""}${mantissa}${letter}${exponent < 0 ? "-" : "+"}${power}`;
}

function formatGeneral(value: number | bigint | Num, precision: number, letter: string): string {
  const exact = toDecimal(value);
  const whole = !(value instanceof Num) || isWhole(value);
  const significant = precision > 0 ? precision : whole ? 20 : value.type === is.single ? 7 : 15;
  const rounded = round(exact, significant - exact.point);
  if (rounded.digits !== "" && (rounded.point > significant || rounded.point < -3)) {
    return scientific(rounded, rounded.digits.length - 1, letter === "g" ? "e" : "E", 2);
  }
  const { whole: before, fraction } = parts(
    rounded,
    Math.max(0, rounded.digits.length - rounded.point),
  );
  return `${rounded.negative ? "-" : ""}${before === "" ? "0" : before}${fraction === "" ? "" : `.${fraction}`}`;
}

/** `0.00`, `#,##0`, `0.0 %` and so on, up to three of them for positive numbers, negative ones and zero. */
function formatCustom(value: Decimal, format: string): string {
  const sections = format.match(/(?:'[^']*'|"[^"]*"|\\.|[^;])+|(?<=;)(?=;|$)/g) ?? [format];
  const [positive = "", negative = "", zero = ""] = sections;
  if (value.digits === "" && zero !== "") {
    return formatSection(value, zero);
  }
  if (value.negative && negative !== "") {
    return formatSection({ ...value, negative: false }, negative);
  }
  return formatSection(value, positive);
}

function formatSection(value: Decimal, section: string): string {
  const tokens = section.match(/'[^']*'|"[^"]*"|\\.|[0#.,%‰]|[Ee][+-]?0+|[^]/g) ?? ([] as string[]);
  if (tokens.some((token) => /^[Ee][+-]?0+$|^‰$/.test(token))) {
    throw new Unsupported(`the number format ${section}`);
  }
  const pointAt = tokens.includes(".") ? tokens.indexOf(".") : tokens.length;
  const isDigit = (token: string) => token === "0" || token === "#";
  const before = tokens.slice(0, pointAt).filter(isDigit);
  const behind = tokens.slice(pointAt).filter(isDigit);
  const lastDigit = tokens.findLastIndex((token, index) => index < pointAt && isDigit(token));
  const firstDigit = tokens.findIndex(isDigit);
  const hasGroups = tokens.some(
    (token, index) => token === "," && index > firstDigit && index < lastDigit,
  );
  // Commas right before the point divide by a thousand each.
  const scale = tokens.filter(
    (token, index) => token === "," && index > lastDigit && index < pointAt,
  ).length;
  const percent = tokens.filter((token) => token === "%").length;
  const scaled = { ...value, point: value.point + 2 * percent - 3 * scale };
  const { whole, fraction } = parts(scaled, behind.length);
  const minimum = before.length - (before.includes("0") ? before.indexOf("0") : before.length);
  const padded = whole.padStart(minimum, "0");
  const digits = hasGroups ? grouped(padded) : padded;
  const fixed = behind.lastIndexOf("0") + 1;
  const decimals = fraction.slice(0, Math.max(fixed, fraction.replace(/0+$/, "").length));
  // The first digit's place takes all that have no place of their own.
  let result = "";
  let rest = digits;
  let placesLeft = before.length;
  let used = 0;
  for (const [index, token] of tokens.entries()) {
    if (isDigit(token) && index < pointAt) {
      placesLeft -= 1;
      const count = digitsBefore(rest, placesLeft);
      result += rest.slice(0, count);
      rest = rest.slice(count);
    } else if (isDigit(token)) {
      result += decimals.charAt(used);
      used += 1;
    } else if (token === ".") {
      result += index === pointAt && decimals !== "" ? "." : "";
    } else if (token !== ",") {
      result += /^['"]/.test(token)
        ? token.slice(1, -1)
        : token.startsWith("\\")
          ? token.slice(1)
          : token;
    }
  }
  return value.negative && /[1-9]/.test(whole + fraction) ? `-${result}` : result;
}

/** Length of the beginning that leaves so many digits. */
function digitsBefore(text: string, left: number): number {
  let count = text.replaceAll(",", "").length - left;
  let length = 0;
  while (count > 0) {
    count -= text.charAt(length) === "," ? 0 : 1;
    length += 1;
  }
  return length;
}
