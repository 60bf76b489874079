/** Cmdlets that work on any objects in a pipeline, and those of the language itself. */
import { compile, hasWildcard } from "../regex.ts";
import { cmdlets, type Call } from "../commands.ts";
import { enumerated, isNumeric, toBool, toItems, toText } from "../convert.ts";
import { commandNotFound } from "../errors.ts";
import { construct, getProperty, selected } from "../members.ts";
import { binary, compare } from "../operators.ts";
import { aliases } from "../subset.ts";
import * as is from "../types.ts";
import { raised, typeOf } from "../types.ts";
import {
  CustomObject,
  Hashtable,
  isNull,
  NetObject,
  nothing,
  Num,
  Raised,
  ScriptBlock,
  Unsupported,
  unknownWords,
  type Value,
} from "../values.ts";

function inputOf(call: Call): Value {
  return call.get("InputObject") ?? null;
}

/** For what runs a block: without input `$_` is not set in it. */
function givenInput(call: Call): Value {
  const input = call.get("InputObject");
  if (input === undefined) throw new Unsupported(`${call.name} without input`);
  return input;
}

/** Reads the property that is named in place of a block. In strict mode the object must have it. */
async function member(call: Call, name: string): Promise<Value> {
  const item = inputOf(call);
  const isMethod = !isNull(item) && typeOf(item).overloads(name.toLowerCase()).length > 0;
  if (isMethod || hasWildcard(name) || enumerated(item)) {
    throw new Unsupported(`${call.name} with a method, a wildcard or a list`);
  }
  const value = await getProperty(item, name);
  if (value === undefined && call.scope.isStrict) {
    const message = `The property "${name}" cannot be found on the input object.${unknownWords}`;
    const type = "System.Management.Automation.PSArgumentException";
    const id = call.name === "ForEach-Object" ? "PropertyOrMethodNotFound" : "PropertyNotFound";
    throw raised(type, message, { id });
  }
  return value ?? null;
}

/** The value of a property, or of a script block run on the object. */
async function select(call: Call, by: ScriptBlock, item: Value): Promise<Value> {
  return call.shell.evaluate(by, { underscore: item });
}

/** Of a table 7 finds keys where 5.1 finds properties only; a list's elements are not asked. */
async function property(call: Call, name: string, item: Value): Promise<Value | undefined> {
  if (item instanceof Hashtable || enumerated(item)) {
    throw new Unsupported(`${call.name} -Property of a table or a list`);
  }
  return getProperty(item, name);
}

/** An error of the cmdlet, if the object has no such property. */
async function expand(call: Call, name: string, item: Value): Promise<void> {
  const value = hasWildcard(name) ? undefined : await property(call, name, item);
  if (value === undefined) throw new Unsupported(`Select-Object -ExpandProperty ${name}`);
  for (const each of isNull(value) ? [] : toItems(value)) await call.emit(each);
}

/** A property's name as the object has it. */
function ownNameOf(item: Value, name: string): string | undefined {
  const key = name.toLowerCase();
  const own = item instanceof CustomObject ? item.properties.get(key) : undefined;
  return (own ?? (isNull(item) ? undefined : typeOf(item).property(key)))?.name;
}

async function project(call: Call, item: Value): Promise<Value> {
  const properties = propertiesOf(call);
  if (properties === undefined) return item;
  const object = new CustomObject(is.customObject);
  const own = item instanceof CustomObject ? item.typeNames : [];
  object.typeNames = [`${selected}${own[0] ?? (isNull(item) ? "" : typeOf(item).name)}`];
  for (const name of properties) {
    if (name instanceof Calculated) {
      object.set(name.name, await keyOf(call, name.block, item));
    } else if (name === "*" && item instanceof CustomObject && properties.length === 1) {
      for (const each of item.properties.values()) {
        object.set(each.name, each.value);
      }
    } else if (name instanceof ScriptBlock || hasWildcard(name)) {
      throw new Unsupported("Select-Object with a block or a wildcard");
    } else {
      object.set(ownNameOf(item, name) ?? name, (await property(call, name, item)) ?? null);
    }
  }
  return object;
}

/** A block, or in its place a property's name. Other forms of the cmdlets have further parameters. */
function blockOrName(call: Call, parameter: string): ScriptBlock | string {
  const value = call.get(parameter) ?? null;
  const isName = typeof value === "string" && value !== "" && call.names.length === 0;
  if (value instanceof ScriptBlock || isName) return value;
  throw new Unsupported(`${call.name} with anything but a block or a property's name`);
}

