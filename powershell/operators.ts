/** Operators on evaluated operands. */
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
import { compile, wildcard } from "./regex.ts";
import * as is from "./types.ts";
import { raised, runtimeError, typeOf } from "./types.ts";
import {
  Char,
  CustomObject,
  EnumValue,
  Hashtable,
  isNull,
  NetObject,
  NetType,
  Num,
  PsArray,
  Switch,
  Unsupported,
  type Instance,
  type Value,
} from "./values.ts";

type SetMatches = (groups: Hashtable) => void;

type Comparison = (left: Value, right: Value, ignoreCase: boolean) => boolean;
type Operator = (left: Value, right: Value, ignoreCase: boolean, setMatches: SetMatches) => Value;

/** Comparisons that return the matching elements of a list on the left, and a boolean for any other value. */
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
  ["join", (left, right) => toItems(left).map(nestedText).join(toText(right))],
  ["is", isOf],
  ["..", range],
]);

/** Applies a binary operator other than -and and -or. Case-sensitive forms keep their leading `c`. */
export function binary(operator: string, left: Value, right: Value, setMatches: SetMatches): Value {
  const calculation = calculations[operator];
  if (calculation) return arithmetic(operator, calculation, left, right);
  const name = operator.replace("-", "");
  const run = operators.get(name) ?? operators.get(name.replace(/^c/, ""));
  if (!run) throw new Unsupported(`the operator ${operator}`);
  return run(left, right, operators.has(name), setMatches);
}

function filter(left: Value, passes: (item: Value) => boolean): Value {
  const items = enumerated(left);
  return items ? is.array(items.filter(passes)) : passes(left);
}

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

/** Whether two values are equal after the right one is converted to the type of the left one. */
export function equals(left: Value, right: Value, ignoreCase = true): boolean {
  if (isNull(left) || isNull(right)) return isNull(left) && isNull(right);
  const isText = (value: Value) => typeof value === "string" || value instanceof Char;
  if (typeof left === "string" || (isText(left) && isText(right))) {
    const [first, second] = [toText(left), toText(right)];
    return ignoreCase ? first.toUpperCase() === second.toUpperCase() : first === second;
  }
  if (typeof left === "boolean" || left instanceof Switch) return toBool(left) === toBool(right);
  if (isNumeric(left) || left instanceof Char) {
    return numberIn(left) == numberIn(right); // JavaScript compares a number with a bigint by value.
  }
  const other = tryConvert(right, typeOf(left));
  if (left instanceof EnumValue) return other instanceof EnumValue && other.number === left.number;
  return left === right || (other !== undefined && ordered(left, other) === 0);
}

/** The order of two objects of the same type. Undefined if they have no order. */
function ordered(left: Value, right: Value): number | undefined {
  const type = isNull(left) || isNull(right) ? undefined : typeOf(left);
  return type === typeOf(right as Instance) ? type.compare?.(left, right) : undefined;
}

