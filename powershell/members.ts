/** Properties and methods of values, found by name and called with arguments of the right types. */
import { enumerated, isNumeric, isNumberType, tryConvert } from "./convert.ts";
import * as is from "./types.ts";
import { raised, typeOf, type Types, runtimeError } from "./types.ts";
import type { NetType } from "./values.ts";
import {
  Char,
  CustomObject,
  ErrorRecord,
  Hashtable,
  isNull,
  NetException,
  NetObject,
  nothing,
  PsArray,
  Raised,
  ScriptBlock,
  Unsupported,
  type Overload,
  type Value,
} from "./values.ts";

/** What `.PSObject` gives: a view of an object's own properties and type names. */
const view = is.types.define({
  name: "System.Management.Automation.PSMemberSet",
  properties: {
    Properties: (self: NetObject<Value>) => new NetObject(propertyCollection, self.state),
    TypeNames: (self: NetObject<Value>) => is.array(typeNames(self.state)),
  },
});
const propertyCollection = is.types.define({
  name: "System.Management.Automation.PSMemberInfoCollection",
  enumerate: (self: NetObject<Value>) => ownProperties(self.state),
});
const propertyInfo = is.types.define({
  name: "System.Management.Automation.PSNoteProperty",
  properties: {
    Name: (self: NetObject<{ name: string; value: Value }>) => self.state.name,
    Value: [
      (self: NetObject<{ name: string; value: Value }>) => self.state.value,
      (self: NetObject<{ name: string; value: Value }>, value: Value) => {
        self.state.value = value;
      },
    ],
    MemberType: () => "NoteProperty",
  },
});

function ownProperties(value: Value): Value[] {
  if (value instanceof CustomObject) {
    return [...value.properties.values()].map((each) => new NetObject(propertyInfo, each));
  }
  if (value !== null && typeof value !== "object") {
    return [];
  }
  throw new Unsupported(`.PSObject.Properties of [${isNull(value) ? "null" : typeOf(value).name}]`);
}

function typeNames(value: Value): Value[] {
  const names: Value[] = value instanceof CustomObject ? [...value.typeNames] : [];
  for (
    let type: NetType | undefined = isNull(value) ? undefined : typeOf(value);
    type;
    type = type.base
  ) {
    names.push(type.name);
  }
  return names;
}

/** A property's value; undefined: the value has none of that name. */
export async function getProperty(
  value: Value,
  name: string,
  strict = false,
): Promise<Value | undefined> {
  const key = name.toLowerCase();
  if (isNull(value)) {
    return undefined;
  }
  if (value instanceof Hashtable && value.has(name)) {
    return value.get(name);
  }
  if (value instanceof CustomObject && value.properties.has(key)) {
    return value.get(name);
  }
  if (key === "psobject") {
    return new NetObject(view, value);
  }
  const type = typeOf(value);
  const property = type.property(key);
  if (property) {
    try {
      return await property.get(value);
    } catch (error) {
      throw error instanceof Raised
        ? wrapped(
            error,
            `Exception getting "${property.name}": "${error.exception.message}"`,
            "System.Management.Automation.GetValueInvocationException",
          )
        : error;
    }
  }
  rejectUnsupported(type, key);
  const items = enumerated(value);
  if (items) {
    return enumerateProperty(items, name, strict);
  }
  // .NET may well have it.
  if (value instanceof NetObject || value instanceof NetException || value instanceof ErrorRecord) {
    throw new Unsupported(`${name} of [${type.name}]`);
  }
  return undefined;
}

/** A property asked of a list is asked of its elements. Without strict mode those that have none are passed over. */
async function enumerateProperty(
  items: readonly Value[],
  name: string,
  strict: boolean,
): Promise<Value | undefined> {
  const values: Value[] = [];
  let known = false;
  for (const item of items) {
    const value = await getProperty(item, name, strict);
    if (value === undefined && strict) {
      return undefined;
    }
    if (value !== undefined) {
      known = true;
      values.push(...(enumerated(value) ?? [value]));
    }
  }
  return known ? (values.length === 1 ? values[0] : is.array(values)) : undefined;
}

export async function setProperty(value: Value, name: string, to: Value): Promise<void> {
  const key = name.toLowerCase();
  if (value instanceof Hashtable) {
    value.set(name, to);
    return;
  }
  if (value instanceof CustomObject && value.properties.has(key)) {
    value.set(name, to);
    return;
  }
  const property = isNull(value) ? undefined : typeOf(value).property(key);
  if (property?.set) {
    await property.set(value, to);
    return;
  }
  if (!isNull(value)) {
    rejectUnsupported(typeOf(value), key);
  }
  throw runtimeError(
    "PropertyNotFound",
    `The property '${name}' cannot be found on this object. Verify that the property exists and can be set.`,
  );
}

function rejectUnsupported(type: NetType, key: string): void {
  for (let each: NetType | undefined = type; each; each = each.base) {
    if (each.unsupported.has(key)) {
      throw new Unsupported(`${key} of [${type.name}]`);
    }
  }
}

export async function callMethod(
  value: Value,
  name: string,
  args: readonly Value[],
  types: Types,
  runBlock: (block: ScriptBlock, args: readonly Value[], self: Value) => Promise<Value>,
): Promise<Value> {
  if (isNull(value)) {
    throw runtimeError(
      "InvokeMethodOnNull",
      "You cannot call a method on a null-valued expression.",
    );
  }
  const key = name.toLowerCase();
  const type = typeOf(value);
  const overloads = type.overloads(key);
  if (overloads.length > 0) {
    return call(name, overloads, value, args, types);
  }
  const own = value instanceof CustomObject ? value.get(name) : undefined;
  if (own instanceof ScriptBlock) {
    return runBlock(own, args, value);
  }
  rejectUnsupported(type, key);
  const items = enumerated(value);
  if (items && items.length > 0) {
    const results: Value[] = [];
    for (const item of items) {
      results.push(await callMethod(item, name, args, types, runBlock));
    }
    return is.array(results);
  }
  throw runtimeError(
    "MethodNotFound",
    `Method invocation failed because [${type.name}] does not contain a method named '${name}'.`,
  );
}

