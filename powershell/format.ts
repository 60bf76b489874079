/** Values as texts by formats: -f, and ToString with a format. Always in the invariant culture. */
import { doubleText, isNumeric, plainNumber } from "./convert.ts";
import * as is from "./types.ts";
import { raised, typeOf } from "./types.ts";
import { isNull, type NetType, Num, Unsupported, Raised, type Value } from "./values.ts";

type Numeric = number | bigint | Num;

/** `text` gives what a value is without a format. */
type Text = (value: Value) => string;

/** What -f makes of a text with `{0,-5:x4}` in it. */
export function formatOperator(format: string, args: readonly Value[], text: Text): string {
  try {
    return composite(format, args, text);
  } catch (error) {
    throw error instanceof Raised
      ? raised(
          "System.Management.Automation.RuntimeException",
          `Error formatting a string: ${error.message}.`,
          { id: "FormatError" },
        )
      : error;
  }
}

/** The same by .NET itself. */
export function composite(format: string, args: readonly Value[], text: Text): string {
  return format.replace(
    /\{\{|\}\}|\{(\d+)\s*(?:,\s*(-?\d+)\s*)?(?::([^{}]*))?\}|[{}]/g,
    (written: string, index?: string, width: string = "0", itemFormat: string = "") => {
      if (written === "{{" || written === "}}") {
        return written.charAt(0);
      }
      if (index === undefined) {
        throw formatError("Input string was not in a correct format.");
      }
      const value = args[Number(index)];
      if (value === undefined) {
        throw formatError(
          "Index (zero based) must be greater than or equal to zero and less than the size of the " +
            "argument list.",
        );
      }
      const formatted = formatValue(value, itemFormat, text);
      const size = Number(width);
      return size < 0 ? formatted.padEnd(-size) : formatted.padStart(size);
    },
  );
}

function formatError(message: string): Raised {
  return raised("System.FormatException", message);
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
  readonly isNegative: boolean;
  readonly digits: string;
  readonly point: number;
}

/** .NET Framework formats the 15 significant digits of a double, not the double. */
function toDecimal(value: Numeric): Decimal {
  const [text = "", exponent = "0"] = isWhole(value)
    ? [String(wholeOf(value))]
    : plainNumber(value)
        .toExponential(typeOf(value) === is.single ? 6 : 14)
        .split("e");
  const digits = text.replace("-", "");
  const point = isWhole(value) ? digits.length : Number(exponent) + 1;
  return { isNegative: text.startsWith("-"), digits: digits.replace(".", ""), point };
}

function isWhole(value: Numeric): boolean {
  return !(value instanceof Num) || ![is.double, is.single, is.decimal].includes(value.type);
}

function wholeOf(value: Numeric): bigint {
  return BigInt(value instanceof Num ? value.value : value);
}

/** With so many digits behind the point; halves are rounded away from zero. */
function toFixed({ isNegative, digits, point }: Decimal, decimals: number): string {
  const keep = point + decimals;
  const kept = BigInt(`0${digits.slice(0, Math.max(0, keep)).padEnd(keep, "0")}`);
  const rounded = kept + (keep >= 0 && digits.charAt(keep) >= "5" ? 1n : 0n);
  const text = String(rounded).padStart(decimals + 1, "0");
  const cut = text.length - decimals;
  const sign = isNegative && rounded !== 0n ? "-" : "";
  return `${sign}${text.slice(0, cut)}${decimals === 0 ? "" : `.${text.slice(cut)}`}`;
}

function grouped(text: string): string {
  return text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

export function formatNumber(value: Numeric, format: string): string {
  if (!Number.isFinite(plainNumber(value))) {
    return doubleText(plainNumber(value));
  }
  const [, letter, digits = ""] = /^([A-Za-z])(\d{0,2})$/.exec(format) ?? [];
  if (letter === undefined) {
    return formatCustom(toDecimal(value), format);
  }
  const precision = digits === "" ? undefined : Number(digits);
  switch (letter.toUpperCase()) {
    case "D":
    case "X": {
      if (!isWhole(value)) {
        throw formatError("Format specifier was invalid.");
      }
      const whole = wholeOf(value);
      const isDecimal = letter.toUpperCase() === "D";
      const shown = isDecimal
        ? whole < 0n
          ? -whole
          : whole
        : BigInt.asUintN(bitsOf(value), whole);
      const text = shown.toString(isDecimal ? 10 : 16).padStart(precision ?? 0, "0");
      return isDecimal && whole < 0n ? `-${text}` : letter === "X" ? text.toUpperCase() : text;
    }
    case "F":
      return toFixed(toDecimal(value), precision ?? 2);
    case "N":
      return grouped(toFixed(toDecimal(value), precision ?? 2));
    case "P": {
      const exact = toDecimal(value);
      return `${grouped(toFixed({ ...exact, point: exact.point + 2 }, precision ?? 2))} %`;
    }
    case "G":
      if (precision === undefined) {
        return isWhole(value) ? String(wholeOf(value)) : doubleText(plainNumber(value));
      }
      throw new Unsupported(`the number format ${format}`);
    case "C":
    case "E":
    case "R":
      throw new Unsupported(`the number format ${format}`);
    default:
      throw formatError("Format specifier was invalid.");
  }
}

function bitsOf(value: Numeric): number {
  const sizes: readonly (readonly [number, readonly NetType[]])[] = [
    [8, [is.byte, is.sbyte]],
    [16, [is.int16, is.uint16]],
    [64, [is.long, is.uint64]],
  ];
  return sizes.find(([, types]) => types.includes(typeOf(value)))?.[0] ?? 32;
}

/** `000`, `0.00`, `0.##`, `#,##0.0` and `0.0%`. */
function formatCustom(value: Decimal, format: string): string {
  const [, whole = "", fixed = "", free = "", percent = ""] =
    /^([#,]*0*)(?:\.(0*)(#*))?( ?%)?$/.exec(format) ?? [];
  if (!whole.includes("0") || /^,|,$/.test(whole)) {
    throw new Unsupported(`the number format ${format}`);
  }
  const shown = percent === "" ? value : { ...value, point: value.point + 2 };
  const text = toFixed(shown, fixed.length + free.length);
  const [, sign = "", before = "", behind = ""] = /^(-?)(\d+)\.?(\d*)$/.exec(text) ?? [];
  const decimals = behind.slice(0, fixed.length) + behind.slice(fixed.length).replace(/0+$/, "");
  const padded = before.padStart(whole.split("0").length - 1, "0");
  const digits = whole.includes(",") ? grouped(padded) : padded;
  return `${sign}${digits}${decimals === "" ? "" : `.${decimals}`}${percent}`;
}
