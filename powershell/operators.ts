/** The operators on values that are already worked out. */
import {
  convert,
  enumerated,
  isNumeric,
  nestedText,
  parseNumber,
  plainNumber,
  toBool,
  toItems,
  toNumber,
  toText,
  tryConvert,
} from "./convert.ts";
import { arithmeticNet, compareNet } from "./dotnet/time.ts";
import { formatOperator } from "./format.ts";
import { compile } from "./regex.ts";
import * as is from "./types.ts";
import { raised, typeOf, runtimeError } from "./types.ts";
import {
  Char,
  CustomObject,
  EnumValue,
  Hashtable,
  isNull,
  NetType,
  Num,
  PsArray,
  Switch,
  Unsupported,
  type Raised,
  type Value,
} from "./values.ts";
import { wildcard } from "./wildcard.ts";

/** Sets `$Matches`. */
type SetMatches = (groups: Hashtable) => void;

/** A binary operator but -and, -or and -xor. A `c` before a comparison's name is written as in the script. */
export function binary(operator: string, left: Value, right: Value, setMatches: SetMatches): Value {
  const [, prefix = "", name = ""] =
    /^-(c?)(eq|ne|gt|ge|lt|le|like|notlike|match|notmatch|replace|split|contains|notcontains|in|notin)$/.exec(
      operator,
    ) ?? [];
  const ignoreCase = prefix === "";
  switch (name) {
    case "eq":
    case "ne":
    case "gt":
    case "ge":
    case "lt":
    case "le":
      return filter(left, (item) => compareBy(name, item, right, ignoreCase));
    case "like":
    case "notlike": {
      const pattern = wildcard(toText(right), ignoreCase);
      return filter(left, (item) => pattern.test(toText(item)) === (name === "like"));
    }
    case "match":
    case "notmatch":
      return match(left, toText(right), ignoreCase, name === "match", setMatches);
    case "replace":
      return replace(left, right, ignoreCase);
    case "split":
      return split(left, right, ignoreCase);
    case "contains":
      return toItems(left).some((item) => equals(item, right, ignoreCase));
    case "notcontains":
      return !toItems(left).some((item) => equals(item, right, ignoreCase));
    case "in":
      return toItems(right).some((item) => equals(left, item, ignoreCase));
    case "notin":
      return !toItems(right).some((item) => equals(left, item, ignoreCase));
  }
  switch (operator) {
    case "-f":
      return formatOperator(toText(left), right instanceof PsArray ? right.items : [right], toText);
    case "-join":
      return joined(left, toText(right));
    case "-is":
      return isOf(left, right);
    case "-isnot":
      return !isOf(left, right);
    case "..": {
      const [from, to] = [left, right].map((each) => convert(each, is.int) as number) as [
        number,
        number,
      ];
      const step = from <= to ? 1 : -1;
      return is.array(
        Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + index * step),
      );
    }
    case "-band":
    case "-bor":
    case "-bxor":
      return bitwise(operator, left, right);
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return arithmetic(operator, left, right);
    default:
      throw new Unsupported(`the operator ${operator}`);
  }
}

/** Lists within the list show their type only. */
export function joined(list: Value, separator: string): string {
  return toItems(list).map(nestedText).join(separator);
}

/** With a list on its left a comparison picks elements; else it says whether. */
function filter(left: Value, passes: (item: Value) => boolean): Value {
  const items = enumerated(left);
  return items ? is.array(items.filter(passes)) : passes(left);
}

function compareBy(name: string, left: Value, right: Value, ignoreCase: boolean): boolean {
  if (name === "eq" || name === "ne") {
    return equals(left, right, ignoreCase) === (name === "eq");
  }
  const order = compare(left, right, ignoreCase);
  return name === "gt"
    ? order > 0
    : name === "ge"
      ? order >= 0
      : name === "lt"
        ? order < 0
        : order <= 0;
}

/** Whether two values are equal, the right one turned into the type of the left one. */
export function equals(left: Value, right: Value, ignoreCase = true): boolean {
  if (isNull(left) || isNull(right)) {
    return isNull(left) && isNull(right);
  }
  if (typeof left === "string") {
    return sameText(left, toText(right), ignoreCase);
  }
  if (typeof left === "boolean" || left instanceof Switch) {
    return toBool(left) === toBool(right);
  }
  if (left instanceof Char) {
    return right instanceof Char || typeof right === "string"
      ? sameText(left.text, toText(right), ignoreCase)
      : equals(left.code, right);
  }
  if (isNumeric(left)) {
    const number = toComparable(right);
    return number !== undefined && number == toComparable(left);
  }
  if (left instanceof EnumValue) {
    const other = tryConvert(right, left.type);
    return other instanceof EnumValue && other.number === left.number;
  }
  if (left === right) {
    return true;
  }
  const other = tryConvert(right, typeOf(left));
  if (left instanceof NetType) {
    return false;
  }
  return other !== undefined && compareNet(left, other) === 0;
}

