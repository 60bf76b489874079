/** The process's environment and console, addresses, checksums and random bytes. */
import { createHash, randomFillSync } from "node:crypto";
import ipaddr from "ipaddr.js";
import { toText } from "../convert.ts";
import { composite } from "../format.ts";
import type { Host } from "../host.ts";
import * as is from "../types.ts";
import { raised, types, type Types } from "../types.ts";
import {
  type EnumValue,
  Hashtable,
  NetObject,
  type NetType,
  Num,
  type PsArray,
  Unsupported,
  type Value,
} from "../values.ts";
import { toBuffer } from "./encoding.ts";
import { badFormat, missingArgument } from "./exceptions.ts";
import { Ordered } from "./numbers.ts";
import { streamOf, TextReader } from "./streams.ts";

types.define({
  name: "System.EnvironmentVariableTarget",
  enumeration: { Process: 0, User: 1, Machine: 2 },
});

function defineEnvironment(set: Types, host: Host): void {
  const { environment } = host;
  const of = (target?: EnumValue) => {
    const variables =
      !target || target.name === "Process"
        ? environment
        : target.name === "Machine"
          ? environment.machine
          : undefined;
    if (!variables) {
      throw new Unsupported(`variables of the target ${target?.name ?? ""}`);
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
  const setOne = (_: null, name: string, value: string | null, target?: EnumValue) => {
    of(target).set(name, value ?? undefined);
  };
  set.define({
    name: "System.Environment",
    staticProperties: {
      MachineName: () => environment.machineName,
      NewLine: () => newLine(host),
      Is64BitOperatingSystem: () => true,
    },
    staticMethods: {
      "GetEnvironmentVariable(string)": getOne,
      "GetEnvironmentVariable(string, System.EnvironmentVariableTarget)": getOne,
      "GetEnvironmentVariables()": getAll,
      "GetEnvironmentVariables(System.EnvironmentVariableTarget)": getAll,
      "SetEnvironmentVariable(string, string)": setOne,
      "SetEnvironmentVariable(string, string, System.EnvironmentVariableTarget)": setOne,
    },
  });
}

/** Of the machine the script believes to be on. */
export function newLine(host: Host): string {
  return host.files.separator === "\\" ? "\r\n" : "\n";
}

function defineConsole(set: Types, host: Host): void {
  type Writer = NetObject<(text: string) => void>;
  const line = newLine(host);
  const formatted = (format: string, args: PsArray) => composite(format, args.items, toText);
  const writer = set.define({
    name: "System.IO.TextWriter",
    methods: {
      "Write(object)": (self: Writer, value: Value) => self.state(toText(value)),
      "Write(string, params object[])": (self: Writer, format: string, args: PsArray) =>
        self.state(formatted(format, args)),
      "WriteLine()": (self: Writer) => self.state(line),
      "WriteLine(object)": (self: Writer, value: Value) => self.state(toText(value) + line),
      "WriteLine(string, params object[])": (self: Writer, format: string, args: PsArray) =>
        self.state(formatted(format, args) + line),
      "Flush()": () => undefined,
    },
    unsupported: ["NewLine", "Encoding"],
  });
  const output: Writer = new NetObject(writer, host.output);
  const error: Writer = new NetObject(writer, host.error);
  // Whoever asks first reads it all: there is one standard input.
  const input = streamOf(() => host.input());
  const reader = new TextReader(input);
  set.define({
    name: "System.Console",
    staticProperties: {
      Out: () => output,
      Error: () => error,
      In: () => new NetObject(set.get("System.IO.StreamReader"), reader),
    },
    staticMethods: {
      "OpenStandardInput()": () => new NetObject(set.get("System.IO.Stream"), input),
      "WriteLine(object)": (_: null, value: Value) => host.output(toText(value) + line),
    },
  });
}

/** The state of an IPAddress. */
class Address extends Ordered {
  constructor(
    readonly bytes: readonly number[],
    readonly text: string,
  ) {
    super();
  }

  /** Equal or nothing: addresses have no order. */
  override compareTo(other: unknown): number | undefined {
    return other instanceof Address && other.text === this.text ? 0 : undefined;
  }
}

const addressType: NetType = types.define({
  name: "System.Net.IPAddress",
  aliases: ["ipaddress"],
  properties: { IPAddressToString: (self: NetObject<Address>) => self.state.text },
  methods: {
    "GetAddressBytes()": ({ state }: NetObject<Address>) => is.bytes(Uint8Array.from(state.bytes)),
    "ToString()": (self: NetObject<Address>) => self.state.text,
  },
  staticProperties: { Any: () => address("0.0.0.0"), Loopback: () => address("127.0.0.1") },
  staticMethods: { "Parse(string)": (_: null, text: string | null) => address(text) },
  unsupported: ["AddressFamily", "ScopeId", "IsIPv6LinkLocal", "Address"],
});

export function address(text: string | null): NetObject<Address> {
  if (text === null) {
    throw missingArgument("ipString");
  }
  // As few as one number is an address: 10.1 is 10.0.0.1.
  if (!ipaddr.isValid(text)) {
    throw badFormat("An invalid IP address was specified.");
  }
  const parsed = ipaddr.parse(text);
  return new NetObject(addressType, new Address(parsed.toByteArray(), parsed.toString()));
}

function defineNames(set: Types, host: Host): void {
  set.define({
    name: "System.Net.Dns",
    staticMethods: {
      "GetHostName()": () => host.environment.machineName,
      "GetHostAddresses(string)": async (_: null, name: string) => {
        if (!host.lookup) {
          throw new Unsupported("looking up names");
        }
        const found = await host.lookup(name);
        if (found.length === 0) {
          throw raised("System.Net.Sockets.SocketException", "No such host is known");
        }
        return is.array(found.map(address), types.array(addressType));
      },
    },
  });
}

interface Uri {
  readonly written: string;
  /** Undefined: it is relative. */
  readonly url: URL | undefined;
}

const ports: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "ftp:": 21 };
const ofUrl = (get: (url: URL) => Value) => (self: NetObject<Uri>) => {
  if (!self.state.url) {
    throw raised(
      "System.InvalidOperationException",
      "This operation is not supported for a relative URI.",
    );
  }
  return get(self.state.url);
};
const uriType: NetType = types.define({
  name: "System.Uri",
  aliases: ["uri"],
  properties: {
    Scheme: ofUrl((url) => url.protocol.slice(0, -1)),
    Host: ofUrl((url) => url.hostname),
    DnsSafeHost: ofUrl((url) => url.hostname.replace(/^\[(.*)\]$/, "$1")),
    Port: ofUrl((url) => (url.port === "" ? (ports[url.protocol] ?? -1) : Number(url.port))),
    AbsolutePath: ofUrl((url) => url.pathname),
    AbsoluteUri: ofUrl((url) => url.href),
    IsAbsoluteUri: (self: NetObject<Uri>) => self.state.url !== undefined,
    OriginalString: (self: NetObject<Uri>) => self.state.written,
  },
  methods: {
    "ToString()": ({ state }: NetObject<Uri>) => {
      const text = state.url?.href ?? state.written;
      if (text.includes("%")) {
        throw new Unsupported("the text of an address with escapes in it");
      }
      return text;
    },
  },
  constructors: { "(string)": (_: null, written: string | null) => uri(written) },
  unsupported: [
    ...["LocalPath", "Segments", "Fragment", "UserInfo", "IsFile", "IsLoopback", "IsUnc"],
    ...["HostNameType", "IdnHost", "Authority", "PathAndQuery", "Query", "IsDefaultPort"],
  ],
});

function uri(written: string | null): NetObject<Uri> {
  if (written === null) {
    throw missingArgument("uriString");
  }
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(written);
  if (isAbsolute && !URL.canParse(written)) {
    throw raised("System.UriFormatException", "Invalid URI: The hostname could not be parsed.");
  }
  return new NetObject(uriType, { written, url: isAbsolute ? new URL(written) : undefined });
}

const hasher: NetType = types.define({
  name: "System.Security.Cryptography.SHA256",
  interfaces: ["System.IDisposable"],
  methods: {
    "ComputeHash(byte[])": (_: Value, data: PsArray) =>
      is.bytes(createHash("sha256").update(toBuffer(data)).digest()),
    "Dispose()": () => undefined,
  },
  staticMethods: { "Create()": () => new NetObject(hasher, undefined) },
  unsupported: ["Hash", "HashSize"],
});

const randomGenerator: NetType = types.define({
  name: "System.Security.Cryptography.RandomNumberGenerator",
  interfaces: ["System.IDisposable"],
  methods: {
    "GetBytes(byte[])": (_: Value, data: PsArray) => {
      const random = randomFillSync(new Uint8Array(data.items.length));
      data.items.splice(0, Infinity, ...Array.from(random, (each) => new Num(is.byte, each)));
    },
    "Dispose()": () => undefined,
  },
  staticMethods: { "Create()": () => new NetObject(randomGenerator, undefined) },
});

export function defineSystemTypes(set: Types, host: Host): void {
  defineEnvironment(set, host);
  defineConsole(set, host);
  defineNames(set, host);
}