/** A property whose value a block gives: `@{ Label = 'Size'; Expression = { $_.Length } }`. */
class Calculated {
  constructor(
    readonly name: string,
    readonly block: ScriptBlock,
  ) {}

  static of(table: Hashtable): Calculated {
    const given = new Map(
      table.entries().map(({ key, value }) => [toText(key).toLowerCase(), value]),
    );
    const name = given.get("name") ?? given.get("label");
    const block = given.get("expression");
    if (given.size !== 2 || typeof name !== "string" || !(block instanceof ScriptBlock)) {
      throw new Unsupported("a calculated property with anything but a name and a block");
    }
    return new Calculated(name, block);
  }
}

/** The comparisons of Where-Object without a block. */
const comparisons = ["EQ", "NE", "Match", "Like"];

/** What `Where-Object Name -EQ Value` passes; undefined for another form. */
function comparison(call: Call): ((item: Value) => Promise<boolean>) | undefined {
  const [operator, ...others] = comparisons.filter((each) => call.flag(each));
  const named = call.get("Property");
  if (operator === undefined && named === undefined) return undefined;
  const given = [named, call.get("FilterScript"), call.get("Value")];
  const [name, wanted, more] = given.filter((each) => each !== undefined);
  if (
    operator === undefined ||
    others.length > 0 ||
    call.names.some((each) => /^f/i.test(each)) ||
    typeof name !== "string" ||
    name === "" ||
    hasWildcard(name) ||
    wanted === undefined ||
    more !== undefined
  ) {
    throw new Unsupported("Where-Object with such a comparison");
  }
  return async (item) => {
    if (item instanceof Hashtable || enumerated(item)) {
      throw new Unsupported("Where-Object of a table or a list");
    }
    const value = (isNull(item) ? null : await getProperty(item, name)) ?? null;
    if (enumerated(value) || call.scope.isStrict) {
      throw new Unsupported("Where-Object of a property that is a list, or in strict mode");
    }
    return toBool(binary(`-${operator.toLowerCase()}`, value, wanted, () => undefined));
  };
}

/** What Where-Object passes by a block, or by a property's name in its place. */
function filtered(call: Call): (item: Value) => Promise<boolean> {
  const filter = blockOrName(call, "FilterScript");
  if (call.get("Value") !== undefined) {
    throw new Unsupported("Where-Object with a value and no comparison");
  }
  return async (item) => {
    const isBlock = filter instanceof ScriptBlock;
    return toBool(await (isBlock ? select(call, filter, item) : member(call, filter)));
  };
}

/** What -Property names, if anything. */
function propertiesOf(call: Call): readonly (ScriptBlock | Calculated | string)[] | undefined {
  const given = call.get("Property");
  const properties = (isNull(given ?? null) ? [] : toItems(given ?? null)).map((each) => {
    if (each instanceof ScriptBlock || (typeof each === "string" && each !== "")) return each;
    if (each instanceof Hashtable && call.name === "Select-Object") return Calculated.of(each);
    throw new Unsupported(`${call.name} -Property of anything but names and blocks`);
  });
  const names = properties.map((each) =>
    each instanceof ScriptBlock
      ? each
      : (typeof each === "string" ? each : each.name).toLowerCase(),
  );
  if (new Set(names).size < names.length) {
    throw new Unsupported(`${call.name} with a property twice`);
  }
  return properties.length === 0 ? undefined : properties;
}

/** Null sorts first, and what lacks the property (undefined) last. What has no order is compared as text. */
function compareForSort(left: Value | undefined, right: Value | undefined): number {
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined);
  }
  if (isNull(left) || isNull(right)) return Number(isNull(right)) - Number(isNull(left));
  try {
    return compare(left, right);
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    const [first, second] = [left, right].map((each) =>
      each instanceof CustomObject ? "" : toText(each),
    );
    return compare(first ?? "", second ?? "");
  }
}

async function keyOf(call: Call, by: ScriptBlock, item: Value): Promise<Value> {
  try {
    return await call.shell.evaluate(by, { underscore: item, child: true });
  } catch (error) {
    // It is an error of Sort-Object, and Select-Object hides it.
    throw error instanceof Raised ? new Unsupported(`an error in a block of ${call.name}`) : error;
  }
}

interface Sorted {
  readonly item: Value;
  readonly key: Value | undefined;
}

