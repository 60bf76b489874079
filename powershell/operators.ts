/** The operators on values that are already worked out. */
import {
  convert,
  enumerated,
  isNumeric,
  nestedText,
  numberIn,
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
import { raised, runtimeError, typeOf } from "./types.ts";
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

type Comparison = (left: Value, right: Value, ignoreCase: boolean) => boolean;
type Operator = (left: Value, right: Value, ignoreCase: boolean, setMatches: SetMatches) => Value;

/** With a list on its left such a comparison picks elements; else it says whether. */
const filters: Readonly<Record<string, Comparison>> = {
  eq: equals,
  ne: (left, right, ignoreCase) => !equals(left, right, ignoreCase),
  gt: (left, right, ignoreCase) => compare(left, right, ignoreCase) > 0,
  ge: (left, right, ignoreCase) => compare(left, right, ignoreCase) >= 0,
  lt: (left, right, ignoreCase) => compare(left, right, ignoreCase) < 0,
  le: (left, right, ignoreCase) => compare(left, right, ignoreCase) <= 0,
  like: isLike,
  notlike: (left, right, ignoreCase) => !isLike(left, right, ignoreCase),
};

const contains: Comparison = (list, wanted, ignoreCase) =>
  toItems(list).some((item) => equals(item, wanted, ignoreCase));

/** Operators by their names without the dash. */
const operators = new Map<string, Operator>([
  ...Object.entries(filters).map(([name, passes]): [string, Operator] => [
    name,
    (left, right, ignoreCase) => filter(left, (item) => passes(item, right, ignoreCase)),
  ]),
  ["match", (...operands) => match(true, ...operands)],
  ["notmatch", (...operands) => match(false, ...operands)],
  ["replace", replace],
  ["split", split],
  ["contains", contains],
  ["notcontains", (list, wanted, ignoreCase) => !contains(list, wanted, ignoreCase)],
  ["in", (wanted, list, ignoreCase) => contains(list, wanted, ignoreCase)],
  ["notin", (wanted, list, ignoreCase) => !contains(list, wanted, ignoreCase)],
  ["f", (left, right) => formatOperator(toText(left), listed(right), toText)],
  ["join", (left, right) => joined(left, toText(right))],
  ["is", isOf],
  ["isnot", (left, right) => !isOf(left, right)],
  ["..", range],
]);

/** A binary operator but -and, -or and -xor. A `c` before a comparison's name is written as in the script. */
export function binary(operator: string, left: Value, right: Value, setMatches: SetMatches): Value {
  const calculation = calculations[operator];
  if (calculation) {
    return arithmetic(operator, calculation, left, right);
  }
  const name = operator.replace("-", "");
  const run = operators.get(name) ?? operators.get(name.replace(/^c/, ""));
  if (!run) {
    throw new Unsupported(`the operator ${operator}`);
  }
  return run(left, right, operators.has(name), setMatches);
}

/** Lists within the list show their type only. */
export function joined(list: Value, separator: string): string {
  return toItems(list).map(nestedText).join(separator);
}

function filter(left: Value, passes: (item: Value) => boolean): Value {
  const items = enumerated(left);
  return items ? is.array(items.filter(passes)) : passes(left);
}

/** An operator's right side that may have several parts. */
function listed(right: Value): readonly Value[] {
  return right instanceof PsArray ? right.items : [right];
}

function isLike(left: Value, right: Value, ignoreCase: boolean): boolean {
  return wildcard(toText(right), ignoreCase).test(toText(left));
}

function range(left: Value, right: Value): Value {
  const from = convert(left, is.int) as number;
  const to = convert(right, is.int) as number;
  const step = from <= to ? 1 : -1;
  const length = Math.abs(to - from) + 1;
  return is.array(Array.from({ length }, (_, index) => from + index * step));
}

/** Whether two values are equal, the right one turned into the type of the left one. */
export function equals(left: Value, right: Value, ignoreCase = true): boolean {
  if (isNull(left) || isNull(right)) {
    return isNull(left) && isNull(right);
  }
  const isText = (value: Value) => typeof value === "string" || value instanceof Char;
  if (typeof left === "string" || (isText(left) && isText(right))) {
    const [first, second] = [toText(left), toText(right)];
    return ignoreCase ? first.toUpperCase() === second.toUpperCase() : first === second;
  }
  if (typeof left === "boolean" || left instanceof Switch) {
    return toBool(left) === toBool(right);
  }
  if (isNumeric(left) || left instanceof Char) {
    return numberIn(left) == numberIn(right); // JavaScript compares a number with a bigint by value.
  }
  const other = tryConvert(right, typeOf(left));
  if (left instanceof EnumValue) {
    return other instanceof EnumValue && other.number === left.number;
  }
  return left === right || (other !== undefined && compareNet(left, other) === 0);
}

/** Less than, equal or greater than 0. */
export function compare(left: Value, right: Value, ignoreCase = true): number {
  if (isNull(left) || isNull(right)) {
    // Null is less than everything, but for negative numbers.
    const sign = (value: Value) =>
      isNull(value) ? 0 : isNumeric(value) && (numberIn(value) ?? 0) < 0 ? -1 : 1;
    return sign(left) - sign(right);
  }
  if (typeof left === "string") {
    return (ignoreCase ? caselessCollator : collator).compare(left, toText(right));
  }
  const other =
    isNumeric(left) && numberIn(right) !== undefined ? right : convert(right, typeOf(left));
  const [first, second] = [numberIn(left), numberIn(other)];
  const order =
    first === undefined || second === undefined
      ? compareNet(left, other)
      : Number(first > second) - Number(first < second);
  if (order === undefined) {
    const message = `Cannot compare "${toText(left)}" because it is not IComparable.`;
    throw runtimeError("NotIcomparable", message);
  }
  return order;
}

/** By language, as .NET's invariant culture: letters before their case, punctuation before letters. */
const collator = new Intl.Collator("en", { sensitivity: "variant", caseFirst: "lower" });
const caselessCollator = new Intl.Collator("en", { sensitivity: "accent" });

function match(
  wanted: boolean,
  left: Value,
  right: Value,
  ignoreCase: boolean,
  setMatches: SetMatches,
): Value {
  const regex = compile(toText(right), { ignoreCase });
  if (enumerated(left)) {
    return filter(left, (item) => (regex.match(toText(item)) !== undefined) === wanted);
  }
  const found = regex.match(toText(left));
  if (found) {
    const groups = new Hashtable(is.hashtable);
    for (const { name, value } of found.groups.filter((group) => group.success)) {
      groups.set(/^\d+$/.test(name) ? Number(name) : name, value);
    }
    setMatches(groups);
  }
  return (found !== undefined) === wanted;
}

function replace(left: Value, right: Value, ignoreCase: boolean): Value {
  const [pattern = null, replacement = null] = listed(right);
  const regex = compile(toText(pattern), { ignoreCase });
  const one = (item: Value) => regex.replace(toText(item), toText(replacement));
  const items = enumerated(left);
  return items ? is.array(items.map(one)) : one(left);
}

const texts = is.types.array(is.string);

function split(left: Value, right: Value, ignoreCase: boolean): Value {
  const [pattern = null, limit = 0, options] = listed(right);
  const count = convert(limit, is.int) as number;
  if (options !== undefined || count < 0) {
    throw new Unsupported("-split with options or a negative limit");
  }
  const regex = compile(toText(pattern), { ignoreCase });
  return is.array(
    toItems(left).flatMap((item) => regex.split(toText(item), count)),
    texts,
  );
}

/** `-split 'a b'`: by white space, without the outer one. */
export function splitWords(value: Value): Value {
  return is.array(
    toItems(value).flatMap((item) => toText(item).trim().split(/\s+/)),
    texts,
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
  return type === is.psObject ? left instanceof CustomObject : typeOf(left).is(type);
}

interface Calculation {
  /** .NET's name of it. */
  readonly name: string;
  readonly on: (left: number, right: number) => number;
}

const calculations: Readonly<Record<string, Calculation>> = {
  "+": { name: "op_Addition", on: (left, right) => left + right },
  "-": { name: "op_Subtraction", on: (left, right) => left - right },
  "*": { name: "op_Multiply", on: (left, right) => left * right },
  "/": { name: "op_Division", on: (left, right) => left / right },
  "%": { name: "op_Modulus", on: (left, right) => left % right },
};

function arithmetic(operator: string, { name, on }: Calculation, left: Value, right: Value): Value {
  const special =
    (operator === "+" ? add(left, right) : operator === "*" ? repeat(left, right) : undefined) ??
    arithmeticNet(operator, left, right);
  if (special !== undefined) {
    return special;
  }
  const [first, second] = [operand(left, name, right), operand(right, name, left)];
  const types = [first.type, second.type];
  const type = [is.double, is.decimal, is.long].find((each) => types.includes(each)) ?? is.int;
  if (type !== is.double && (operator === "/" || operator === "%") && !second.number) {
    throw divisionByZero();
  }
  if (type === is.double || type === is.decimal) {
    return new Num(type, on(Number(first.number), Number(second.number)));
  }
  const whole = [BigInt(first.number), BigInt(second.number)] as const;
  if (operator === "/" && whole[0] % whole[1] !== 0n) {
    return is.toDouble(Number(whole[0]) / Number(whole[1]));
  }
  // JavaScript's operators are the same on both of its kinds of numbers.
  const result = (on as unknown as (left: bigint, right: bigint) => bigint)(...whole);
  return toNumber(result, type) ?? is.toDouble(Number(result));
}

export function negate(value: Value): Value {
  return binary("-", 0, value, () => undefined);
}

/** What is added but numbers; undefined: they are numbers, or moments. */
function add(left: Value, right: Value): Value | undefined {
  if (typeof left === "string" || (left instanceof Char && !isNumeric(right))) {
    return toText(left) + toText(right);
  }
  if (left instanceof PsArray) {
    return is.array([...left.items, ...(enumerated(right) ?? [right])]);
  }
  if (left instanceof Hashtable) {
    throw new Unsupported("the sum of hashtables");
  }
  return isNull(left) && !isNumeric(right) ? right : undefined;
}

function repeat(left: Value, right: Value): Value | undefined {
  if (left instanceof PsArray) {
    throw new Unsupported("an array times a number");
  }
  return typeof left === "string" ? left.repeat(convert(right, is.int) as number) : undefined;
}

interface Operand {
  readonly number: number | bigint;
  /** Int32, Int64, Decimal or Double. */
  readonly type: NetType;
}

/** What numbers of other types become in a sum. */
const widened = new Map([
  [is.byte, is.int],
  [is.uint32, is.long],
  [is.uint64, is.long],
  [is.single, is.double],
]);

function operand(value: Value, operator: string, other: Value): Operand {
  const number = value instanceof PsArray ? undefined : numberIn(value);
  if (number !== undefined) {
    const own =
      typeof number === "bigint" ? is.long : Number.isInteger(number) ? is.int : is.double;
    const type = value instanceof Num ? (widened.get(value.type) ?? value.type) : own;
    return { number, type };
  }
  if (typeof value === "string") {
    convert(value, isNumeric(other) ? typeOf(other) : is.int); // Throws: it is no number.
  }
  const type = isNull(value) ? "null" : typeOf(value).name;
  throw runtimeError(
    "MethodNotFound",
    `Method invocation failed because [${type}] does not contain a method named '${operator}'.`,
  );
}

function divisionByZero(): Raised {
  const inner = raised("System.DivideByZeroException", "Attempted to divide by zero.").exception;
  const type = "System.Management.Automation.RuntimeException";
  return raised(type, inner.message, { inner, id: "RuntimeException" });
}