function sameText(left: string, right: string, ignoreCase: boolean): boolean {
  return ignoreCase ? left.toUpperCase() === right.toUpperCase() : left === right;
}

/** A number to compare with: JavaScript compares a number with a bigint by value. */
function toComparable(value: Value): number | bigint | undefined {
  if (typeof value === "string") {
    return parseNumber(value);
  }
  if (typeof value === "boolean") {
    return value ? 1 : 0;
  }
  if (value instanceof Char) {
    return value.code;
  }
  if (value instanceof EnumValue) {
    return value.number;
  }
  return isNumeric(value) ? (value instanceof Num ? value.value : value) : undefined;
}

/** Less than, equal or greater than 0. */
export function compare(left: Value, right: Value, ignoreCase = true): number {
  if (isNull(left) || isNull(right)) {
    // Null is less than everything, but for negative numbers.
    const sign = (value: Value) =>
      isNull(value) ? 0 : isNumeric(value) && plainNumber(value) < 0 ? -1 : 1;
    return sign(left) - sign(right);
  }
  if (typeof left === "string") {
    return compareText(left, toText(right), ignoreCase);
  }
  if (isNumeric(left) || left instanceof EnumValue) {
    const [first, second] = [
      toComparable(left),
      left instanceof EnumValue ? toComparable(convert(right, left.type)) : toComparable(right),
    ];
    if (first !== undefined && second !== undefined) {
      return first < second ? -1 : first > second ? 1 : 0;
    }
    convert(right, typeOf(left)); // Throws: it is no number.
  }
  if (typeof left === "boolean") {
    return Number(left) - Number(toBool(right));
  }
  if (left instanceof Char) {
    return left.code - toText(right).charCodeAt(0);
  }
  const order = compareNet(left, convert(right, typeOf(left)));
  if (order === undefined) {
    throw runtimeError(
      "NotIcomparable",
      `Cannot compare "${toText(left)}" because it is not IComparable.`,
    );
  }
  return order;
}

/** By language, as .NET's invariant culture: letters before their case, punctuation before letters. */
const collator = new Intl.Collator("en", { sensitivity: "variant", caseFirst: "lower" });
const caselessCollator = new Intl.Collator("en", { sensitivity: "accent" });

export function compareText(left: string, right: string, ignoreCase: boolean): number {
  return (ignoreCase ? caselessCollator : collator).compare(left, right);
}

function match(
  left: Value,
  pattern: string,
  ignoreCase: boolean,
  wanted: boolean,
  setMatches: SetMatches,
): Value {
  const regex = compile(pattern, { ignoreCase });
  const items = enumerated(left);
  if (items) {
    return is.array(items.filter((item) => (regex.match(toText(item)) !== undefined) === wanted));
  }
  const found = regex.match(toText(left));
  if (found) {
    const groups = new Hashtable(is.hashtable);
    for (const group of found.groups) {
      if (group.success) {
        const number = /^\d+$/.test(group.name) ? Number(group.name) : group.name;
        groups.set(number, group.value);
      }
    }
    setMatches(groups);
  }
  return (found !== undefined) === wanted;
}

function replace(left: Value, right: Value, ignoreCase: boolean): Value {
  const [pattern = null, replacement = null] = right instanceof PsArray ? right.items : [right];
  const regex = compile(toText(pattern), { ignoreCase });
  const one = (item: Value) => regex.replace(toText(item), toText(replacement));
  const items = enumerated(left);
  return items ? is.array(items.map(one)) : one(left);
}

function split(left: Value, right: Value, ignoreCase: boolean): Value {
  const [pattern = null, limit = 0, options] = right instanceof PsArray ? right.items : [right];
  if (options !== undefined) {
    throw new Unsupported("-split with options");
  }
  const regex = compile(toText(pattern), { ignoreCase });
  const count = convert(limit, is.int) as number;
  if (count < 0) {
    throw new Unsupported("-split with a negative limit");
  }
  return is.array(
    toItems(left).flatMap((item) => regex.split(toText(item), count)),
    is.types.get("string[]"),
  );
}

/** `-split 'a b'`: by white space, without the outer one. */
export function splitWords(value: Value): Value {
  return is.array(
    toItems(value).flatMap((item) => toText(item).trim().split(/\s+/)),
    is.types.get("string[]"),
  );
}

function isOf(left: Value, right: Value): boolean {
  const type = right instanceof NetType ? right : is.types.find(toText(right));
  if (!type) {
    throw new Unsupported(`-is ${toText(right)}`);
  }
  if (isNull(left)) {
    return false;
  }
  if (type === is.psObject) {
    return left instanceof CustomObject;
  }
  return typeOf(left).is(type);
}

