/** The process's environment and console, addresses, checksums and random bytes. */
import { createHash, randomBytes } from "node:crypto";
import ipaddr from "ipaddr.js";
import { toText } from "../convert.ts";
import type { Host } from "../host.ts";
import * as is from "../types.ts";
import { raised, types, type TypeDefinition, type Types } from "../types.ts";
import {
  type EnumValue,
  Hashtable,
  NetObject,
  type PsArray,
  Unsupported,
  type Value,
} from "../values.ts";
import { toBuffer } from "./encoding.ts";
import { badFormat } from "./exceptions.ts";
import type { Source } from "./files.ts";

/** Of the machine the script believes to be on. */
export function newLine(host: Host): string {
  return host.files.separator === "\\" ? "\r\n" : "\n";
}

types.define({
  name: "System.EnvironmentVariableTarget",
  enumeration: { Process: 0, User: 1, Machine: 2 },
});

function defineEnvironment(set: Types, { environment }: Host): void {
  const of = (target?: EnumValue) => {
    const name = target?.name ?? "Process";
    const variables = { Process: environment, Machine: environment.machine }[name];
    if (!variables) {
      throw new Unsupported(`variables of the target ${name}`);
    }
    return variables;
  };
  const getOne = (_: null, name: string, target?: EnumValue) => of(target).get(name) ?? null;
  const getAll = (_: null, target?: EnumValue) => {
    const table = new Hashtable(is.hashtable);
    for (const [name, value] of of(target).all()) {
      table.set(name, value);
    }
    return table;
  };
  set.define({
    name: "System.Environment",
    staticProperties: { Is64BitOperatingSystem: () => true },
    staticMethods: {
      "GetEnvironmentVariable(string)": getOne,
      "GetEnvironmentVariable(string, System.EnvironmentVariableTarget)": getOne,
      "GetEnvironmentVariables()": getAll,
      "GetEnvironmentVariables(System.EnvironmentVariableTarget)": getAll,
      "SetEnvironmentVariable(string, string, System.EnvironmentVariableTarget)": (
        _: null,
        name: string,
        value: string | null,
        target: EnumValue,
      ) => of(target).set(name, value ?? undefined),
    },
  });
}

type Address = NetObject<ReturnType<typeof ipaddr.parse>>;

function address(text: string): Address {
  if (!ipaddr.isValid(text)) {
    throw badFormat("An invalid IP address was specified.");
  }
  return new NetObject(types.get("System.Net.IPAddress"), ipaddr.parse(text));
}

types.define({
  name: "System.Net.IPAddress",
  methods: {
    "GetAddressBytes()": ({ state }: Address) => is.bytes(Buffer.from(state.toByteArray())),
    "ToString()": ({ state }: Address) => state.toString(),
  },
  staticMethods: { "Parse(string)": (_: null, text: string) => address(text) },
});

types.define({
  name: "System.Uri",
  constructors: {
    "(string)": (_: null, written: string) => {
      if (!URL.canParse(written)) {
        throw raised("System.UriFormatException", "Invalid URI: The hostname could not be parsed.");
      }
      return new NetObject(types.get("System.Uri"), new URL(written));
    },
  },
  properties: {
    DnsSafeHost: ({ state }: NetObject<URL>) => state.hostname.replace(/^\[(.*)\]$/, "$1"),
  },
});

const cryptography: Readonly<Record<string, TypeDefinition["methods"]>> = {
  SHA256: {
    "ComputeHash(byte[])": (_: Value, data: PsArray) =>
      is.bytes(createHash("sha256").update(toBuffer(data)).digest()),
  },
  RandomNumberGenerator: {
    "GetBytes(byte[])": (_: Value, { items }: PsArray) => {
      items.splice(0, Infinity, ...is.bytes(randomBytes(items.length)).items);
    },
    "Dispose()": () => undefined,
  },
};
for (const [key, methods] of Object.entries(cryptography)) {
  const name = `System.Security.Cryptography.${key}`;
  const create = () => new NetObject(types.get(name), null);
  types.define({ name, methods, staticMethods: { "Create()": create } });
}

export function defineSystemTypes(set: Types, host: Host): void {
  defineEnvironment(set, host);
  type Writer = NetObject<(text: string) => void>;
  const writer = set.define({
    name: "System.IO.TextWriter",
    methods: {
      "WriteLine(object)": ({ state }: Writer, value: Value) =>
        void state(toText(value) + newLine(host)),
    },
  });
  set.define({
    name: "System.Console",
    staticProperties: {
      Out: () => new NetObject(writer, host.output),
      Error: () => new NetObject(writer, host.error),
    },
    staticMethods: {
      "OpenStandardInput()": (): NetObject<Source> =>
        new NetObject(set.get("System.IO.Stream"), host.input),
    },
  });
  set.define({
    name: "System.Net.Dns",
    staticMethods: {
      "GetHostName()": () => host.environment.machineName,
      "GetHostAddresses(string)": async (_: null, name: string) => {
        const found = (await host.lookup?.(name)) ?? [];
        if (found.length === 0) {
          throw raised("System.Net.Sockets.SocketException", "No such host is known");
        }
        return is.array(found.map(address), types.get("System.Net.IPAddress[]"));
      },
    },
  });
}
