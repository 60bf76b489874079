/**
 * Windows' registry: keys and values, the keys as items of the drive HKLM:, and the cmdlets for values.
 *
 * Sources: https://learn.microsoft.com/powershell/module/microsoft.powershell.management (Get-ItemProperty and its
 * relatives), https://learn.microsoft.com/dotnet/api/microsoft.win32.registrykey.
 */
import * as z from "zod";
import type { Item, ItemProvider } from "../powershell/cmdlets/items.ts";
import { itemNotFound, split } from "../powershell/cmdlets/items.ts";
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import { convert, toItems, toText } from "../powershell/convert.ts";
import * as is from "../powershell/types.ts";
import { raised, type Types } from "../powershell/types.ts";
import {
  type EnumValue,
  isNull,
  NetObject,
  PsArray,
  Unsupported,
  type Value,
} from "../powershell/values.ts";
import type { Variables } from "./environment.ts";
import { object, refuse, strings } from "./objects.ts";

const valueSchema = z.strictObject({
  kind: z.enum(["String", "ExpandString", "MultiString", "DWord"]),
  data: z.union([z.string(), z.int(), z.array(z.string()).readonly()]),
});
type ValueJson = z.infer<typeof valueSchema>;
type ValueKind = ValueJson["kind"];

/** The values of each key, by the key's path. */
const jsonSchema = z.record(z.string(), z.record(z.string(), valueSchema));
export type RegistryJson = z.infer<typeof jsonSchema>;

/** Parses HKEY_LOCAL_MACHINE from the result of `toJSON`. */
export const registrySchema = jsonSchema.transform((json) =>
  new RegistryKey("HKEY_LOCAL_MACHINE").load(json),
);

interface RegistryValue {
  readonly name: string;
  readonly kind: ValueKind;
  readonly data: Value;
}

/** A registry key, with its subkeys and values by name in lower case. */
export class RegistryKey {
  readonly keys = new Map<string, RegistryKey>();
  readonly values = new Map<string, RegistryValue>();

  constructor(readonly name: string) {}

  /** The key at a path relative to this one, separated by `\`. */
  find(path: string): RegistryKey | undefined {
    return namesOf(path).reduce<RegistryKey | undefined>(
      (key, name) => key?.keys.get(name.toLowerCase()),
      this,
    );
  }

  /** Like `find`, but creates missing keys. */
  make(path: string): RegistryKey {
    return namesOf(path).reduce<RegistryKey>((key, name) => {
      const below = key.keys.get(name.toLowerCase()) ?? new RegistryKey(name);
      key.keys.set(name.toLowerCase(), below);
      return below;
    }, this);
  }

  remove(path: string): void {
    const names = namesOf(path);
    const leaf = names.pop() ?? "";
    this.find(names.join("\\"))?.keys.delete(leaf.toLowerCase());
  }

  /** A value's data. Variables in an ExpandString are expanded. */
  get(name: string): Value | undefined {
    const value = this.values.get(name.toLowerCase());
    return value?.kind === "ExpandString" ? expanded(toText(value.data)) : value?.data;
  }

  set(name: string, data: Value, kind: ValueKind): void {
    this.values.set(name.toLowerCase(), { name, kind, data });
  }

  /** Removes a value. Returns whether it existed. */
  unset(name: string): boolean {
    return this.values.delete(name.toLowerCase());
  }

  /** Called by JSON.stringify. */
  toJSON(): RegistryJson {
    return Object.fromEntries(this.#below(""));
  }

  #below(path: string): [path: string, values: RegistryJson[string]][] {
    return [...this.keys.values()].flatMap((key) => {
      const values = [...key.values.values()].map(
        ({ name, kind, data }) => [name, { kind, data: plain(data) }] as const,
      );
      return [[path + key.name, Object.fromEntries(values)], ...key.#below(`${path}${key.name}\\`)];
    });
  }

  load(json: RegistryJson): this {
    for (const [path, values] of Object.entries(json)) {
      const key = this.make(path);
      for (const [name, { kind, data }] of Object.entries(values)) {
        key.set(name, typeof data === "object" ? strings(data) : data, kind);
      }
    }
    return this;
  }
}

/** Variables in ExpandString values. Windows sets them at boot. */
const bootVariables: Readonly<Record<string, string>> = {
  "%systemroot%": "C:\\Windows",
  "%systemdrive%": "C:",
};

function expanded(text: string): string {
  return text.replace(/%\w+%/g, (name) => bootVariables[name.toLowerCase()] ?? name);
}

function plain(data: Value): ValueJson["data"] {
  if (data instanceof PsArray) return data.items.map(toText);
  if (typeof data === "string" || typeof data === "number") return data;
  throw new Unsupported("keeping a registry value that is neither a text nor an Int32");
}

function namesOf(path: string): string[] {
  return path.split("\\").filter((name) => name !== "");
}

/** The provider of the drive HKLM:. */
export class RegistryItems implements ItemProvider {
  readonly separator = "\\";

