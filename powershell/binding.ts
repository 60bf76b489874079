/** Arguments bound to parameters, of functions, scripts and cmdlets alike. */
import { enumerated, toText, tryConvert } from "./convert.ts";
import { compare } from "./operators.ts";
import { compile } from "./regex.ts";
import type { Attribute, Expression, Position } from "./syntax.ts";
import * as is from "./types.ts";
import { raised, typeOf } from "./types.ts";
import type { NetType } from "./values.ts";
import {
  Hashtable,
  isNull,
  nothing,
  PsArray,
  Unsupported,
  type Raised,
  type Value,
} from "./values.ts";

/** One argument as it was written: a name, a value, or a name with its value behind a colon. */
export interface Argument {
  readonly name?: string;
  readonly value?: Value;
  /** How a bare number was written. */
  readonly written?: string;
  /** Belongs to $args, whatever parameters there are. */
  readonly unbound?: boolean;
  readonly position: Position;
}

export interface Formal {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Undefined: any value. */
  readonly type: NetType | undefined;
  readonly isSwitch: boolean;
  readonly mandatory: boolean;
  /** Undefined: by name only. */
  readonly position: number | undefined;
  readonly pipeline: "value" | "property" | "both" | undefined;
  readonly validators: readonly Validator[];
  readonly allowNull: boolean;
  readonly allowEmptyString: boolean;
  readonly allowEmptyCollection: boolean;
  readonly defaultValue: Expression | undefined;
  /** Takes all values that no other parameter takes. */
  readonly rest?: boolean;
}

/** Returns what is wrong with a value; undefined: nothing. */
export type Validator = (value: Value) => string | undefined;

export interface Signature {
  /** As it is called in errors. */
  readonly name: string;
  /** As it is called in scripts. */
  readonly command: string;
  /** A cmdlet, or a function with CmdletBinding: what fits no parameter is an error. */
  readonly strict: boolean;
  readonly isCmdlet: boolean;
  readonly formals: readonly Formal[];
}

export interface Bound {
  /** By the parameter's name in lower case. */
  readonly values: Map<string, Value>;
  /** What fits no parameter of a plain function: `$args`. */
  readonly rest: Value[];
  /** -ErrorAction and relatives, by name. */
  readonly common: Map<string, Value>;
}

const commonParameters = [
  "ErrorAction",
  "WarningAction",
  "InformationAction",
  "Verbose",
  "Debug",
  "ErrorVariable",
  "WarningVariable",
  "OutVariable",
  "OutBuffer",
  "PipelineVariable",
];
const supportedCommon = new Set(["erroraction", "warningaction", "verbose"]);

export function bindArguments(signature: Signature, args: readonly Argument[]): Bound {
  const bound: Bound = { values: new Map(), rest: [], common: new Map() };
  const positional: Argument[] = [];
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] as Argument;
    if (argument.name === undefined) {
      positional.push(argument);
      continue;
    }
    const formal = findParameter(signature, argument.name);
    if (formal === undefined) {
      if (signature.isCmdlet) {
        throw new Unsupported(`the parameter -${argument.name} of ${signature.command}`).at(
          argument.position,
        );
      }
      if (signature.strict) {
        throw bindingError(
          signature,
          "NamedParameterNotFound",
          `A parameter cannot be found that matches parameter name '${argument.name}'.`,
        );
      }
      // Its value goes with it, to $args.
      const next =
        argument.value ?? (args[at + 1]?.name === undefined ? args[++at]?.value : undefined);
      positional.push({ value: `-${argument.name}`, unbound: true, position: argument.position });
      if (next !== undefined) {
        positional.push({ value: next, unbound: true, position: argument.position });
      }
      continue;
    }
    let value = argument.value;
    let written = argument.written;
    if (
      value === undefined &&
      !(typeof formal === "object"
        ? formal.isSwitch
        : ["verbose", "debug"].includes(formal.toLowerCase()))
    ) {
      const next = args[at + 1];
      if (next?.value === undefined || next.name !== undefined) {
        const name = typeof formal === "object" ? formal.name : formal;
        throw bindingError(
          signature,
          "MissingArgument",
          `Missing an argument for parameter '${name}'. Specify a parameter and try again.`,
        );
      }
      ({ value, written } = next);
      // What looks like a negative number is a text there.
      value = written?.startsWith("-") ? written : value;
      at++;
    }
    if (typeof formal === "string") {
      if (!supportedCommon.has(formal.toLowerCase())) {
        throw new Unsupported(`the parameter -${formal}`).at(argument.position);
      }
      bound.common.set(formal, value ?? true);
      continue;
    }
    if (bound.values.has(formal.name.toLowerCase())) {
      throw bindingError(
        signature,
        "ParameterAlreadyBound",
        `Cannot bind parameter because parameter '${formal.name}' is specified more than once.`,
      );
    }
    bound.values.set(
      formal.name.toLowerCase(),
      accept(signature, formal, value === undefined ? true : value, written),
    );
  }
  bindPositional(signature, positional, bound);
  return bound;
}

