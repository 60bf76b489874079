/** Finds the properties and methods of values by name, and calls them with converted arguments. */
import { enumerated, fromItems, tryConvert } from "./convert.ts";
import * as is from "./types.ts";
import { raised, runtimeError, typeOf, type Types } from "./types.ts";
import {
  Char,
  CustomObject,
  ErrorRecord,
  Hashtable,
  isNull,
  NetException,
  NetObject,
  NetType,
  nothing,
  PsArray,
  Raised,
  reserved,
  ScriptBlock,
  Switch,
  Unsupported,
  type Overload,
  type Value,
} from "./values.ts";

/** The value of `.PSObject`: an object's own properties and type names. */
const view = is.types.define({
  name: "System.Management.Automation.PSMemberSet",
  properties: {
    Properties: ({ state }: NetObject<Value>) => new NetObject(propertyCollection, state),
    TypeNames: ({ state }: NetObject<Value>) => is.array(typeNames(state)),
  },
});
/** Of `.PSObject.Properties`, which has a property by its name. */
export const propertyCollection = is.types.define({
  name: "System.Management.Automation.PSMemberInfoCollection",
  enumerate: ({ state }: NetObject<Value>) => ownProperties(state),
});
const propertyInfo = is.types.define({
  name: "System.Management.Automation.PSNoteProperty",
  properties: {
    Name: ({ state }: NetObject<{ name: string; value: Value }>) => state.name,
    Value: ({ state }: NetObject<{ name: string; value: Value }>) => state.value,
    MemberType: () => "NoteProperty",
  },
});

/** Of .NET's own objects, those that have no more than the names of properties to show. */
const ownNames = {
  array: "Length LongLength Rank SyncRoot IsReadOnly IsFixedSize IsSynchronized Count".split(" "),
  string: ["Length"],
};

function ownProperties(value: Value): Value[] {
  if (value instanceof CustomObject) {
    return [...value.properties.values()].map((each) => new NetObject(propertyInfo, each));
  }
  const kind = value instanceof PsArray ? "array" : typeof value;
  if (isNull(value) || kind === "object") {
    throw new Unsupported(
      `.PSObject.Properties of [${isNull(value) ? "null" : typeOf(value).name}]`,
    );
  }
  const names = kind === "array" || kind === "string" ? ownNames[kind] : [];
  return names.map((name) => {
    const property = {
      name,
      get value(): Value {
        throw new Unsupported(`the value of ${name} in .PSObject.Properties`);
      },
    };
    return new NetObject(propertyInfo, property);
  });
}

/** Begins the name of the type of what Select-Object makes. */
export const selected = "Selected.";

function typeNames(value: Value): Value[] {
  const own = value instanceof CustomObject ? value.typeNames : [];
  // 7 has it once, 5.1 as often as it was selected.
  if (own.some((each) => each.startsWith(selected + selected)))
    throw new Unsupported("the names of the types of what was selected twice");
  return [...own, ...(isNull(value) ? [] : typeOf(value).lineage.map(({ name }) => name))];
}

/** Names of methods that are no properties' names, so that without parentheses they are likely to name the method itself. */
const methodNames =
  /^(add|clear|clone|compareto|contains\w*|copyto|endswith|equals|get(enumerator|hashcode|length|type\w*|value)|indexof\w*|insert|isnormalized|lastindexof\w*|normalize|pad(left|right)|remove|replace\w*|setvalue|split|startswith|substring|to(chararray|lower\w*|string|upper\w*)|trim\w*|tryformat)$/i;

/** Methods that .NET's collections have themselves. */
const listMethods =
  /^(add|clear|clone|contains|copyto|equals|foreach|get\w*|indexof|initialize|insert|remove|removeat|set\w*|tostring|where)$/i;

type Found = Value | undefined | Promise<Value | undefined>;

/** The value of a property. Undefined if the value has no such property. */
export function getProperty(value: Value, name: string, strict = false, isElement = false): Found {
  const key = name.toLowerCase();
  if (isNull(value)) {
    if (key === "psobject" && value === nothing)
      throw new Unsupported("PSObject of nothing at all");
    return key === "psobject" ? null : undefined;
  }
  if (
    (value instanceof Hashtable && value.has(name) && !reserved.test(name)) ||
    (value instanceof CustomObject && value.properties.has(key))
  ) {
    return value.get(name);
  }
  if (key === "psobject") return new NetObject(view, value);
  const type = typeOf(value);
  const property = type.property(key);
  if (property) {
    return wrappingErrors(`getting "${property.name}"`, "GetValueInvocationException", () =>
      property.get(value),
    );
  }
  if (value instanceof PsArray) rejectUnknown(value, name);
  const items = enumerated(value);
  if (items) return isElement ? undefined : enumerateProperty(items, name, strict);
  rejectUnknown(value, name);
  return undefined;
}