function bitwise(operator: string, left: Value, right: Value): Value {
  const [first, second] = [toComparable(left), toComparable(right)].map((each) =>
    BigInt(each ?? 0),
  );
  const result =
    operator === "-band"
      ? first! & second!
      : operator === "-bor"
        ? first! | second!
        : first! ^ second!;
  return toNumber(result, is.int) ?? toNumber(result, is.long) ?? null;
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  if (operator === "+") {
    const sum = add(left, right);
    if (sum !== undefined) {
      return sum;
    }
  }
  if (operator === "*" && typeof left === "string") {
    return left.repeat(convert(right, is.int) as number);
  }
  if (operator === "*" && left instanceof PsArray) {
    throw new Unsupported("an array times a number");
  }
  const special = arithmeticNet(operator, left, right);
  if (special !== undefined) {
    return special;
  }
  return calculate(operator, operand(left, operator, right), operand(right, operator, left));
}

function add(left: Value, right: Value): Value | undefined {
  if (typeof left === "string") {
    return left + toText(right);
  }
  if (left instanceof Char && !isNumeric(right)) {
    return left.text + toText(right);
  }
  if (left instanceof PsArray) {
    return is.array([...left.items, ...(enumerated(right) ?? [right])]);
  }
  if (left instanceof Hashtable) {
    if (!(right instanceof Hashtable)) {
      throw runtimeError(
        "AddHashTableToNonHashTable",
        "A hash table can only be added to another hash table.",
      );
    }
    const sum = new Hashtable(left.type);
    for (const { key, value } of [...left.entries(), ...right.entries()]) {
      sum.set(key, value);
    }
    return sum;
  }
  return isNull(left) && !isNumeric(right) ? right : undefined;
}

type Operand = { readonly number: number | bigint; readonly type: NetType };

function operand(value: Value, operator: string, other: Value): Operand {
  if (isNull(value)) {
    return { number: 0, type: is.int };
  }
  if (value instanceof Num) {
    const whole =
      Number.isInteger(value.value) && ![is.double, is.single, is.decimal].includes(value.type);
    const small =
      whole &&
      (value.type === is.byte ||
        value.type === is.int16 ||
        value.type === is.uint16 ||
        value.type === is.sbyte);
    return { number: value.value, type: small ? is.int : whole ? is.long : value.type };
  }
  if (typeof value === "string") {
    const number = parseNumber(value);
    if (number === undefined) {
      convert(value, isNumeric(other) ? typeOf(other) : is.int);
    }
    return {
      number: number ?? 0,
      type: typeof number === "bigint" ? is.long : Number.isInteger(number) ? is.int : is.double,
    };
  }
  if (typeof value === "number" || typeof value === "bigint") {
    return { number: value, type: typeOf(value) };
  }
  if (typeof value === "boolean" || value instanceof Char || value instanceof EnumValue) {
    return { number: toComparable(value) ?? 0, type: is.int };
  }
  throw runtimeError(
    "MethodNotFound",
    `Method invocation failed because [${typeOf(value).name}] does not contain a method named 'op_${
      { "+": "Addition", "-": "Subtraction", "*": "Multiply", "/": "Division", "%": "Modulus" }[
        operator
      ] ?? operator
    }'.`,
  );
}

function calculate(operator: string, left: Operand, right: Operand): Value {
  const real = [is.double, is.single].find((type) => left.type === type || right.type === type);
  const type = real
    ? is.double
    : left.type === is.decimal || right.type === is.decimal
      ? is.decimal
      : undefined;
  if (type) {
    return new Num(type, calculateReal(operator, Number(left.number), Number(right.number), type));
  }
  const [first, second] = [BigInt(left.number), BigInt(right.number)];
  if ((operator === "/" || operator === "%") && second === 0n) {
    throw divisionByZero();
  }
  if (operator === "/" && first % second !== 0n) {
    return is.toDouble(Number(left.number) / Number(right.number));
  }
  const result = calculateWhole(operator, first, second);
  const whole = left.type === is.long || right.type === is.long ? is.long : is.int;
  return toNumber(result, whole) ?? is.toDouble(Number(result));
}

function divisionByZero(): Raised {
  const inner = raised("System.DivideByZeroException", "Attempted to divide by zero.").exception;
  return raised("System.Management.Automation.RuntimeException", inner.message, {
    inner,
    id: "RuntimeException",
  });
}

function calculateReal(operator: string, left: number, right: number, type: NetType): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      if (type === is.decimal && right === 0) {
        throw divisionByZero();
      }
      return left / right;
    case "%":
      return left % right;
    default:
      throw new Unsupported(`the operator ${operator}`);
  }
}

function calculateWhole(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "%":
      return left % right;
    default:
      throw new Unsupported(`the operator ${operator}`);
  }
}

export function negate(value: Value): Value {
  return calculate("-", { number: 0, type: is.int }, operand(value, "-", null));
}