function bindPositional(signature: Signature, positional: readonly Argument[], bound: Bound): void {
  const free = signature.formals
    .filter(
      (formal) => formal.position !== undefined && !bound.values.has(formal.name.toLowerCase()),
    )
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  for (const [index, argument] of positional.entries()) {
    const formal = argument.unbound ? undefined : free.shift();
    const value = argument.value ?? null;
    if (formal?.rest && positional.length > index + 1) {
      const values = positional.slice(index).map((each) => each.value ?? null);
      bound.values.set(formal.name.toLowerCase(), accept(signature, formal, is.array(values)));
      return;
    }
    if (formal) {
      bound.values.set(
        formal.name.toLowerCase(),
        accept(signature, formal, value, argument.written),
      );
    } else if (signature.strict) {
      throw bindingError(
        signature,
        "PositionalParameterNotFound",
        `A positional parameter cannot be found that accepts argument '${toText(value)}'.`,
      );
    } else {
      bound.rest.push(value);
    }
  }
}

/** A parameter by its name, its alias, or an unambiguous beginning; a text: a parameter every cmdlet has. */
function findParameter(signature: Signature, name: string): Formal | string | undefined {
  const key = name.toLowerCase();
  const names = (formal: Formal) =>
    [formal.name, ...formal.aliases].map((each) => each.toLowerCase());
  const exact = signature.formals.find((formal) => names(formal).includes(key));
  if (exact) {
    return exact;
  }
  const common = signature.strict ? commonParameters : [];
  const exactCommon = common.find(
    (each) => each.toLowerCase() === key || (each === "ErrorAction" && key === "ea"),
  );
  if (exactCommon) {
    return exactCommon;
  }
  const candidates = [
    ...signature.formals.filter((formal) => names(formal).some((each) => each.startsWith(key))),
    ...common.filter((each) => each.toLowerCase().startsWith(key)),
  ];
  if (candidates.length > 1) {
    throw bindingError(
      signature,
      "AmbiguousParameter",
      `Parameter cannot be processed because the parameter name '${name}' is ambiguous.`,
    );
  }
  return candidates[0];
}

export function bindingError(
  signature: Signature,
  id: string,
  message: string,
  type = "ParameterBindingException",
): Raised {
  return raised(`System.Management.Automation.${type}`, message, { id: `${id},${signature.name}` });
}

/** A value as a parameter takes it: converted, and checked. */
export function accept(
  signature: Signature,
  formal: Formal,
  given: Value,
  written?: string,
): Value {
  const value = given === nothing ? null : given;
  const { type } = formal;
  if (isNull(value)) {
    rejectEmpty(signature, formal, value, false);
  }
  let converted: Value | undefined = value;
  if (type && !(signature.isCmdlet && isNull(value))) {
    converted =
      written !== undefined && type === is.string
        ? written
        : convertArgument(signature, value, type);
    if (converted === undefined) {
      throw bindingError(
        signature,
        "ParameterArgumentTransformationError",
        `Cannot process argument transformation on parameter '${formal.name}'. Cannot convert value "${toText(value)}" to type "${type.name}".`,
        signature.isCmdlet
          ? "ParameterBindingException"
          : "ParameterBindingArgumentTransformationException",
      );
    }
  }
  for (const validator of formal.validators) {
    const problem = validator(converted);
    if (problem !== undefined) {
      throw bindingError(
        signature,
        "ParameterArgumentValidationError",
        `Cannot validate argument on parameter '${formal.name}'. ${problem}`,
        "ParameterBindingValidationException",
      );
    }
  }
  if (formal.mandatory) {
    rejectEmpty(signature, formal, converted, true);
  }
  return converted;
}

function convertArgument(signature: Signature, value: Value, type: NetType): Value | undefined {
  if (type === is.bool && (typeof value === "string" || isNull(value))) {
    return undefined;
  }
  if (type === is.string && signature.strict && value instanceof PsArray) {
    return undefined;
  }
  if (type === is.scriptBlock || type === is.hashtable) {
    return isNull(value) || typeOf(value).is(type) ? value : undefined;
  }
  return tryConvert(value, type);
}

