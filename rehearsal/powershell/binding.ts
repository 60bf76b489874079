/** Binds arguments to the parameters of functions, scripts and cmdlets. */
import type { Argument } from "./commands.ts";
import { cannotConvert, convert, enumerated, isNumeric, toText, tryConvert } from "./convert.ts";
import { endOfNames } from "./lexer.ts";
import { errorAction, type Formal, type Signature } from "./parameters.ts";
import type { Position } from "./syntax.ts";
import * as is from "./types.ts";
import { runtimeError, typeOf } from "./types.ts";
import {
  Char,
  EnumValue,
  Hashtable,
  isNull,
  nothing,
  PsArray,
  Raised,
  Switch,
  Unsupported,
  unknownWords,
  type NetException,
  type NetType,
  type Value,
} from "./values.ts";

export interface Bound {
  readonly signature: Signature;
  readonly values: Map<string, Value>;
  /** Arguments that match no parameter of a plain function: its `$args`. */
  readonly rest: Value[];
  piped?: Formal;
  /** An argument with a name that there is not. What is wrong with others is said before it. */
  unknown?: Raised;
}

const otherCommonNames =
  /^(verbose|debug|(warning|information)action|(error|warning|out)variable|outbuffer|pipelinevariable)$/i;

export function bind(signature: Signature, args: readonly Argument[], piped: boolean): Bound {
  const bound: Bound = { signature, values: new Map(), rest: [] };
  const { values } = bound;
  const named: [Formal, Argument][] = [];
  const positional: Argument[] = [];
  const remaining = args.flatMap(({ written, ...argument }) => {
    if (written === endOfNames) return [];
    // A bare negative number is a text.
    return written?.startsWith("-") ? { ...argument, value: written } : { written, ...argument };
  });
  const next = (): Argument | undefined =>
    remaining[0]?.name === undefined ? remaining.shift() : undefined;
  /** What looks like a parameter and is none is a value behind one. */
  const nextName = (): Argument | undefined => {
    const [first] = remaining;
    if (first?.name === undefined || first.value !== undefined) return undefined;
    if (findParameter(signature, first.name, first.position)) return undefined;
    remaining.shift();
    return { value: `-${first.name}`, position: first.position };
  };
  for (let argument = remaining.shift(); argument; argument = remaining.shift()) {
    const { name, position } = argument;
    if (name === undefined) {
      positional.push(argument);
      continue;
    }
    const formal = findParameter(signature, name, position);
    const isAlone = argument.value === undefined;
    if (formal) {
      const isOn = isAlone && formal.type === is.switchParameter;
      if (isAlone && !isOn && remaining[0]?.splatted) {
        throw new Unsupported(`a table of arguments behind -${name}`);
      }
      const given = isOn ? { value: true, position } : isAlone ? (next() ?? nextName()) : argument;
      if (given?.value === undefined) {
        const message = `Missing an argument for parameter '${formal.name}'. Specify a parameter of type '${formal.type?.name ?? "System.Object"}' and try again.`;
        throw bindingError(signature, "MissingArgument", message);
      }
      named.push([formal, given]);
      continue;
    }
    if (argument.splatted && args.some((each) => each.name === undefined)) {
      throw new Unsupported(`-${name} out of a table, beside arguments without a name`); // 5.1 binds them otherwise.
    }
    // What follows an unknown name is for no parameter either.
    const following = next();
    if (signature.strict) {
      const message = `A parameter cannot be found that matches parameter name '${name}'.`;
      bound.unknown ??= bindingError(signature, "NamedParameterNotFound", message);
    } else {
      const written = { value: isAlone ? `-${name}` : `-${name}:`, position };
      const all = [written, ...(isAlone ? [] : [argument]), ...(following ? [following] : [])];
      positional.push(...all.map((each) => ({ ...each, name: undefined, unbound: true })));
    }
  }
  for (const [formal, given] of named) bindNamed(bound, formal, given);
  bindPositional(bound, positional);
  if (bound.unknown) throw bound.unknown;
  const action = values.get(errorAction.key);
  if (action !== undefined && tryConvert(action, is.actionPreference) === undefined) {
    throw new Unsupported(`-ErrorAction ${toText(action)}`);
  }
  const free = signature.formals.filter(({ key }) => !values.has(key));
  bound.piped = piped ? free.find(({ isPiped }) => isPiped) : undefined;
  const missing = free.find((each) => each.mandatory && each !== bound.piped);
  if (missing && piped && signature.strict) {
    throw new Unsupported(`what is piped to ${signature.cmdlet ?? signature.name}`);
  }
  if (missing) {
    // Which parameters a cmdlet misses depends on its sets.
    const names = missing.name + (signature.cmdlet ? unknownWords : "");
    const message = `Cannot process command because of one or more missing mandatory parameters: ${names}.`;
    throw bindingError(signature, "MissingMandatoryParameter", message);
  }
  return bound;
}

