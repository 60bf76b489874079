/** Environment variables of a Windows process. Names ignore case. */
import type { Item, ItemProvider } from "../powershell/cmdlets/items.ts";
import type { Environment } from "../powershell/host.ts";
import { version } from "../powershell/dotnet/numbers.ts";
import * as is from "../powershell/types.ts";
import type { Types } from "../powershell/types.ts";
import { Hashtable, NetObject, Unsupported, type EnumValue } from "../powershell/values.ts";
import { object } from "./objects.ts";

export interface Variables extends Environment {
  all(): ReadonlyMap<string, string>;
}

export interface WindowsEnvironment extends Variables {
  /** The machine's variables, which new processes get. Undefined if they are not modelled. */
  readonly machine?: Variables;
}

/** @param initial The process' first variables. */
export function windowsEnvironment(
  initial: Readonly<Record<string, string>>,
  machine: Variables,
): WindowsEnvironment {
  const variables = new Map<string, { readonly name: string; readonly value: string }>();
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined || value === "") {
      variables.delete(name.toLowerCase());
    } else {
      variables.set(name.toLowerCase(), { name, value });
    }
  };
  for (const [name, value] of Object.entries(initial)) {
    set(name, value);
  }
  return {
    get: (name) => variables.get(name.toLowerCase())?.value,
    set,
    all: () => new Map([...variables.values()].map(({ name, value }) => [name, value])),
    machine,
  };
}

/** The provider of the drive Env:. */
export function environmentItems(variables: Variables): ItemProvider {
  const refuse = (): never => {
    throw new Unsupported("a change of the drive Env:, or a list of it");
  };
  const find = (path: string): Item | undefined => {
    const name = path.replace(/^env:[\\/]?/i, "");
    const found = [...variables.all()].find(([each]) => each.toLowerCase() === name.toLowerCase());
    if (found === undefined) return undefined;
    const [Name, Value] = found;
    const value = () => object({ Name, Key: Name, Value }, entry);
    return { path, name: Name, isContainer: false, isHidden: false, isLink: false, value };
  };
  const changes = { children: refuse, make: refuse, remove: refuse, copy: refuse, read: refuse };
  return { separator: "\\", resolve: (path) => path, find, ...changes };
}

const entry = is.types.define({ name: "System.Collections.DictionaryEntry#environment" });

export function defineEnvironmentTypes(
  types: Types,
  environment: WindowsEnvironment,
  { is64Bit, build }: { readonly is64Bit: boolean; readonly build: number },
): void {
  const of = ({ name }: EnumValue): Variables => {
    const variables = { Process: environment, Machine: environment.machine }[name];
    if (!variables) throw new Unsupported(`variables of the target ${name}`);
    return variables;
  };
  const target = types.define({
    name: "System.EnvironmentVariableTarget",
    enumeration: { Process: 0, User: 1, Machine: 2 },
  }).name;
  // https://learn.microsoft.com/dotnet/api/system.environment.osversion
  const system = types.define({
    name: "System.OperatingSystem",
    properties: { Version: () => version(`10.0.${build}.0`) },
  });
  types.define({
    name: "System.Environment",
    staticProperties: {
      Is64BitOperatingSystem: () => is64Bit,
      OSVersion: () => new NetObject(system, undefined),
    },
    staticMethods: {
      [`GetEnvironmentVariable(string, ${target})`]: (name: string, from: EnumValue) =>
        of(from).get(name) ?? null,
      [`GetEnvironmentVariables(${target})`]: (from: EnumValue) => {
        const table = new Hashtable(is.hashtable);
        of(from)
          .all()
          .forEach((value, name) => table.set(name, value));
        return table;
      },
      [`SetEnvironmentVariable(string, string, ${target})`]: (
        name: string,
        value: string | null,
        to: EnumValue,
      ) => of(to).set(name, value ?? undefined),
    },
  });
}
