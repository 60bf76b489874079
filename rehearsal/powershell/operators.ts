/** Operators on evaluated operands. */
import {
  convert,
  enumerated,
  inAnyOrder,
  isNumeric,
  isSameInMemory,
  most,
  nestedText,
  numberIn,
  numberLiteral,
  plainNumber,
  shownText,
  toItems,
  toNumber,
  toText,
  tryConvert,
} from "./convert.ts";
import { compile, wildcard, type Regex } from "./regex.ts";
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
  nothing,
  Num,
  PsArray,
  Raised,
  Switch,
  unknownWords,
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
};

const contains: Comparison = (list, wanted, ignoreCase) =>
  inAnyOrder(list).some((item) => equals(item, wanted, ignoreCase));

const operators = new Map<string, Operator>([
  ...Object.entries(filters).map(([name, passes]): [string, Operator] => [
    name,
    (left, right, ignoreCase) => {
      const items = enumerated(left);
      const test = (item: Value) => passes(item, right, ignoreCase);
      return items ? is.array(items.filter(test)) : test(left);
    },
  ]),
  ["like", (left, right, ignoreCase) => like(true, left, right, ignoreCase)],
  ["notlike", (left, right, ignoreCase) => like(false, left, right, ignoreCase)],
  ["match", (...operands) => match(true, ...operands)],
  ["notmatch", (...operands) => match(false, ...operands)],
  ["replace", replace],
  ["split", split],
  ["contains", contains],
  ["notcontains", (list, wanted, ignoreCase) => !contains(list, wanted, ignoreCase)],
  ["in", (wanted, list, ignoreCase) => contains(list, wanted, ignoreCase)],
  ["notin", (wanted, list, ignoreCase) => !contains(list, wanted, ignoreCase)],
  ["join", (left, right) => elements(left)?.map(nestedText).join(toText(right)) ?? toText(left)],
  ["is", isOf],
  ["..", range],
  ["f", formatted],
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

/** The elements of a list, and none for no value at all: for an operator on texts. Undefined for a single value. */
function elements(left: Value): readonly Value[] | undefined {
  return left === nothing ? [] : enumerated(left);
}

/** Of a list, the texts of its elements that match. */
function like(wanted: boolean, left: Value, right: Value, ignoreCase: boolean): Value {
  const pattern = wildcard(toText(right), ignoreCase);
  const matches = (text: string) => pattern.test(text) === wanted;
  const items = elements(left);
  return items ? is.array(items.map(toText).filter(matches)) : matches(toText(left));
}

/** `{0}` and its like, of texts and whole numbers: others have forms that depend on the culture. */
function formatted(left: Value, right: Value): Value {
  const items = enumerated(right) ?? [right];
  const text = toText(left).replace(/\{(\d+)\}/g, (_, at: string) => {
    const item = items[Number(at)];
    if (item === null || typeof item === "string" || typeof item === "number") return toText(item);
    throw new Unsupported("the operator -f with such a value");
  });
  if (/[{}]/.test(toText(left).replace(/\{\d+\}/g, ""))) {
    throw new Unsupported("the operator -f with such a text");
  }
  return text;
}

function range(left: Value, right: Value): Value {
  const [from, to] = [left, right].map((end) => {
    // PowerShell 7 makes a range of characters of some values that 5.1 refuses.
    const isOther = isNull(end) || !isOperand(end) || (isText(end) && !/^-?\d+$/.test(toText(end)));
    const number = isOther ? undefined : tryConvert(end, is.int);
    if (number === undefined) throw new Unsupported("a range of anything but numbers");
    return number as number;
  }) as [number, number];
  const step = from <= to ? 1 : -1;
  const length = Math.abs(to - from) + 1;
  if (length > most) throw new Unsupported("a range of a million numbers");
  return is.array(Array.from({ length }, (_, index) => from + index * step));
}

/** Whether two values are equal after the right one is converted to the type of the left one. */
function equals(left: Value, right: Value, ignoreCase = true): boolean {
  if (isNull(left) || isNull(right)) return isNull(left) && isNull(right);
  if (typeof left === "string" || (left instanceof Char && isText(right))) {
    return equalTexts(toText(left), toText(right), ignoreCase);
  }
  if (isNumeric(left) || left instanceof EnumValue) {
    const isName = left instanceof EnumValue && typeof right === "string";
    const other = isName ? tryConvert(right, left.type) : right;
    return other !== undefined && isOperand(other) && numericOrder(left, other) === 0;
  }
  if (left instanceof NetObject && left.type.name === "System.Text.Encoding" && left !== right) {
    throw new Unsupported("whether an encoding is equal to something else");
  }
  const other = tryConvert(right, typeOf(left));
  if (other === undefined || isNull(other)) return left === right;
  const [first, second] = [numberIn(left), numberIn(other)];
  if (first !== undefined) return first === second;
  if (left instanceof Switch) return left.isPresent === (other as Switch).isPresent;
  const order = ordered(left, other);
  if (order === undefined && typeOf(left).isValueType && typeOf(left) === typeOf(other)) {
    throw new Unsupported(`whether two values of [${typeOf(left).name}] are equal`);
  }
  return left === right || order === 0;
}

const beyondAscii = /[^\0-\x7f]/;

function equalTexts(left: string, right: string, ignoreCase: boolean): boolean {
  const isEqual = upper(left) === upper(right);
  const isOpen = !isEqual && (beyondAscii.test(left) || beyondAscii.test(right));
  if (isOpen && left.localeCompare(right, "en", { sensitivity: "base" }) === 0) {
    // Windows has other tables than 7: a letter may be equal to two, and some characters count for nothing.
    throw new Unsupported(`whether the texts ${left} and ${right} are equal`);
  }
  return ignoreCase ? isEqual : left === right;
}

/** Linguistic order, as in .NET's invariant culture: case decides last, punctuation sorts before letters. */
function textOrder(left: string, right: string, ignoreCase: boolean): number {
  const options = { sensitivity: ignoreCase ? "accent" : "variant", caseFirst: "lower" } as const;
  const order = left.localeCompare(right, "en", options);
  if (left !== right && [left, right].some((each) => !/^[a-z\d]*$/i.test(each))) {
    refuseOpenOrder(left, right, order);
  }
  return order;
}

/** Windows, other than 7, looks at hyphens and apostrophes last, and has another order of punctuation. */
function refuseOpenOrder(left: string, right: string, order: number): void {
  const [first, second] = [left, right].map((each) => upper(each).replace(/[-']/g, "")) as [
    string,
    string,
  ];
  const at = [...first].findIndex((each, index) => each !== second.charAt(index));
  const differing = at < 0 ? [] : [first.charAt(at), second.charAt(at)];
  const isSure =
    !/[^\t\n\r -~\xc0-\u024f]/.test(left + right) &&
    (differing.length === 0 || differing.some((each) => /^(\p{L}|\d|)$/u.test(each))) &&
    Math.sign(first.localeCompare(second, "en", { sensitivity: "accent" })) === Math.sign(order);
  if (!isSure) throw new Unsupported(`the order of the texts ${left} and ${right}`);
}

/** Upper case as .NET has it: of each character by itself, and none of another language's `i` and `s`. */
export function upper(text: string): string {
  return /^[\0-\x7f]*$/.test(text)
    ? text.toUpperCase()
    : text.replace(/[^\u0131\u017f]/g, (each) =>
        each.toUpperCase().length === 1 ? each.toUpperCase() : each,
      );
}

function isText(value: Value): boolean {
  return typeof value === "string" || value instanceof Char;
}

/** The order of two objects of the same type. Undefined if they have no order. */
function ordered(left: Value, right: Value): number | undefined {
  if (isNull(left) || isNull(right) || typeOf(left) !== typeOf(right)) return undefined;
  return typeOf(left).compare?.(left, right);
}

/** The order of two operands of arithmetic. Undefined if one is a text without a number. */
function numericOrder(left: Value, right: Value): number | undefined {
  const [first, second] = [numberIn(left), numberIn(right)];
  if (first === undefined || second === undefined) return undefined;
  // A whole number becomes a double beside one.
  const isDouble = [left, right].some((each) => each instanceof Num && each.type === is.double);
  const [a, b] = isDouble ? [Number(first), Number(second)] : [first, second];
  return Number(a > b) - Number(a < b);
}

/** Less than, equal or greater than 0. */
export function compare(left: Value, right: Value, ignoreCase = true): number {
  // A list in a list has no order, not even beside null.
  if ((isNull(left) || isNull(right)) && !(left instanceof PsArray)) {
    // Null is less than everything except negative numbers.
    if (left instanceof EnumValue) throw new Unsupported("an order of a name and null");
    const sign = (value: Value) =>
      isNull(value) ? 0 : isNumeric(value) && (numberIn(value) ?? 0) < 0 ? -1 : 1;
    return sign(left) - sign(right);
  }
  if (typeof left === "string") return textOrder(left, toText(right), ignoreCase);
  if ((isNumeric(left) || left instanceof EnumValue) && isOperand(right)) {
    const parse = (text: string) =>
      isNumeric(left) ? operand(text, left) : convert(text, typeOf(left));
    return numericOrder(left, typeof right === "string" ? parse(right) : right) ?? 0;
  }
  if (left instanceof CustomObject && left !== right) {
    const message = `Cannot compare "${toText(left)}" to "${toText(right)}" because the objects are not the same type or the object "${toText(left)}" does not implement "IComparable".`;
    const inner = raised("System.Management.Automation.PSArgumentException", message).exception;
    const type = "System.Management.Automation.ExtendedTypeSystemException";
    throw raised(type, message, { id: "PSObjectCompareTo", inner });
  }
  const order = left === right ? 0 : orderAfterConversion(left, right);
  if (order === undefined) {
    const message = `Cannot compare "${toText(left)}" because it is not IComparable.`;
    throw runtimeError("NotIcomparable", message);
  }
  return order;
}

function orderAfterConversion(left: Exclude<Value, null>, right: Value): number | undefined {
  const type = typeOf(left);
  const isComparable = numberIn(left) !== undefined || type.compare !== undefined;
  if (!isComparable && left instanceof NetObject) {
    throw new Unsupported(`an order of values of [${type.name}]`);
  }
  if (!isComparable) return undefined;
  const other = comparable(left, right);
  return numberIn(left) === undefined ? ordered(left, other) : numericOrder(left, other);
}

/** The right operand of a comparison as one of the left one's type. */
function comparable(left: Exclude<Value, null>, right: Value): Value {
  try {
    return convert(right, typeOf(left));
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    const message = `Could not compare "${toText(left)}" to "${toText(right)}". Error: "${error.exception.message}"`;
    const inner = error.id === "ConvertToFinalInvalidCastException" ? null : error.exception;
    throw runtimeError("ComparisonFailure", message, undefined, inner);
  }
}

function match(
  wanted: boolean,
  left: Value,
  right: Value,
  ignoreCase: boolean,
  setMatches: SetMatches,
): Value {
  const regex = compile(toText(right), { ignoreCase });
  const items = elements(left);
  if (items) {
    return is.array(items.filter((item) => (regex.match(toText(item)) !== undefined) === wanted));
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

/** -replace, unlike the others, says itself that the pattern is wrong. */
function patternOf(text: string, ignoreCase: boolean): Regex {
  try {
    return compile(text, { ignoreCase });
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    const message = `The regular expression pattern ${text} is not valid.`;
    throw runtimeError("InvalidRegularExpression", message, undefined, error.exception);
  }
}

function replace(left: Value, right: Value, ignoreCase: boolean): Value {
  const given = right instanceof PsArray ? right.items : [right];
  if (given.length > 2) {
    const message = `The -ireplace operator allows only two elements to follow it, not ${String(given.length)}.`;
    throw runtimeError("BadReplaceArgument", message);
  }
  const [pattern = null, replacement = null] = given;
  const regex = patternOf(toText(pattern), ignoreCase);
  const one = (item: Value) => regex.replace(toText(item), toText(replacement));
  const items = elements(left);
  return items ? is.array(items.map(one)) : one(left);
}

function split(left: Value, right: Value, ignoreCase: boolean): Value {
  const given = elements(right) ?? [right];
  if (given.length === 0) {
    throw runtimeError("BadOperatorArgument", "The -split operator failed: it has no pattern.");
  }
  const [pattern = null, limit = 0, options] = given;
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
  if (!(right instanceof NetType) && typeof right !== "string") throw noType(right);
  const type = typeof right === "string" ? is.types.find(right) : right;
  if (!type) throw new Unsupported(`-is ${toText(right)}`);
  if (type === is.psObject && left !== null && !(left instanceof CustomObject)) {
    // It is one if it has been through a pipeline.
    throw new Unsupported(`[${type.name}] of any value`);
  }
  if (isNull(left)) return false;
  const own = typeOf(left);
  const isOther = own !== type && type.element !== undefined && own.is(type);
  if (isOther || isSameInMemory(own, type)) {
    // It depends on how often the script has run.
    throw new Unsupported(`[${own.name}] -is [${type.name}]`);
  }
  return type === is.psObject || own.is(type);
}

function noType(value: Value): Raised {
  if (isNull(value)) {
    const message = "The right operand of '-is' must be a type.";
    return runtimeError("IsOperatorRequiresType", message);
  }
  if (typeof value === "boolean") throw new Unsupported("-is with a truth value");
  const type = isNumeric(value) ? is.string : typeOf(value);
  const message = `Cannot convert the "${shownText(value)}" value of type "${type.name}" to type "System.Type".`;
  const { exception } = runtimeError("", message, "PSInvalidCastException");
  return runtimeError("RuntimeException", message, undefined, exception);
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

function arithmetic(operator: string, calculation: Calculation, left: Value, right: Value): Value {
  const special = withoutNumbers(operator, left, right);
  if (special !== undefined) return special;
  const { name, on } = calculation;
  if (!isOperand(left) || !isOperand(right) || !canBegin(operator, left)) {
    throw undefinedOperation(operator, name, left, right);
  }
  const [first, second] = [operand(left, right), operand(right, left)];
  const type = commonType(first, second);
  const [a, b] = [first, second].map(plainNumber) as [number, number];
  if (type === is.double) return is.toDouble(on(a, b));
  if (/[/%]/.test(operator) && b === 0) {
    const { exception } = raised("System.DivideByZeroException", "Attempted to divide by zero.");
    const type = "System.Management.Automation.RuntimeException";
    throw raised(type, exception.message, { inner: exception, id: "RuntimeException" });
  }
  if (type === is.int || type === is.uint32) {
    const number = on(a, b);
    const isWhole = Number.isInteger(number);
    return (isWhole ? toNumber(number, type) : undefined) ?? is.toDouble(number);
  }
  const [long, other] = [first, second].map((each) => BigInt(numberIn(each) ?? 0)) as [
    bigint,
    bigint,
  ];
  // JavaScript's operators work on bigints as well as on numbers.
  const exact = (on as unknown as (left: bigint, right: bigint) => bigint)(long, other);
  const isExact = operator !== "/" || long % other === 0n;
  return (isExact ? toNumber(exact, type) : undefined) ?? is.toDouble(on(a, b));
}

export function negate(value: Value): Value {
  return binary("-", 0, value, () => undefined);
}

/** The result if the operands are texts, lists or objects. Undefined if the operation is on numbers. */
function withoutNumbers(operator: string, left: Value, right: Value): Value | undefined {
  if (operator === "+") {
    if (isText(left)) return toText(left) + toText(right);
    if (isNull(left)) return right === nothing ? null : right;
    if (left instanceof PsArray) {
      return is.array([...left.items, ...(elements(right) ?? [right])]);
    }
  }
  if (operator === "*") {
    if (isNull(left)) return null;
    if (typeof left === "string") return left.repeat(times(left, right, is.int));
    if (left instanceof PsArray) {
      const length = times(left.items, right, is.uint32);
      return is.array(Array.from({ length }, () => left.items).flat(), left.type);
    }
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

/** How often a text or a list is to be repeated. */
function times(what: { readonly length: number }, right: Value, type: NetType): number {
  const number = convert(typeof right === "string" ? operand(right, 0) : right, type);
  const count = plainNumber(number as number | Num);
  if (count < 0) {
    const message = `times must be a non-negative value.${unknownWords}`;
    throw raised("System.ArgumentOutOfRangeException", message);
  }
  if (what.length * count > most) throw new Unsupported("a text or list of a million elements");
  return what.length === 0 ? 0 : count;
}

type Operand = null | string | number | bigint | boolean | Num | Char | EnumValue;

/** Whether arithmetic takes a value, or at least tries to find a number in it. */
function isOperand(value: Value): value is Operand {
  return (
    isNull(value) ||
    typeof value !== "object" ||
    [Num, Char, EnumValue].some((each) => value instanceof each)
  );
}

/** Whether an operand can be on the left: no truth value and no character can be multiplied. */
function canBegin(operator: string, left: Operand): boolean {
  const isNumber = typeof left !== "boolean" && !(left instanceof Char);
  return !(left instanceof EnumValue) && (operator !== "*" || isNumber);
}

/** A number for an operand. `other` says which type a text that is no number fails to convert to. */
function operand(value: Operand, other: Operand): number | bigint | Num {
  if (isNumeric(value)) return value;
  if (typeof value !== "string") return Number(numberIn(value));
  const type = isNumeric(other) ? typeOf(other) : is.int;
  return numberLiteral(value) ?? (convert(value, type) as number | bigint | Num);
}

/** The type in which two numbers are calculated. */
function commonType(...operands: readonly (number | bigint | Num)[]): NetType {
  const types = operands.map(typeOf);
  if (types.includes(is.decimal)) throw new Unsupported("arithmetic on a [decimal]");
  const isNegative = operands.some((each) => plainNumber(each) < 0);
  if (isNegative && types.includes(is.uint64) && !types.includes(is.double)) {
    throw new Unsupported("a negative number beside an unsigned one of 64 bits");
  }
  const found = [is.double, is.uint64, is.long, is.uint32].find((type) => types.includes(type));
  return found === is.uint32 && isNegative ? is.long : (found ?? is.int);
}

function undefinedOperation(operator: string, name: string, left: Value, right: Value): Raised {
  if (left instanceof EnumValue) {
    throw new Unsupported(`the operator ${operator} on [${left.type.name}]`);
  }
  // 7 calls it a PSObject where the compiler knows it.
  const nameOf = (value: Exclude<Value, null>): string =>
    value instanceof CustomObject ? `${typeOf(value).name}${unknownWords}` : typeOf(value).name;
  const types = [left, right].map((each) => (isNull(each) ? "$null" : nameOf(each)));
  const [first, second] = types as [string, string];
  if (isOperand(left) && isOperand(right)) {
    const message = `The operation '[${first}] ${operator} [${second}]' is not defined.`;
    return runtimeError("NotADefinedOperationForType", message);
  }
  const type = isOperand(left) && typeof left !== "string" ? second : first;
  const message = `Method invocation failed because [${type}] does not contain a method named '${name}'.`;
  return runtimeError("MethodNotFound", message);
}