function bindNamed(bound: Bound, formal: Formal, { value = null, written }: Argument): void {
  const { signature, values } = bound;
  if (values.has(formal.key)) {
    const message = `Cannot bind parameter because parameter '${formal.name}' is specified more than once. To provide multiple values to parameters that can accept multiple values, use the array syntax. For example, "-parameter value1,value2,value3".`;
    throw bindingError(signature, "ParameterAlreadyBound", message);
  }
  accept(bound, formal, value, written);
}

function bindPositional(bound: Bound, args: readonly Argument[]): void {
  const { signature, values, rest } = bound;
  const free = signature.formals
    .filter(({ position, key }) => position !== undefined && !values.has(key))
    .filter(({ key }) => !(signature.cmdlet && key === "path" && values.has("literalpath")))
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  for (const { value = null, unbound, written, position } of args) {
    const formal = unbound ? undefined : free.shift();
    if (formal) {
      refuseNullTexts(formal, value);
      accept(bound, formal, value, written);
    } else if (signature.cmdlet) {
      throw new Unsupported(`an argument of ${signature.cmdlet} without a name`).at(position);
    } else if (bound.unknown) {
      throw new Unsupported("several arguments that there is no parameter for");
    } else if (signature.strict) {
      const message = `A positional parameter cannot be found that accepts argument '${toText(value)}'.`;
      throw bindingError(signature, "PositionalParameterNotFound", message);
    } else {
      refuseWritten(value, written);
      rest.push(value);
    }
  }
}

/** Finds a parameter by name or unambiguous prefix. Undefined if a plain function has no such parameter. */
function findParameter(signature: Signature, name: string, position: Position): Formal | undefined {
  const wanted = name.toLowerCase();
  const all = [...signature.formals, ...(signature.strict ? [errorAction] : [])];
  const matching = all.filter(({ key }) => key.startsWith(wanted));
  const found = matching.find(({ key }) => key === wanted) ?? matching[0];
  if (found?.key !== wanted && matching.length > 1) {
    const message = `Parameter cannot be processed because the parameter name '${name}' is ambiguous. Possible matches include: ${matching.map((each) => `-${each.name}`).join(" ")}.`;
    throw bindingError(signature, "AmbiguousParameter", message);
  }
  if (!found && (signature.cmdlet || (signature.strict && otherCommonNames.test(name)))) {
    throw new Unsupported(`the parameter -${name} of ${signature.cmdlet ?? signature.name}`).at(
      position,
    );
  }
  return found;
}

/** What takes any value would show a number as it was written: 1.50, 0x10. */
function refuseWritten(value: Value, written: string | undefined): void {
  if (written !== undefined && isNumeric(value) && toText(value) !== written) {
    throw new Unsupported(`the argument ${written}`);
  }
}

/** They stay null for a parameter that is not named, and become empty for one that is. */
function refuseNullTexts({ name, type, mandatory, allows }: Formal, value: Value): void {
  const isRejected = mandatory && !allows.has("allowemptystring");
  if (type?.element !== is.string || !(value instanceof PsArray) || isRejected) return;
  if (value.items.some(isNull)) throw new Unsupported(`null in a list of texts for $${name}`);
}

export function bindInput(bound: Bound, value: Value): void {
  if (bound.piped) {
    refuseNullTexts(bound.piped, value);
    try {
      accept(bound, bound.piped, value);
    } catch (error) {
      // PowerShell goes on with the next value.
      throw error instanceof Raised
        ? new Unsupported(`a piped value that does not suit ${bound.piped.name}`)
        : error;
    }
  } else if (bound.signature.strict) {
    throw new Unsupported(`what is piped to ${bound.signature.cmdlet ?? bound.signature.name}`);
  }
}

/** `inner` is the type of the exception in it, below System.Management.Automation, `cause` the one in that. */
function bindingError(
  signature: Signature,
  id: string,
  message: string,
  kind = "",
  inner?: string,
  cause?: NetException | null,
): Raised {
  const below =
    inner === undefined
      ? undefined
      : runtimeError(id, message + unknownWords, inner, cause).exception;
  const type = `ParameterBinding${kind}Exception`;
  return runtimeError(`${id},${signature.name}`, message, type, below);
}