  constructor(
    readonly machine: RegistryKey,
    readonly types: Types,
    private readonly changed: () => void = () => undefined,
  ) {}

  resolve(path: string): string {
    return path
      .replaceAll("/", "\\")
      .replace(/\\+$/, "")
      .replace(/^hklm:\\?/i, "HKLM:\\");
  }

  find(path: string): Item | undefined {
    const key = this.key(path);
    return key && this.#item(path, key);
  }

  children(container: Item): Item[] {
    const key = this.key(container.path);
    if (!key) throw itemNotFound(container.path);
    return [...key.keys.values()].map((each) =>
      this.#item(`${container.path}\\${each.name}`, each),
    );
  }

  make(
    path: string,
    { force }: { readonly type: string | undefined; readonly force: boolean },
  ): Item {
    const full = this.resolve(path);
    const { parent, leaf } = split(this, full);
    const above = this.machine.find(this.#below(parent));
    if (!above && !force) {
      const message = "The registry key at the specified path does not exist.";
      throw raised("System.IO.IOException", message, { id: "System.ArgumentException" });
    }
    if (above?.keys.has(leaf.toLowerCase()) && !force) {
      const [message, id] = ["A key in this path already exists.", "System.IO.IOException"];
      throw raised("System.IO.IOException", message, { id });
    }
    // -Force recreates an existing key, without its values.
    const key = this.machine.make(this.#below(full));
    key.values.clear();
    this.changed();
    return this.#item(full, key);
  }

  remove(item: Item): void {
    this.machine.remove(this.#below(item.path));
    this.changed();
  }

  copy(): never {
    throw new Unsupported("Copy-Item of a registry key");
  }

  read(): never {
    throw new Unsupported("the content of a registry key");
  }

  key(path: string): RegistryKey | undefined {
    return this.machine.find(this.#below(path));
  }

  /** The part of a path below HKLM:\. */
  #below(path: string): string {
    return this.resolve(path).slice("HKLM:\\".length);
  }

  #item(path: string, key: RegistryKey): Item {
    return {
      path,
      name: key.name,
      isContainer: true,
      isHidden: false,
      isLink: false,
      value: () => new NetObject(this.types.get("Microsoft.Win32.RegistryKey"), { key, path }),
    };
  }
}

type KeyObject = NetObject<{ readonly key: RegistryKey; readonly path: string }>;

export function defineRegistryTypes(types: Types): void {
  const options = types.define({
    name: "Microsoft.Win32.RegistryValueOptions",
    enumeration: { None: 0, DoNotExpandEnvironmentNames: 1 },
  });
  types.define({
    name: "Microsoft.Win32.RegistryKey",
    properties: {
      Name: ({ state }: KeyObject) => state.path.replace(/^HKLM:/i, "HKEY_LOCAL_MACHINE"),
      PSPath: ({ state }: KeyObject) => state.path,
      PSChildName: ({ state }: KeyObject) => state.key.name,
      ValueCount: ({ state }: KeyObject) => state.key.values.size,
      SubKeyCount: ({ state }: KeyObject) => state.key.keys.size,
    },
    methods: {
      "GetValue(string)": ({ state }: KeyObject, name: string) => state.key.get(name) ?? null,
      "GetValue(string, object?)": ({ state }: KeyObject, name: string, instead: Value) =>
        state.key.get(name) ?? instead,
      [`GetValue(string, object, ${options.name})`]: (
        { state }: KeyObject,
        name: string,
        instead: Value,
        { number }: EnumValue,
      ) =>
        (number === 0 ? state.key.get(name) : state.key.values.get(name.toLowerCase())?.data) ??
        instead,
      "GetValueKind(string)": ({ state }: KeyObject, name: string) =>
        state.key.values.get(name.toLowerCase())?.kind ?? null,
      "Close()": () => undefined,
    },
  });
}

export function registryCmdlets(items: RegistryItems): readonly Cmdlet[] {
  const onKeys =
    (run: (call: Call, key: RegistryKey, path: string) => void | Promise<void>) =>
    async (call: Call) => {
      for (const each of call.texts("LiteralPath") ?? call.texts("Path") ?? []) {
        if (!/^hklm:/i.test(each)) throw new Unsupported(`${call.name} for ${each}`);
        const key = items.key(each);
        await (key ? run(call, key, each) : call.fail(itemNotFound(each)));
      }
    };
  const missing = (call: Call, name: string, at: string) => {
    const type = "System.Management.Automation.PSArgumentException";
    return refuse(call, `Property ${name} does not exist at path ${at}.`, type, type);
  };
  const paths = "[[-Path] <string[]>] [-LiteralPath <string[]>]";
  return cmdlets(
    {
      [`Get-ItemProperty ${paths} [[-Name] <string[]>]`]: onKeys(async (call, key, at) => {
        const names = call.texts("Name");
        const found = object({});
        for (const value of key.values.values()) {
          if (!names || names.some((name) => name.toLowerCase() === value.name.toLowerCase())) {
            found.set(value.name, key.get(value.name) ?? null);
          }
        }
        for (const name of names ?? []) {
          if (!key.values.has(name.toLowerCase())) {
            await missing(call, name, at);
          }
        }
        if (found.properties.size > 0) {
          await call.emit(found.set("PSPath", at).set("PSChildName", key.name));
        }
      }),
      [`Set-ItemProperty ${paths} [-Name] <string> [[-Value] <object>] [-Type <string>]`]: onKeys(
        (call, key) => {
          const name = call.text("Name") ?? "";
          const known = key.values.get(name.toLowerCase());
          const kind = call.text("Type") as ValueKind | undefined;
          store(key, known?.name ?? name, call.get("Value") ?? null, kind ?? known?.kind);
        },
      ),
      [`New-ItemProperty ${paths} [-Name] <string> [-Value <object>] [-PropertyType <string>] [-Force]`]:
        onKeys(async (call, key, at) => {
          const name = call.text("Name") ?? "";
          if (key.values.has(name.toLowerCase()) && !call.flag("Force")) {
            const type = "System.IO.IOException";
            return refuse(call, "The property already exists.", type, type);
          }
          const kind = call.text("PropertyType") as ValueKind | undefined;
          store(key, name, call.get("Value") ?? null, kind);
          const data = key.values.get(name.toLowerCase())?.data ?? null;
          await call.emit(object({ [name]: data, PSPath: at }));
        }),
      [`Remove-ItemProperty ${paths} [-Name] <string[]> [-Force]`]: onKeys(
        async (call, key, at) => {
          for (const name of call.texts("Name") ?? []) {
            if (!key.unset(name)) {
              await missing(call, name, at);
            }
          }
        },
      ),
    },
    "Microsoft.PowerShell.Commands",
  );
}

/** Stores a value. The default kind depends on the value's type. */
function store(key: RegistryKey, name: string, value: Value, given: ValueKind | undefined): void {
  const kind = given ?? (typeof value === "number" ? "DWord" : "String");
  switch (kind.toLowerCase()) {
    case "dword":
      key.set(name, convert(value, is.int), "DWord");
      return;
    case "multistring":
      key.set(name, strings(isNull(value) ? [] : toItems(value).map(toText)), "MultiString");
      return;
    case "string":
    case "expandstring":
      key.set(name, toText(value), kind.length > "String".length ? "ExpandString" : "String");
      return;
    default:
      throw new Unsupported(`registry values of the kind ${kind}`);
  }
}

/** The key in which Windows stores the machine's variables. */
export function variablesKey(machine: RegistryKey): RegistryKey {
  return machine.make("SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment");
}

/** The machine's variables. Setting one to "" removes it, as in 5.1. */
export function machineVariables(
  machine: RegistryKey,
  changed: () => void = () => undefined,
): Variables {
  const key = variablesKey(machine);
  return {
    get: (name) => {
      const value = key.get(name);
      return value === undefined ? undefined : toText(value);
    },
    set: (name, value) => {
      if (value === undefined || value === "") {
        key.unset(name);
      } else {
        key.set(name, value, "String");
      }
      changed();
    },
    all: () =>
      new Map([...key.values.values()].map(({ name }) => [name, toText(key.get(name) ?? null)])),
  };
}