export async function callStatic(
  type: NetType,
  name: string,
  args: readonly Value[],
  types: Types,
): Promise<Value> {
  const key = name.toLowerCase();
  if (key === "new") {
    return construct(type, args, types);
  }
  for (let each: NetType | undefined = type; each; each = each.base) {
    const overloads = each.staticMethods.get(key);
    if (overloads) {
      return call(name, overloads, null, args, types);
    }
  }
  throw new Unsupported(`[${type.name}]::${name}()`);
}

export async function getStatic(type: NetType, name: string): Promise<Value> {
  const key = name.toLowerCase();
  const value = type.enumeration?.get(key) ?? (await type.staticProperties.get(key)?.get(null));
  if (value === undefined) {
    throw new Unsupported(`[${type.name}]::${name}`);
  }
  return value;
}

export function construct(type: NetType, args: readonly Value[], types: Types): Promise<Value> {
  if (type.element) {
    const [length] = args;
    const size = typeof length === "number" ? length : 0;
    return Promise.resolve(
      new PsArray(
        type,
        Array.from({ length: size }, () => tryConvert(null, type.element as NetType) ?? null),
      ),
    );
  }
  if (type.constructors.length === 0) {
    throw new Unsupported(`New-Object ${type.name}`);
  }
  return call(".ctor", type.constructors, null, args, types);
}

async function call(
  name: string,
  overloads: readonly Overload[],
  self: Value,
  args: readonly Value[],
  types: Types,
): Promise<Value> {
  let best:
    | { readonly overload: Overload; readonly cost: number; readonly args: readonly Value[] }
    | undefined;
  for (const overload of overloads) {
    const fit = fitArguments(overload, args, types);
    if (fit && (!best || fit.cost < best.cost)) {
      best = { overload, ...fit };
    }
  }
  if (!best) {
    const counts = overloads.some((each) => each.parameters.length === args.length || each.rest);
    throw counts
      ? runtimeError(
          "MethodArgumentConversionInvalidCastArgument",
          `Cannot convert an argument of "${name}" to the type it has to have.`,
          "MethodException",
        )
      : new Unsupported(`${name} with ${String(args.length)} arguments`);
  }
  try {
    const result = await best.overload.call(self, best.args);
    return result === undefined ? nothing : result;
  } catch (error) {
    throw error instanceof Raised && !error.record
      ? wrapped(
          error,
          `Exception calling "${name}" with "${String(args.length)}" argument(s): "${error.exception.message}"`,
          "System.Management.Automation.MethodInvocationException",
        )
      : error;
  }
}

/** What PowerShell makes of an error of .NET: an exception around it, with the inner one's name as its id. */
function wrapped(error: Raised, message: string, type: string): Raised {
  return raised(type, message, { inner: error.exception, id: error.exception.type.shortName });
}

function fitArguments(
  overload: Overload,
  args: readonly Value[],
  types: Types,
): { readonly cost: number; readonly args: readonly Value[] } | undefined {
  const { parameters, rest } = overload;
  if (rest && args.length >= parameters.length - 1) {
    const direct = args.length === parameters.length ? fit(parameters, args, types) : undefined;
    const last = (parameters.at(-1) ?? "object[]").replace(/\[\]$/, "");
    const fixed = parameters.length - 1;
    const spread = fit(
      [...parameters.slice(0, -1), ...args.slice(fixed).map(() => last)],
      args,
      types,
    );
    const gathered = spread && {
      // A form that fits as it is goes before one that gathers.
      cost: spread.cost + 20,
      args: [
        ...spread.args.slice(0, fixed),
        is.array([...spread.args.slice(fixed)], types.get(`${last}[]`)),
      ],
    };
    return direct && (!gathered || direct.cost <= gathered.cost) ? direct : gathered;
  }
  return parameters.length === args.length ? fit(parameters, args, types) : undefined;
}

function fit(
  parameters: readonly string[],
  args: readonly Value[],
  types: Types,
): { readonly cost: number; readonly args: readonly Value[] } | undefined {
  let cost = 0;
  const converted: Value[] = [];
  for (const [index, parameter] of parameters.entries()) {
    const type = types.get(parameter);
    const argument = args[index] ?? null;
    const value = tryConvert(argument, type);
    if (value === undefined) {
      return undefined;
    }
    cost += distance(argument, type);
    // A method takes null for a text as null.
    converted.push(isNull(argument) && type === is.string ? null : value);
  }
  return { cost, args: converted };
}

/** How far an argument is from a parameter's type: the form of a method that is nearest is taken. */
function distance(argument: Value, type: NetType): number {
  if (isNull(argument)) {
    return type.isValueType ? 9 : 1;
  }
  const from = typeOf(argument);
  if (from === type) {
    return 0;
  }
  if (type.name === "System.Object") {
    return 4;
  }
  if (from.is(type)) {
    return 1;
  }
  if (isNumeric(argument) && isNumberType(type)) {
    return 2;
  }
  if (argument instanceof Char && type === is.string) {
    return 3;
  }
  if (typeof argument === "string" && type === is.char) {
    return 5;
  }
  return type === is.string ? 8 : 6;
}