function accept(bound: Bound, formal: Formal, given: Value, written?: string): void {
  const { signature, values } = bound;
  const value = given === nothing ? null : given;
  const { name, type, mandatory, allows } = formal;
  const isOfCmdlet = signature.cmdlet !== undefined;
  if (
    (given === nothing && type === is.scriptBlock) ||
    (isNull(value) && isOfCmdlet && type === is.int)
  ) {
    throw new Unsupported(`nothing for -${name}`);
  }
  const reject = (id: string, message: string) => {
    const inner = id === "" ? "ValidationMetadataException" : undefined;
    const full = `ParameterArgumentValidationError${id}`;
    throw bindingError(signature, full, message, "Validation", inner);
  };
  const rejectEmpty = (id: string, what: string) => {
    const message = `Cannot bind argument to parameter '${name}' because it is ${what}.`;
    reject(`${id}NotAllowed`, message);
  };
  const takesEmptyText = allows.has("allowemptystring");
  if (mandatory && isNull(value) && !type?.isValueType && !allows.has("allownull")) {
    if (type !== is.string) {
      rejectEmpty("Null", "null");
    } else if (!takesEmptyText) {
      rejectEmpty("EmptyString", "an empty string");
    }
  }
  if (type !== is.string && !type?.isValueType) refuseWritten(value, written);
  const isWritten = type === is.string && written !== undefined;
  const converted = isWritten ? written : convertArgument(signature, value, type);
  if (converted === undefined) {
    const why = whyNot(value, type ?? is.object);
    if (signature.cmdlet) {
      const message = `Cannot bind parameter '${name}'. ${why.message}`;
      const id = "CannotConvertArgumentNoMessage";
      throw bindingError(signature, id, message, "", "PSInvalidCastException", why.inner);
    }
    const message = `Cannot process argument transformation on parameter '${name}'. ${why.message}`;
    const kind = "ArgumentTransformation";
    const inner = "ArgumentTransformationMetadataException";
    throw bindingError(
      signature,
      "ParameterArgumentTransformationError",
      message,
      kind,
      inner,
      why,
    );
  }
  for (const validator of formal.validators) {
    const problem = validator(converted);
    if (problem !== undefined) {
      reject("", `Cannot validate argument on parameter '${name}'. ${problem}`);
    }
  }
  if (mandatory && type) {
    const element = type.name === "System.Array" ? is.object : type.element;
    const items = element && converted instanceof PsArray ? converted.items : [converted];
    if (items.length === 0 && !allows.has("allowemptycollection")) {
      rejectEmpty("EmptyArray", "an empty array");
    }
    if ((element ?? type) === is.string && items.includes("") && !takesEmptyText) {
      rejectEmpty("EmptyString", "an empty string");
    }
    if (element?.isValueType === false && !allows.has("allownull") && items.some(isNull)) {
      rejectEmpty("Null", "null");
    }
  }
  values.set(formal.key, converted);
}

/** Why a value is no argument for a parameter of a type. */
function whyNot(value: Value, type: NetType): NetException {
  const castError = (message: string) =>
    runtimeError("", message, "PSInvalidCastException").exception;
  if ((type === is.bool || type === is.switchParameter) && !isNumeric(value)) {
    const from = isNull(value) ? "" : typeOf(value).name;
    return castError(
      `Cannot convert value "${from}" to type "${type.name}". Boolean parameters accept only Boolean values and numbers, such as $True, $False, 1 or 0.`,
    );
  }
  if (type === is.string) return castError(`Cannot convert value to type ${type.name}.`);
  try {
    convert(value, type);
  } catch (error) {
    if (error instanceof Raised) return error.exception;
    if (!(error instanceof Unsupported)) throw error;
  }
  return cannotConvert(value, type).exception;
}

function convertArgument(signature: Signature, value: Value, type?: NetType): Value | undefined {
  if (!type || (signature.cmdlet && isNull(value))) return value;
  const isOther = type === is.psObject || type === is.hashtable;
  if (isOther && value instanceof Hashtable && value.type !== type) {
    throw new Unsupported(`[${value.type.name}] as [${type.name}]`);
  }
  if (type === is.hashtable && value instanceof Char) {
    throw new Unsupported("a character as [hashtable]"); // It is a number for its constructor.
  }
  if (type === is.scriptBlock || type === is.hashtable) {
    return isNull(value) || typeOf(value).is(type) ? value : undefined;
  }
  if (
    type &&
    !type.element &&
    type !== is.switchParameter &&
    signature.cmdlet &&
    value instanceof PsArray
  ) {
    // Some cmdlets of 7 take several.
    throw new Unsupported(`a list for one value of ${signature.cmdlet}`);
  }
  const items = type.element === is.string && value instanceof PsArray ? value.items : [];
  if (signature.cmdlet && items.some((each) => each instanceof PsArray)) {
    throw new Unsupported(`a list in a list for ${signature.cmdlet}`);
  }
  const isLogical = typeof value === "boolean" || value instanceof Switch;
  const isCount = isNumeric(value) || value instanceof EnumValue;
  const isRefused =
    (type === is.bool && !isLogical && !isCount) ||
    (type === is.switchParameter &&
      !(isLogical || isNull(value) || (isCount && signature.cmdlet))) ||
    (type === is.string && signature.strict && value instanceof PsArray);
  if (isRefused) return undefined;
  try {
    const converted = tryConvert(value, type);
    const isMade = type.constructors.length + type.staticMethods.size > 0;
    if (converted === undefined && isMade) {
      if (value instanceof Hashtable) throw new Unsupported(`a table as [${type.name}]`);
      if (isNumeric(value)) return tryConvert(toText(value), type);
    }
    return converted;
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    return undefined; // The type itself refuses the value.
  }
}

export function splat(value: Value, position: Position): Argument[] {
  if (value instanceof Hashtable) {
    const given = { splatted: true, position };
    return value.entries().map(({ key, value }) => ({ name: toText(key), value, ...given }));
  }
  if (typeof value === "string") {
    return value.split("").map((each) => ({ value: is.toChar(each), position }));
  }
  return (enumerated(value) ?? [value]).map((each) => ({ value: each, position }));
}