/**
 * A property of a list is read from its elements. Without strict mode, elements without it are skipped, and those of
 * a list in it are looked at.
 */
async function enumerateProperty(
  items: readonly Value[],
  name: string,
  strict: boolean,
): Promise<Value | undefined> {
  const values: Value[] = [];
  for (const item of items) {
    const value = await getProperty(item, name, strict, strict);
    if (value !== undefined) {
      values.push(value);
    } else if (strict) {
      return undefined;
    }
  }
  const all = values.flatMap((value) => enumerated(value) ?? [value]);
  if (strict && values.length > 0 && all.length === 0) {
    throw new Unsupported(`${name} of elements, which is empty in each`);
  }
  return values.length === 0 ? undefined : all.length === 1 ? all[0] : is.array(all);
}

export async function setProperty(value: Value, name: string, to: Value): Promise<void> {
  const key = name.toLowerCase();
  if (value instanceof Hashtable || (value instanceof CustomObject && value.properties.has(key))) {
    value.set(name, to === nothing ? null : to);
    return;
  }
  const property = isNull(value) ? undefined : typeOf(value).property(key);
  if (property) {
    if (!property.set) throw new Unsupported(`an assignment to ${property.name}`);
    await property.set(value, to);
    return;
  }
  rejectUnknown(value, name);
  // It is a SetValueInvocationException.
  if (value instanceof CustomObject) throw new Unsupported(`${name} set, of an object without it`);
  throw runtimeError(
    isNull(value) ? "PropertyNotFound" : "PropertyAssignmentException",
    `The property '${name}' cannot be found on this object. Verify that the property exists and can be set.`,
  );
}

/** Members that .NET has, of values and of collections. */
const ofValues =
  /^(value__|chars|get_\w+|enumeraterunes|trycopyto|to(boolean|s?byte|char|datetime|decimal|double|u?int(16|32|64)|single|type))$/i;
const ofCollections =
  /^(longlength|rank|syncroot|is(readonly|fixedsize|synchronized)|item|address|[gs]et(_\w+)?|get(longlength|(low|upp)erbound|objectdata)|initialize|removeat|asreadonly|ondeserialization)$/i;

/** An undeclared member of a .NET object is unsupported instead of a script error, because .NET may have it. */
function rejectUnknown(value: Value, name: string): void {
  if (methodNames.test(name)) throw new Unsupported(`${name} without parentheses`);
  const isOpaque = [NetObject, NetException, ErrorRecord, NetType, ScriptBlock, Switch].some(
    (each) => value instanceof each,
  );
  // PowerShell adds these, where it is not strict. No structure that is defined here has its own.
  const isAdded = /^(count|length)$/i.test(name) && !isNull(value) && typeOf(value).isValueType;
  const isCollection = value instanceof PsArray || value instanceof Hashtable;
  const isKnown = (isCollection ? ofCollections : ofValues).test(name) || reserved.test(name);
  if (!isAdded && !isNull(value) && (isOpaque || isKnown)) {
    throw new Unsupported(`${name} of [${typeOf(value).name}]`);
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
    const message = "You cannot call a method on a null-valued expression.";
    throw runtimeError("InvokeMethodOnNull", message);
  }
  const key = name.toLowerCase();
  const type = typeOf(value);
  const overloads = type.overloads(key);
  if (overloads.length > 0) return call(name, overloads, value, args, types);
  const own = value instanceof CustomObject ? value.get(name) : undefined;
  if (own instanceof ScriptBlock) return runBlock(own, args, value);
  const items = listMethods.test(name) ? [] : (enumerated(value) ?? []);
  if (items.length === 0) {
    // .NET may have it.
    throw new Unsupported(`${name}() of [${type.name}]`);
  }
  const results: Value[] = [];
  for (const item of items) {
    results.push(await callMethod(item, name, args, types, runBlock));
  }
  const all = results.flatMap((each) => enumerated(each) ?? [each]);
  return fromItems(all.filter((each) => each !== nothing));
}