/** Sorts as .NET does, step by step: the order of equal values, and of values of several types, depends on that. */
function sort(items: readonly Sorted[], order: (left: Sorted, right: Sorted) => number): Sorted[] {
  const types = new Set(items.map(({ key }) => (isNull(key ?? null) ? "" : typeof key)));
  if (types.size > 1 && types.has("boolean")) {
    throw new Unsupported("Sort-Object of truth values beside others");
  }
  const sorted = [...items];
  const isAfter = (left: number, right: number) =>
    order(sorted[left] as Sorted, sorted[right] as Sorted) > 0;
  const swap = (left: number, right: number) => {
    [sorted[left], sorted[right]] = [sorted[right] as Sorted, sorted[left] as Sorted];
  };
  if (items.length > 16) {
    if (types.size > 1) throw new Unsupported("Sort-Object of many values of several types");
    sorted.sort(order);
    if (
      sorted.some(
        ({ item }, at) =>
          sorted[at + 1]?.item !== item && at + 1 < sorted.length && !isAfter(at + 1, at),
      )
    ) {
      // .NET swaps them as it likes.
      throw new Unsupported("Sort-Object of more than 16 values, some of them equal");
    }
  } else if (items.length === 3) {
    for (const [left, right] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      if (isAfter(left, right)) swap(left, right);
    }
  } else {
    for (const start of items.keys()) {
      for (let at = start; at > 0 && isAfter(at - 1, at); at--) swap(at - 1, at);
    }
  }
  return sorted;
}

/** Displays a value on one line. Objects that PowerShell shows as a table or list are unsupported. */
export function shown(value: Value): string {
  if (value instanceof CustomObject || value instanceof Hashtable) {
    throw new Unsupported(`the display of [${value.type.name}] as a table`);
  }
  return isNull(value) ? "" : `${toText(value)}\n`;
}

type MatchedLine = NetObject<{ readonly line: string; readonly number: number }>;

/** Only that there is one is known of a command. */
const commandInfo = is.types.define({ name: "System.Management.Automation.CommandInfo" });

function searched(call: Call): ReturnType<typeof compile> {
  const pattern = call.get("Pattern");
  if (typeof pattern !== "string" || pattern === "") {
    throw new Unsupported("Select-String with anything but a text");
  }
  try {
    return compile(pattern, { ignoreCase: true });
  } catch (error) {
    throw error instanceof Raised ? new Unsupported("Select-String with a wrong pattern") : error;
  }
}

const matchInfo = is.types.define({
  name: "Microsoft.PowerShell.Commands.MatchInfo",
  properties: {
    Line: ({ state }: MatchedLine) => state.line,
    LineNumber: ({ state }: MatchedLine) => new Num(is.uint64, state.number),
  },
});

