/** Cmdlets on whatever comes down a pipeline, and those of the language itself. */
import type { Call, Cmdlet } from "../commands.ts";
import { toBool, toItems, toText } from "../convert.ts";
import { construct } from "../members.ts";
import { compare } from "../operators.ts";
import * as is from "../types.ts";
import { runtimeError } from "../types.ts";
import {
  CustomObject,
  Hashtable,
  isNull,
  nothing,
  ScriptBlock,
  Unsupported,
  type Value,
} from "../values.ts";
import { hasWildcard } from "../wildcard.ts";

const input = { type: "object", pipeline: "value" } as const;

function inputOf(call: Call): Value {
  return call.get("InputObject") ?? null;
}

/** A property's value, or what a block makes of an object. */
async function select(call: Call, by: Value, item: Value): Promise<Value> {
  return by instanceof ScriptBlock
    ? call.shell.evaluate(by, { underscore: item })
    : ((await call.shell.property(item, toText(by))) ?? null);
}

async function project(call: Call, item: Value): Promise<Value> {
  const properties = call.get("Property");
  if (properties === undefined) {
    return item;
  }
  const object = new CustomObject(is.customObject);
  for (const property of toItems(properties)) {
    const name = toText(property);
    if (name === "*" && item instanceof CustomObject) {
      for (const each of item.properties.values()) {
        object.set(each.name, each.value);
      }
    } else if (property instanceof Hashtable || hasWildcard(name)) {
      throw new Unsupported("Select-Object with a table or a wildcard");
    } else {
      object.set(name, await select(call, property, item));
    }
  }
  return object;
}

interface Sorted {
  readonly item: Value;
  readonly keys: readonly Value[];
}

/** A property to sort by: a name, a block, or a table with Expression and Descending. */
function sortKey(by: Value): { readonly property: Value; readonly descending?: Value } {
  return by instanceof Hashtable
    ? { property: by.get("Expression") ?? null, descending: by.get("Descending") }
    : { property: by };
}

/** Null comes first; what cannot be compared is compared as text. */
function compareForSort(left: Value, right: Value): number {
  if (isNull(left) || isNull(right)) {
    return Number(isNull(right)) - Number(isNull(left));
  }
  const areTexts = typeof left === "string" || typeof right === "string";
  return areTexts ? compare(toText(left), toText(right)) : compare(left, right);
}

/** One line for each value, as far as values are shown in one line. */
export function shown(value: Value): string {
  if (value instanceof CustomObject || value instanceof Hashtable) {
    throw new Unsupported(`the display of [${value.type.name}] as a table`);
  }
  return isNull(value) ? "" : `${toText(value)}\n`;
}

function named(name: string): CustomObject {
  return new CustomObject(is.customObject).set("Name", name);
}

