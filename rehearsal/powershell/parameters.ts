/** The parameters that functions, scripts and cmdlets declare, and the values they accept. */
import type { Cmdlet, ParameterDefinition } from "./commands.ts";
import { enumerated, isNumeric, toBool, toText } from "./convert.ts";
import { compare } from "./operators.ts";
import { compile, type Regex } from "./regex.ts";
import type { FunctionValue, Validator } from "./scope.ts";
import type * as Syntax from "./syntax.ts";
import { switchParameter, type Types } from "./types.ts";
import { Hashtable, nothing, Raised, Unsupported, type NetType, type Value } from "./values.ts";

export interface Formal {
  readonly name: string;
  /** The name in lower case: the key of its bound value. */
  readonly key: string;
  /** Undefined if it takes any value. */
  readonly type: NetType | undefined;
  readonly mandatory: boolean;
  /** Undefined if it can be given by name only. */
  readonly position: number | undefined;
  readonly isPiped: boolean;
  readonly validators: readonly Validator[];
  /** Empty values it accepts although it is mandatory: `allownull`, `allowemptystring`, `allowemptycollection`. */
  readonly allows: ReadonlySet<string>;
  readonly defaultValue?: Syntax.Expression;
}

export interface Signature {
  /** The name in error ids: a cmdlet's class, or a function's name. */
  readonly name: string;
  /** The cmdlet's name, e.g. `Get-Item`. Undefined for functions. */
  readonly cmdlet?: string;
  /** Cmdlets, and functions with CmdletBinding: an argument that matches no parameter is an error. */
  readonly strict: boolean;
  readonly formals: readonly Formal[];
}

const everything = new Set(["allownull", "allowemptystring", "allowemptycollection"]);

/** A parameter of every cmdlet and of every function with CmdletBinding. */
export const errorAction: Formal = {
  name: "ErrorAction",
  key: "erroraction",
  type: undefined,
  mandatory: false,
  position: undefined,
  isPiped: false,
  validators: [],
  allows: everything,
};

function formalOf(parameter: ParameterDefinition, types: Types): Formal {
  const { name, type, set, allowsEmpty, ...definition } = parameter;
  return {
    ...definition,
    name,
    key: name.toLowerCase(),
    type: type === "object" ? undefined : types.get(type),
    isPiped: name === "InputObject",
    validators: set ? [known(set)] : [],
    allows: allowsEmpty ? everything : new Set(),
  };
}

/** A cache shared by all machines, which is safe because cmdlets have parameters of general types only. */
const signatures = new WeakMap<Cmdlet, Signature>();

export function cmdletSignature(cmdlet: Cmdlet, types: Types): Signature {
  const { name, implementation, parameters } = cmdlet;
  let signature = signatures.get(cmdlet);
  if (!signature) {
    const formals = parameters.map((each) => formalOf(each, types));
    signature = { name: implementation, cmdlet: name, strict: true, formals };
    signatures.set(cmdlet, signature);
  }
  return signature;
}

/** What evaluates a declaration's types, defaults and attributes. */
interface Reader {
  type(node: Syntax.TypeName): NetType;
  expression(node: Syntax.Expression): Value | Promise<Value>;
}

export async function functionSignature(func: FunctionValue, reader: Reader): Promise<Signature> {
  const { name, body } = func;
  const formals: Formal[] = [];
  for (const parameter of body.parameters ?? []) {
    formals.push(await declared(parameter, formals.length, reader));
  }
  return { name, strict: isAdvanced(body), formals };
}

/** Whether a function binds parameters as cmdlets do. */
function isAdvanced(body: Syntax.ScriptBody): boolean {
  const ofParameters = (body.parameters ?? []).flatMap(({ attributes }) => attributes);
  return (
    body.attributes.some(({ name }) => /^cmdletbinding$/i.test(name)) ||
    ofParameters.some(({ name }) => /^parameter$/i.test(name))
  );
}