export const objectCmdlets = cmdlets(
  {
    [`Where-Object [[-FilterScript] <object>] [[-Value] <object>] [-Property <string>] ${comparisons.map((each) => `[-${each}]`).join(" ")} [-InputObject <object>]`]:
      {
        open(call) {
          const passes = comparison(call) ?? filtered(call);
          return {
            async process() {
              const item = givenInput(call);
              if (await passes(item)) {
                await call.emit(item);
              }
            },
            end: () => undefined,
          };
        },
      },
    "ForEach-Object [-Process] <object?> [-InputObject <object>]": {
      open(call) {
        const block = blockOrName(call, "Process");
        return {
          async process() {
            if (block instanceof ScriptBlock) {
              const options = { underscore: givenInput(call) };
              return call.shell.invoke(block, options, (value) => call.emit(value));
            }
            for (const value of toItems(await member(call, block))) await call.emit(value);
          },
          end: () => undefined,
        };
      },
    },
    "Select-Object [[-Property] <object[]>] [-ExpandProperty <string>] [-First <int>] [-Last <int>] [-Skip <int>] [-InputObject <object>]":
      {
        open(call) {
          const first = call.number("First") ?? Infinity;
          const last = call.number("Last");
          const skip = call.number("Skip") ?? 0;
          const expanded = call.text("ExpandProperty");
          const properties = propertiesOf(call);
          if (expanded !== undefined && (properties ?? last) !== undefined) {
            throw new Unsupported("Select-Object -ExpandProperty with more");
          }
          if (skip + (last ?? 0) >= 2 ** 31) throw new Unsupported("so large a -Last and -Skip");
          if (last !== undefined && first !== Infinity) {
            throw new Unsupported("Select-Object with both -First and -Last");
          }
          if (Math.min(first, last ?? 0, skip) < 0) {
            throw new Unsupported("Select-Object with a negative number");
          }
          const kept: Value[] = [];
          let seen = 0;
          return {
            async process() {
              if (isNull(inputOf(call))) return;
              if (last !== undefined) {
                kept.push(inputOf(call));
              } else if (seen++ >= skip && first > 0) {
                if (expanded === undefined) await call.emit(await project(call, inputOf(call)));
                else await expand(call, expanded, inputOf(call));
                if (seen - skip >= first) {
                  call.stop();
                }
              }
            },
            async end() {
              const until = Math.max(0, kept.length - skip);
              for (const item of kept.slice(Math.max(0, until - (last ?? 0)), until)) {
                await call.emit(await project(call, item));
              }
            },
          };
        },
      },
    "Sort-Object [[-Property] <object>] [-Descending] [-Unique] [-InputObject <object>]": {
      open(call) {
        const items: Sorted[] = [];
        const [by, ...others] = propertiesOf(call) ?? [];
        if (others.length > 0 || by instanceof Calculated) {
          throw new Unsupported("Sort-Object by several properties");
        }
        const sign = call.flag("Descending") ? -1 : 1;
        return {
          async process() {
            const item = inputOf(call);
            if (isNull(item)) return;
            const key =
              typeof by === "string"
                ? await property(call, by, item)
                : by
                  ? await keyOf(call, by, item)
                  : item;
            items.push({ item, key });
          },
          async end() {
            const keys = items.flatMap(({ key = null }) => (isNull(key) ? [] : [key]));
            const types = new Set(keys.map((key) => (isNumeric(key) ? is.double : typeOf(key))));
            const lacks = call.flag("Descending") && items.some(({ key }) => key === undefined);
            if (by !== undefined && (types.size > 1 || lacks)) {
              throw new Unsupported("Sort-Object by values of several types");
            }
            const sorted = sort(items, (a, b) => sign * compareForSort(a.key, b.key));
            for (const [index, { item, key }] of sorted.entries()) {
              const before = sorted[index - 1];
              const isAgain =
                call.flag("Unique") && before && compareForSort(before.key, key) === 0;
              if (!isAgain) await call.emit(item);
              else if (before.item !== item) {
                throw new Unsupported("Sort-Object -Unique of different values that are equal");
              }
            }
          },
        };
      },
    },
    "Out-Host [-InputObject <object>]"(call) {
      call.shell.host.output(shown(inputOf(call)));
    },
    async "New-Object [-TypeName] <string> [[-ArgumentList] <object[]>]"(call) {
      const name = call.text("TypeName") ?? "";
      const type = call.shell.types.find(name);
      if (!type) throw new Unsupported(`New-Object ${name}`);
      const args = toItems(call.get("ArgumentList") ?? nothing);
      await call.emit(await construct(type, args, call.shell.types));
    },
    "Set-StrictMode [-Version] {Latest}": (call) => call.scope.setStrict(),
    "Start-Sleep [[-Seconds] <double>] [-Milliseconds <int>]"(call) {
      const seconds = call.number("Seconds") ?? 0;
      // 5.1 rounds. Less than nothing is an error.
      if (!Number.isInteger(seconds) || seconds < 0)
        throw new Unsupported("Start-Sleep for such a time");
      return call.shell.host.clock.sleep(seconds * 1000 + (call.number("Milliseconds") ?? 0));
    },
    "Import-Module [-Name] <string> [-Force] [-DisableNameChecking]": (call) =>
      call.shell.importModule(call.text("Name") ?? ""),
    "Export-ModuleMember -Function <string[]>"(call) {
      call.scope.exports.push(...(call.texts("Function") ?? []));
    },
    "Get-Module [-Name] <string>"(call) {
      const name = call.text("Name") ?? "";
      if (call.shell.hasModule(name)) throw new Unsupported(`Get-Module ${name}`);
    },
    "Remove-Module [-Force] [-InputObject <object>]": {
      open: (call) => ({
        process() {
          if (!isNull(inputOf(call))) throw new Unsupported("Remove-Module");
        },
        end: () => undefined,
      }),
    },
    "Select-String [-Pattern] <object> [-InputObject <object>]": {
      open(call) {
        const pattern = searched(call);
        let number = 0;
        return {
          process() {
            const line = inputOf(call);
            if (typeof line !== "string") throw new Unsupported("Select-String of no text");
            number += 1;
            return pattern.match(line)
              ? call.emit(new NetObject(matchInfo, { line, number }))
              : undefined;
          },
          end: () => undefined,
        };
      },
    },
    async "Get-Command [-Name] <string>"(call) {
      const name = call.text("Name") ?? "";
      if (hasWildcard(name) || aliases.has(name.toLowerCase())) {
        throw new Unsupported("Get-Command with a wildcard or an alias");
      }
      if (!call.shell.isCommand(name)) {
        return call.fail(commandNotFound(name));
      }
      await call.emit(new NetObject(commandInfo, undefined));
    },
  },
  "Microsoft.PowerShell.Commands",
);
