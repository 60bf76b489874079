/** The process's environment and console, addresses and checksums. */
import { createHash } from "node:crypto";
import ipaddr from "ipaddr.js";
import { toText } from "../convert.ts";
import type { Host } from "../host.ts";
import * as is from "../types.ts";
import { raised, types, type Types } from "../types.ts";
import {
  type EnumValue,
  Hashtable,
  NetObject,
  type NetType,
  type PsArray,
  Unsupported,
  type Value,
} from "../values.ts";
import { toBuffer } from "./encoding.ts";
import { badFormat } from "./exceptions.ts";

/** Of the machine the script believes to be on. */
export function newLine(host: Host): string {
  return host.files.separator === "\\" ? "\r\n" : "\n";
}

types.define({
  name: "System.EnvironmentVariableTarget",
  enumeration: { Process: 0, User: 1, Machine: 2 },
});

function defineEnvironment(set: Types, { environment }: Host): void {
  const of = ({ name }: EnumValue) => {
    const variables = { Process: environment, Machine: environment.machine }[name];
    if (!variables) {
      throw new Unsupported(`variables of the target ${name}`);
    }
    return variables;
  };
  set.define({
    name: "System.Environment",
    staticProperties: { Is64BitOperatingSystem: () => true },
    staticMethods: {
      "GetEnvironmentVariable(string, System.EnvironmentVariableTarget)": (
        _: null,
        name: string,
        target: EnumValue,
      ) => of(target).get(name) ?? null,
      "GetEnvironmentVariables(System.EnvironmentVariableTarget)": (_: null, target: EnumValue) => {
        const table = new Hashtable(is.hashtable);
        of(target)
          .all()
          .forEach((value, name) => table.set(name, value));
        return table;
      },
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
  return new NetObject(addressType, ipaddr.parse(text));
}

const addressType: NetType = types.define({
  name: "System.Net.IPAddress",
  methods: {
    "GetAddressBytes()": ({ state }: Address) => is.bytes(Buffer.from(state.toByteArray())),
    "ToString()": ({ state }: Address) => state.toString(),
  },
  staticMethods: { "Parse(string)": (_: null, text: string) => address(text) },
});

const uri = types.define({
  name: "System.Uri",
  constructors: {
    "(string)": (_: null, written: string) => {
      if (!URL.canParse(written)) {
        throw raised("System.UriFormatException", "Invalid URI: The hostname could not be parsed.");
      }
      return new NetObject(uri, new URL(written));
    },
  },
  properties: {
    DnsSafeHost: ({ state }: NetObject<URL>) => state.hostname.replace(/^\[(.*)\]$/, "$1"),
  },
});

const sha256 = types.define({
  name: "System.Security.Cryptography.SHA256",
  methods: {
    "ComputeHash(byte[])": (_: Value, data: PsArray) =>
      is.bytes(createHash("sha256").update(toBuffer(data)).digest()),
  },
  staticMethods: { "Create()": () => new NetObject(sha256, null) },
});

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
      "OpenStandardInput()": () => new NetObject(types.get("System.IO.Stream"), host.input),
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
        return is.array(found.map(address), types.array(addressType));
      },
    },
  });
}
