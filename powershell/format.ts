/** Values as texts by formats: -f, and what Console writes by one. Always in the invariant culture. */
import { isNumeric } from "./convert.ts";
import { raised, typeOf } from "./types.ts";
import { isNull, Raised, Unsupported, type Num, type Value } from "./values.ts";

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
      const value = args[Number(index)];
      if (value === undefined) {
        throw raised(
          "System.FormatException",
          index === undefined
            ? "Input string was not in a correct format."
            : "Index (zero based) must be greater than or equal to zero and less than the size " +
                "of the argument list.",
        );
      }
      const formatted = formatValue(value, itemFormat, text);
      const size = Number(width);
      return size < 0 ? formatted.padEnd(-size) : formatted.padStart(size);
    },
  );
}

/** A value by a format. What knows no formats stays as it is. */
function formatValue(value: Value, format: string, text: Text): string {
  if (format === "" || isNull(value) || typeof value === "string") {
    return text(value);
  }
  if (isNumeric(value)) {
    return formatNumber(value, format);
  }
  const method = typeOf(value)
    .overloads("tostring")
    .find((each) => each.parameters.length === 1);
  const formatted = method?.call(value, [format]);
  if (typeof formatted !== "string") {
    throw new Unsupported(`the format ${format} for [${typeOf(value).name}]`);
  }
  return formatted;
}

/** Whole numbers in digits of ten or sixteen. */
function formatNumber(value: number | bigint | Num, format: string): string {
  const [, letter = "", digits] = /^([DX])(\d{0,2})$/i.exec(format) ?? [];
  const { name } = typeOf(value);
  const plain = typeof value === "object" ? value.value : value;
  const isUnknown = !/^System\.(Byte|U?Int\d+)$/.test(name) || (plain < 0 && /Int16/.test(name));
  if (letter === "" || isUnknown) {
    throw new Unsupported(`the format ${format} of [${name}]`);
  }
  const whole = BigInt(plain);
  const isDecimal = /d/i.test(letter);
  const bits = BigInt.asUintN(typeof value === "number" ? 32 : 64, whole);
  const text = isDecimal ? String(whole).replace("-", "") : bits.toString(16);
  const padded = (isDecimal && whole < 0n ? "-" : "") + text.padStart(Number(digits), "0");
  return letter === "X" ? padded.toUpperCase() : padded;
}