async function declared(
  { name, type: typeName, attributes, defaultValue }: Syntax.Parameter,
  index: number,
  reader: Reader,
): Promise<Formal> {
  let mandatory = false;
  let isPiped = false;
  const validators: Validator[] = [];
  for (const attribute of attributes) {
    const named = new Map<string, Value>();
    for (const { name: setting, value } of attribute.named) {
      named.set(setting.toLowerCase(), value ? await reader.expression(value) : true);
    }
    if (/^parameter$/i.test(attribute.name)) {
      const other = [...named.keys()].find((key) => !/^(mandatory|valuefrompipeline)$/.test(key));
      if (other !== undefined) {
        throw new Unsupported(`[Parameter(${other})]`).at(attribute.position);
      }
      mandatory = toBool(named.get("mandatory") ?? false);
      isPiped = toBool(named.get("valuefrompipeline") ?? false);
    } else if (!/^allow(null|empty\w+)$/i.test(attribute.name)) {
      const args = await Promise.all(attribute.args.map(async (arg) => reader.expression(arg)));
      validators.push(validator(attribute, args, named));
    }
  }
  const type = typeName && reader.type(typeName);
  return {
    name,
    key: name.toLowerCase(),
    type,
    mandatory,
    position: type === switchParameter ? undefined : index,
    isPiped,
    validators,
    allows: new Set(attributes.map((each) => each.name.toLowerCase())),
    defaultValue,
  };
}

function validator(
  { name, position }: Syntax.Attribute,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
): Validator {
  switch (name.toLowerCase()) {
    case "validatepattern": {
      const options = toText(named.get("options") ?? "IgnoreCase");
      if (!/^(none|ignorecase)$/i.test(options)) {
        throw new Unsupported(`ValidatePattern with Options = '${options}'`);
      }
      const pattern = toText(args[0] ?? null);
      const regex = patternOf(pattern, /^ignorecase$/i.test(options));
      return forEach((item) =>
        regex.match(item)
          ? undefined
          : `The argument "${item}" does not match the "${pattern}" pattern. Supply an argument that matches "${pattern}" and try the command again.`,
      );
    }
    case "validaterange": {
      const [low = null, high = null] = args;
      const isRange = [isNumeric, isText].some((is) => args.length === 2 && args.every(is));
      // An error of the attribute itself.
      if (!isRange || compare(low, high) > 0) throw new Unsupported("such a range").at(position);
      return forEach((text, item) => {
        if (!isNumeric(item) && !isText(item)) throw new Unsupported(`a range for ${text}`);
        const isLess = compare(item, low) < 0;
        const [what, order] = isLess ? ["less", "greater"] : ["greater", "less"];
        const limit = toText(isLess ? low : high);
        return isLess || compare(item, high) > 0
          ? `The ${text} argument is ${what} than the ${isLess ? "minimum" : "maximum"} allowed range of ${limit}. Supply an argument that is ${order} than or equal to ${limit} and then try the command again.`
          : undefined;
      });
    }
    case "validateset":
      return oneOf(args.map(toText));
    case "validatenotnullorempty":
      return (value) => {
        const items = value instanceof Hashtable ? value.entries() : (enumerated(value) ?? [value]);
        return items.length === 0 ||
          items.some((item) => item === null || item === nothing || item === "")
          ? "The argument is null or empty. Provide an argument that is not null or empty, and then try the command again."
          : undefined;
      };
    default:
      throw new Unsupported(`the attribute ${name}`).at(position);
  }
}

function isText(value: Value): boolean {
  return typeof value === "string";
}

function patternOf(pattern: string, ignoreCase: boolean): Regex {
  try {
    return compile(pattern, { ignoreCase });
  } catch (error) {
    throw error instanceof Raised ? new Unsupported(`the pattern ${pattern}`) : error;
  }
}

/** Validates each element and returns the first problem. */
function forEach(problem: (text: string, item: Value) => string | undefined): Validator {
  return (value) =>
    (enumerated(value) ?? [value])
      .map((item) => problem(toText(item), item))
      .find((each) => each !== undefined);
}

/** PowerShell's cmdlets know more values. */
function known(names: readonly string[]): Validator {
  return (value) => {
    if (oneOf(names)(value) !== undefined) throw new Unsupported(`the argument ${toText(value)}`);
    return undefined;
  };
}

function oneOf(names: readonly string[]): Validator {
  return forEach((text) =>
    names.some((name) => name.toLowerCase() === text.toLowerCase())
      ? undefined
      : `The argument "${text}" does not belong to the set "${names.join(",")}" specified by the ValidateSet attribute. Supply an argument that is in the set and then try the command again.`,
  );
}