function rejectEmpty(signature: Signature, formal: Formal, value: Value, converted: boolean): void {
  const reject = (what: string, message: string) => {
    throw bindingError(
      signature,
      `ParameterArgumentValidationError${what}NotAllowed`,
      `Cannot bind argument to parameter '${formal.name}' because it is ${message}.`,
      "ParameterBindingValidationException",
    );
  };
  const { type } = formal;
  const takesText = type === is.string || type?.element === is.string;
  if (
    isNull(value) &&
    !formal.allowNull &&
    !(formal.allowEmptyString && type === is.string) &&
    (!type?.isValueType || !formal.mandatory)
  ) {
    if (type === is.string && formal.mandatory) {
      reject("EmptyString", "an empty string");
    }
    if (formal.mandatory) {
      reject("Null", "null");
    }
  }
  if (!formal.mandatory) {
    return;
  }
  if (takesText && value === "" && !formal.allowEmptyString) {
    reject("EmptyString", "an empty string");
  }
  if (converted && value instanceof PsArray && type !== undefined) {
    if (value.items.length === 0 && !formal.allowEmptyCollection) {
      reject("EmptyArray", "an empty array");
    }
    for (const item of value.items) {
      if (isNull(item) && !formal.allowNull && type.element && !type.element.isValueType) {
        reject("Null", "null");
      }
      if (item === "" && takesText && !formal.allowEmptyString) {
        reject("EmptyString", "an empty string");
      }
    }
  }
}

/** A validation attribute with its arguments worked out; undefined: it validates nothing. */
export function validator(
  attribute: Attribute,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
): Validator | undefined {
  const items = (check: (item: Value) => string | undefined) => (value: Value) =>
    (enumerated(value) ?? [value]).map(check).find((problem) => problem !== undefined);
  switch (attribute.name.toLowerCase()) {
    case "validatepattern": {
      const options = named.get("options");
      const pattern = toText(args[0] ?? null);
      if (
        options !== undefined &&
        !["none", "ignorecase"].includes(toText(options).toLowerCase())
      ) {
        throw new Unsupported(`ValidatePattern with Options = '${toText(options)}'`);
      }
      const regex = compile(pattern, {
        ignoreCase: options === undefined || toText(options).toLowerCase() === "ignorecase",
      });
      return items((item) =>
        regex.match(toText(item))
          ? undefined
          : `The argument "${toText(item)}" does not match the "${pattern}" pattern. Supply an argument that matches "${pattern}" and try the command again.`,
      );
    }
    case "validaterange": {
      const [low = null, high = null] = args;
      return items((item) => {
        const text = toText(item);
        if (compare(item, low) < 0) {
          return (
            `The ${text} argument is less than the minimum allowed range of ${toText(low)}. Supply an argument that is ` +
            `greater than or equal to ${toText(low)} and then try the command again.`
          );
        }
        return compare(item, high) > 0
          ? `The ${text} argument is greater than the maximum allowed range of ${toText(high)}. Supply an argument that ` +
              `is less than or equal to ${toText(high)} and then try the command again.`
          : undefined;
      });
    }
    case "validateset":
      return items((item) =>
        args.some((each) => toText(each).toLowerCase() === toText(item).toLowerCase())
          ? undefined
          : `The argument "${toText(item)}" does not belong to the set "${args.map(toText).join(",")}" specified by the ValidateSet attribute. Supply an argument that is in the set and then try the command again.`,
      );
    case "validatenotnullorempty":
      return (value) => {
        const list = enumerated(value);
        const empty =
          isNull(value) ||
          value === "" ||
          (list && (list.length === 0 || list.some((item) => isNull(item) || item === "")));
        return empty
          ? "The argument is null or empty. Provide an argument that is not null or empty, and then try the command again."
          : undefined;
      };
    case "validatenotnull":
      return (value) => (isNull(value) ? "The argument is null." : undefined);
    default:
      throw new Unsupported(`the attribute ${attribute.name}`).at(attribute.position);
  }
}

/** A splatted table or list as arguments. */
export function splat(value: Value, position: Position): Argument[] {
  if (value instanceof Hashtable) {
    return value
      .entries()
      .map(({ key, value: each }) => ({ name: toText(key), value: each, position }));
  }
  return (enumerated(value) ?? [value]).map((each) => ({ value: each, position }));
}