/** Less than, equal or greater than 0. */
export function compare(left: Value, right: Value, ignoreCase = true): number {
  if (isNull(left) || isNull(right)) {
    // Null is less than everything except negative numbers.
    const sign = (value: Value) =>
      isNull(value) ? 0 : isNumeric(value) && (numberIn(value) ?? 0) < 0 ? -1 : 1;
    return sign(left) - sign(right);
  }
  if (typeof left === "string") {
    // Linguistic order, as in .NET's invariant culture: case decides last, punctuation sorts before letters.
    const sensitivity = ignoreCase ? "accent" : "variant";
    return left.localeCompare(toText(right), "en", { sensitivity, caseFirst: "lower" });
  }
  const other =
    isNumeric(left) && numberIn(right) !== undefined ? right : convert(right, typeOf(left));
  const [first, second] = [numberIn(left), numberIn(other)];
  const order =
    first === undefined || second === undefined
      ? ordered(left, other)
      : Number(first > second) - Number(first < second);
  if (order === undefined) {
    const message = `Cannot compare "${toText(left)}" because it is not IComparable.`;
    throw runtimeError("NotIcomparable", message);
  }
  return order;
}

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
    for (const { name, value } of found.groups) {
      if (value !== undefined) {
        groups.set(/^\d+$/.test(name) ? Number(name) : name, value);
      }
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

function split(left: Value, right: Value, ignoreCase: boolean): Value {
  const [pattern = null, limit = 0, options] = listed(right);
  const count = convert(limit, is.int) as number;
  if (options !== undefined || count < 0) {
    throw new Unsupported("-split with options or a negative limit");
  }
  const regex = compile(toText(pattern), { ignoreCase });
  return is.array(
    toItems(left).flatMap((item) => regex.split(toText(item), count)),
    is.types.array(is.string),
  );
}

function isOf(left: Value, right: Value): boolean {
  const type = right instanceof NetType ? right : is.types.find(toText(right));
  if (!type) throw new Unsupported(`-is ${toText(right)}`);
  if (isNull(left)) return false;
  return type === is.psObject ? left instanceof CustomObject : typeOf(left).is(type);
}

interface Calculation {
  /** .NET's name for the operator. */
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
  const special = withoutNumbers(operator, left, right);
  if (special !== undefined) return special;
  const [first, second] = [operand(left, name, right), operand(right, name, left)];
  if (typeof first === "number" || typeof second === "number") {
    return is.toDouble(on(Number(first), Number(second)));
  }
  if (/[/%]/.test(operator) && second === 0n) {
    const { exception } = raised("System.DivideByZeroException", "Attempted to divide by zero.");
    const type = "System.Management.Automation.RuntimeException";
    throw raised(type, exception.message, { inner: exception, id: "RuntimeException" });
  }
  if (operator === "/" && first % second !== 0n) return is.toDouble(Number(first) / Number(second));
  // JavaScript's operators work on bigints as well as on numbers.
  const result = (on as unknown as (left: bigint, right: bigint) => bigint)(first, second);
  // An unsigned number counts as an Int64 in a sum.
  const large = [is.long, is.uint32, is.uint64];
  const isLong = [left, right].some((each) => !isNull(each) && large.includes(typeOf(each)));
  return toNumber(result, isLong ? is.long : is.int) ?? is.toDouble(Number(result));
}

export function negate(value: Value): Value {
  return binary("-", 0, value, () => undefined);
}

/** The result if the operands are texts, lists or objects. Undefined if the operation is on numbers. */
function withoutNumbers(operator: string, left: Value, right: Value): Value | undefined {
  if (
    operator === "+" &&
    (typeof left === "string" || (left instanceof Char && !isNumeric(right)))
  ) {
    return toText(left) + toText(right);
  }
  if (operator === "+" && left instanceof PsArray) {
    return is.array([...left.items, ...(enumerated(right) ?? [right])]);
  }
  if (operator === "+" && isNull(left) && !isNumeric(right)) return right;
  if (operator === "*" && typeof left === "string") {
    return left.repeat(convert(right, is.int) as number);
  }
  if ([left, right].some((each) => each instanceof NetObject || each instanceof Hashtable)) {
    const type = operator === "-" && left instanceof NetObject ? left.type : undefined;
    if (!type?.subtract || type !== (right as Instance | null)?.type) {
      throw new Unsupported(`the operator ${operator} between objects`);
    }
    return type.subtract(left, right);
  }
  return undefined;
}

/** A whole number as bigint, a double as number. */
function operand(value: Value, operator: string, other: Value): number | bigint {
  const number = value instanceof PsArray ? undefined : numberIn(value);
  if (number !== undefined) {
    const isDouble =
      value instanceof Num ? value.type === is.double : !Number.isInteger(Number(number));
    return isDouble ? Number(number) : BigInt(number);
  }
  if (typeof value === "string") {
    convert(value, isNumeric(other) ? typeOf(other) : is.int); // Throws, because it is not a number.
  }
  const type = isNull(value) ? "null" : typeOf(value).name;
  throw runtimeError(
    "MethodNotFound",
    `Method invocation failed because [${type}] does not contain a method named '${operator}'.`,
  );
}