export const objectCmdlets: readonly Cmdlet[] = Array.of<Cmdlet>(
  {
    name: "Where-Object",
    parameters: {
      FilterScript: { type: "scriptblock", position: 0, mandatory: true },
      InputObject: input,
    },
    async run(call) {
      const filter = call.block("FilterScript");
      if (filter && toBool(await select(call, filter, inputOf(call)))) {
        await call.emit(inputOf(call));
      }
    },
  },
  {
    name: "ForEach-Object",
    parameters: {
      Process: { type: "scriptblock", position: 0, mandatory: true },
      InputObject: input,
    },
    async run(call) {
      const block = call.block("Process");
      if (block) {
        await call.shell.invoke(block, { underscore: inputOf(call) }, (value) => call.emit(value));
      }
    },
  },
  {
    name: "Select-Object",
    parameters: {
      Property: { type: "object[]", position: 0 },
      First: { type: "int" },
      Last: { type: "int" },
      Skip: { type: "int" },
      InputObject: input,
    },
    open(call) {
      const first = call.number("First") ?? Infinity;
      const last = call.number("Last");
      const skip = call.number("Skip") ?? 0;
      const kept: Value[] = [];
      let seen = 0;
      return {
        async process() {
          if (last !== undefined) {
            kept.push(inputOf(call));
          } else if (seen++ >= skip && first > 0) {
            await call.emit(await project(call, inputOf(call)));
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
  {
    name: "Sort-Object",
    parameters: {
      Property: { type: "object[]", position: 0 },
      Descending: { type: "switch" },
      Unique: { type: "switch" },
      InputObject: input,
    },
    open(call) {
      const items: Sorted[] = [];
      const by = toItems(call.get("Property") ?? nothing).map(sortKey);
      const order = (a: Sorted, b: Sorted) => {
        const orders = a.keys.map((key, index) => {
          const descending = toBool(by[index]?.descending ?? call.flag("Descending"));
          return compareForSort(key, b.keys[index] ?? null) * (descending ? -1 : 1);
        });
        return orders.find((each) => each !== 0) ?? 0;
      };
      return {
        async process() {
          const item = inputOf(call);
          const keys: Value[] = by.length === 0 ? [item] : [];
          for (const { property } of by) {
            keys.push(await select(call, property, item));
          }
          items.push({ item, keys });
        },
        async end() {
          items.sort(order);
          for (const [index, each] of items.entries()) {
            const before = items[index - 1];
            if (!(call.flag("Unique") && before && order(before, each) === 0)) {
              await call.emit(each.item);
            }
          }
        },
      };
    },
  },
  {
    name: "Write-Output",
    parameters: {
      InputObject: { ...input, position: 0, mandatory: true, allowEmpty: true, rest: true },
    },
    async run(call) {
      for (const item of toItems(inputOf(call))) {
        await call.emit(item);
      }
    },
  },
  {
    name: "Out-Host",
    parameters: { InputObject: input },
    run(call) {
      call.shell.host.output(shown(inputOf(call)));
    },
  },
  {
    name: "New-Object",
    implementation: "Microsoft.PowerShell.Commands.NewObjectCommand",
    parameters: {
      TypeName: { type: "string", position: 0, mandatory: true },
      ArgumentList: { type: "object[]", position: 1 },
    },
    async run(call) {
      const name = call.text("TypeName") ?? "";
      const type = call.shell.types.find(name);
      if (!type) {
        throw /^(System|Microsoft)\./i.test(name)
          ? new Unsupported(`New-Object ${name}`)
          : runtimeError("TypeNotFound", `Cannot find type [${name}].`, "PSArgumentException");
      }
      const args = toItems(call.get("ArgumentList") ?? nothing);
      await call.emit(await construct(type, args, call.shell.types));
    },
  },
  {
    name: "Set-StrictMode",
    parameters: { Version: { type: "string", position: 0 }, Off: { type: "switch" } },
    run(call) {
      const version = call.text("Version");
      if (version !== undefined && version.toLowerCase() !== "latest" && version !== "3.0") {
        throw new Unsupported(`Set-StrictMode -Version ${version}`);
      }
      call.scope.setStrict(!call.flag("Off"));
    },
  },
  {
    name: "Start-Sleep",
    parameters: { Seconds: { type: "double", position: 0 }, Milliseconds: { type: "int" } },
    run: (call) =>
      call.shell.host.clock.sleep(
        (call.number("Seconds") ?? 0) * 1000 + (call.number("Milliseconds") ?? 0),
      ),
  },
  {
    name: "Get-Command",
    implementation: "Microsoft.PowerShell.Commands.GetCommandCommand",
    parameters: { Name: { type: "string", position: 0, mandatory: true } },
    async run(call) {
      const name = call.text("Name") ?? "";
      const found = call.scope.commands(name);
      if (found.length === 0 && !hasWildcard(name)) {
        const message = `The term '${name}' is not recognized as the name of a cmdlet, function, script file, or operable program.`;
        const id = "CommandNotFoundException";
        const error = runtimeError(id, message, id);
        await call.fail(error);
      }
      for (const each of found) {
        await call.emit(named(each));
      }
    },
  },
);