export async function callStatic(
  type: NetType,
  name: string,
  args: readonly Value[],
  types: Types,
): Promise<Value> {
  const key = name.toLowerCase();
  if (key === "new") return construct(type, args, types);
  const overloads = type.staticOverloads(key);
  if (overloads.length === 0) throw new Unsupported(`[${type.name}]::${name}()`);
  return call(name, overloads, null, args, types);
}

export async function getStatic(type: NetType, name: string): Promise<Value> {
  const key = name.toLowerCase();
  const value = type.enumeration?.get(key) ?? (await type.staticProperties.get(key)?.get(null));
  if (value === undefined) throw new Unsupported(`[${type.name}]::${name}`);
  return value;
}

export async function construct(
  type: NetType,
  args: readonly Value[],
  types: Types,
): Promise<Value> {
  if (type.constructors.length === 0) throw new Unsupported(`New-Object ${type.name}`);
  return call(".ctor", type.constructors, null, args, types);
}

async function call(
  name: string,
  overloads: readonly Overload[],
  self: Value,
  args: readonly Value[],
  types: Types,
): Promise<Value> {
  const forms = overloads
    .filter(({ parameters }) => parameters.length === args.length)
    .map((overload) => ({
      overload,
      parameters: overload.parameters.map((each) => types.get(each)),
    }));
  // Prefer the overload that has the arguments' types, or that of the first one where all are an int or a double.
  const exact = forms.find(({ parameters }) =>
    parameters.every((type, at) => isOfType(args[at] ?? null, type)),
  );
  const isMixed = args.every((each) => typeof each === "number" || isOfType(each, is.double));
  const ofFirst = forms.find(({ parameters: [type] }) => type && isOfType(args[0] ?? null, type));
  const sure = exact ?? (isMixed ? ofFirst : undefined);
  const form =
    sure ??
    forms.find(({ parameters }) => parameters.every((type, at) => suits(args[at] ?? null, type))) ??
    forms.find(({ parameters }) => converted(args, parameters));
  const fitting = form && converted(args, form.parameters);
  // Most members end with an exception then.
  const isMissing = fitting?.some(
    (each, at) => each === null && form?.overload.nullable[at] !== true,
  );
  const isSure = sure ?? forms.filter(({ parameters }) => converted(args, parameters)).length === 1;
  // .NET's strings may have a method that takes a character instead of a text; no text is made of an object
  // where .NET has several methods of that name.
  const isOpen = args.some((each, at) => {
    const isKnown = typeof each === "string" || each instanceof Char;
    const isOther = typeof self === "string" ? !isKnown : each instanceof CustomObject;
    return form?.parameters[at] === is.string && isOther;
  });
  if (!fitting || !isSure || isOpen || isMissing)
    throw new Unsupported(`${name} with these ${String(args.length)} arguments`);
  const what = `calling "${name}" with "${String(args.length)}" argument(s)`;
  const result = await wrappingErrors(what, "MethodInvocationException", () =>
    form.overload.call(self, fitting),
  );
  return result === undefined ? nothing : result;
}

function isOfType(value: Value, type: NetType): boolean {
  return isNull(value) ? !type.isValueType : typeOf(value) === type;
}

/** Each type holds all values of the types before it. */
const widening = [is.byte, is.int, is.uint32, is.long, is.uint64, is.double];

function suits(value: Value, type: NetType): boolean {
  if (isNull(value)) return !type.isValueType;
  const from = widening.indexOf(typeOf(value));
  return typeOf(value).is(type) || (from >= 0 && from <= widening.indexOf(type));
}

/** Converts arguments to parameter types. Undefined if one cannot be converted. */
function converted(args: readonly Value[], types: readonly NetType[]): Value[] | undefined {
  const values = args.map((argument, at) => {
    const type = types[at] as NetType;
    // [NullString]::Value and nothing at all pass a null string; $null passes an empty one.
    if (argument === is.nullString || (argument === nothing && type === is.string)) return null;
    if (argument === nothing) return type.isValueType ? undefined : null;
    return tryConvert(argument, type);
  });
  return values.every((each) => each !== undefined) ? values : undefined;
}

/** Wraps a .NET error in an exception as PowerShell does. Its id is the name of the inner exception. */
async function wrappingErrors<T>(what: string, type: string, run: () => T): Promise<Awaited<T>> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Raised) || error.record) throw error;
    const inner = error.exception;
    const message = `Exception ${what}: "${inner.message}"`;
    const id = inner.type.shortName;
    throw raised(`System.Management.Automation.${type}`, message, { inner, id });
  }
}
