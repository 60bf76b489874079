/** The process's environment and console, addresses, checksums and random bytes. */
import { createHash, randomFillSync } from "node:crypto";
import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { toText } from "../convert.ts";
import { composite } from "../format.ts";
import type { Environment, Host } from "../host.ts";
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
import { formatError, missingArgument, toBytes } from "./numbers.ts";
import { streamOf, TextReader } from "./streams.ts";

types.define({
  name: "System.EnvironmentVariableTarget",
  enumeration: { Process: 0, User: 1, Machine: 2 },
});

type Variables = Pick<Environment, "get" | "set" | "all">;

function defineEnvironment(set: Types, host: Host): void {
  const of = (target: EnumValue): Variables => {
    const variables =
      target.name === "Process"
        ? host.environment
        : target.name === "Machine"
          ? host.environment.machine
          : undefined;
    if (!variables) {
      throw new Unsupported(`variables of the target ${target.name}`);
    }
    return variables;
  };
  const table = (variables: Variables) => {
    const result = new Hashtable(is.hashtable);
    for (const [name, value] of variables.all()) {
      result.set(name, value);
    }
    return result;
  };
  const assign = (variables: Variables, name: string, value: string | null) => {
    variables.set(name, value ?? undefined);
  };
  set.define({
    name: "System.Environment",
    staticProperties: {
      MachineName: () => host.environment.machineName,
      NewLine: () => newLine(host),
      CurrentDirectory: () => host.files.resolve("."),
      TickCount: () => Math.trunc(host.clock.elapsed()) | 0,
    },
    staticMethods: {
      "GetEnvironmentVariable(string)": (_: null, name: string) =>
        host.environment.get(name) ?? null,
      "GetEnvironmentVariable(string, System.EnvironmentVariableTarget)": (
        _: null,
        name: string,
        target: EnumValue,
      ) => of(target).get(name) ?? null,
      "GetEnvironmentVariables()": () => table(host.environment),
      "GetEnvironmentVariables(System.EnvironmentVariableTarget)": (_: null, target: EnumValue) =>
        table(of(target)),
      "SetEnvironmentVariable(string, string)": (_: null, name: string, value: string | null) => {
        assign(host.environment, name, value);
      },
      "SetEnvironmentVariable(string, string, System.EnvironmentVariableTarget)": (
        _: null,
        name: string,
        value: string | null,
        target: EnumValue,
      ) => {
        assign(of(target), name, value);
      },
      "ExpandEnvironmentVariables(string)": (_: null, text: string) =>
        text.replace(
          /%([^%]+)%/g,
          (written, name: string) => host.environment.get(name) ?? written,
        ),
    },
  });
}

/** Of the machine the script believes to be on. */
function newLine(host: Host): string {
  return host.files.separator === "\\" ? "\r\n" : "\n";
}

function defineConsole(set: Types, host: Host): void {
  type Writer = NetObject<(text: string) => void>;
  const line = newLine(host);
  const writer = set.define({
    name: "System.IO.TextWriter",
    methods: {
      "Write(object)": (self: Writer, value: Value) => self.state(toText(value)),
      "Write(string, params object[])": (self: Writer, format: string, args: PsArray) =>
        self.state(composite(format, args.items, toText)),
      "WriteLine()": (self: Writer) => self.state(line),
      "WriteLine(object)": (self: Writer, value: Value) => self.state(toText(value) + line),
      "WriteLine(string, params object[])": (self: Writer, format: string, args: PsArray) =>
        self.state(composite(format, args.items, toText) + line),
      "Flush()": () => undefined,
    },
    unsupported: ["NewLine", "Encoding", "Close", "Dispose", "WriteAsync", "WriteLineAsync"],
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
      IsInputRedirected: () => true,
      IsOutputRedirected: () => true,
      IsErrorRedirected: () => true,
    },
    staticMethods: {
      "OpenStandardInput()": () => new NetObject(set.get("System.IO.Stream"), input),
      "Write(object)": (_: null, value: Value) => host.output(toText(value)),
      "WriteLine()": () => host.output(line),
      "WriteLine(object)": (_: null, value: Value) => host.output(toText(value) + line),
    },
  });
}

const addressFamily = types.define({
  name: "System.Net.Sockets.AddressFamily",
  enumeration: { Unspecified: 0, InterNetwork: 2, InterNetworkV6: 23 },
});

interface Address {
  readonly bytes: readonly number[];
  readonly text: string;
}

const addressType: NetType = types.define({
  name: "System.Net.IPAddress",
  aliases: ["ipaddress"],
  properties: {
    AddressFamily: (self: NetObject<Address>) =>
      addressFamily.enumeration?.get(
        self.state.bytes.length === 4 ? "internetwork" : "internetworkv6",
      ) ?? null,
    IPAddressToString: (self: NetObject<Address>) => self.state.text,
  },
  methods: {
    "GetAddressBytes()": (self: NetObject<Address>) => is.bytes(Uint8Array.from(self.state.bytes)),
    "ToString()": (self: NetObject<Address>) => self.state.text,
    "Equals(object)": (self: NetObject<Address>, other: Value) =>
      other instanceof NetObject &&
      other.type === addressType &&
      (other as NetObject<Address>).state.text === self.state.text,
  },
  staticProperties: { Any: () => address("0.0.0.0"), Loopback: () => address("127.0.0.1") },
  staticMethods: { "Parse(string)": (_: null, text: string | null) => address(text) },
  constructors: {
    "(byte[])": (_: null, bytes: PsArray) =>
      address(ipaddr.fromByteArray([...toBytes(bytes)]).toString()),
  },
  unsupported: ["ScopeId", "IsIPv6LinkLocal", "MapToIPv4", "MapToIPv6", "Address"],
});

export function address(text: string | null): NetObject<Address> {
  if (text === null) {
    throw missingArgument("ipString");
  }
  if (/^\d+(?:\.\d+){0,2}$|^0x/i.test(text)) {
    throw new Unsupported(`the address ${text}`);
  }
  const isFour =
    /^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text) &&
    text.split(".").every((part) => Number(part) < 256);
  if (!isFour && !isIPv6(text)) {
    throw formatError("An invalid IP address was specified.");
  }
  const parsed = ipaddr.parse(text);
  return new NetObject(addressType, {
    bytes: parsed.toByteArray(),
    text: isFour ? text : parsed.toString(),
  });
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
          throw raised("System.Net.Sockets.SocketException", "No such host is known", {
            hresult: -2147467259,
          });
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

const ports: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "ftp:": 21,
  "ws:": 80,
  "wss:": 443,
};
const ofUrl = (get: (url: URL) => Value) => (self: NetObject<Uri>) => {
  if (!self.state.url) {
    throw raised(
      "System.InvalidOperationException",
      "This operation is not supported for a relative URI.",
      { hresult: -2146233079 },
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
    Authority: ofUrl((url) => url.host),
    AbsolutePath: ofUrl((url) => url.pathname),
    PathAndQuery: ofUrl((url) => url.pathname + url.search),
    Query: ofUrl((url) => url.search),
    AbsoluteUri: ofUrl((url) => url.href),
    IsAbsoluteUri: (self: NetObject<Uri>) => self.state.url !== undefined,
    OriginalString: (self: NetObject<Uri>) => self.state.written,
  },
  methods: { "ToString()": (self: NetObject<Uri>) => self.state.url?.href ?? self.state.written },
  constructors: {
    "(string)": (_: null, written: string | null) => {
      if (written === null) {
        throw missingArgument("uriString");
      }
      const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(written);
      if (isAbsolute && !URL.canParse(written)) {
        throw raised(
          "System.UriFormatException",
          "Invalid URI: The hostname could not be parsed.",
          { hresult: -2146233033 },
        );
      }
      return new NetObject(uriType, { written, url: isAbsolute ? new URL(written) : undefined });
    },
  },
  unsupported: [
    "LocalPath",
    "Segments",
    "Fragment",
    "UserInfo",
    "IsFile",
    "IsLoopback",
    "IsUnc",
    "HostNameType",
    "IdnHost",
  ],
});

const hasher: NetType = types.define({
  name: "System.Security.Cryptography.SHA256",
  interfaces: ["System.IDisposable"],
  methods: {
    "ComputeHash(byte[])": (_: Value, data: PsArray) =>
      is.bytes(createHash("sha256").update(toBytes(data)).digest()),
    "Dispose()": () => undefined,
  },
  staticMethods: { "Create()": () => new NetObject(hasher, undefined) },
  unsupported: ["Hash", "HashSize", "TransformBlock", "TransformFinalBlock", "Initialize", "Clear"],
});

const randomGenerator: NetType = types.define({
  name: "System.Security.Cryptography.RandomNumberGenerator",
  aliases: ["System.Security.Cryptography.RNGCryptoServiceProvider"],
  interfaces: ["System.IDisposable"],
  methods: {
    "GetBytes(byte[])": (_: Value, data: PsArray) => {
      const random = randomFillSync(new Uint8Array(data.items.length));
      data.items.splice(0, Infinity, ...Array.from(random, (each) => new Num(is.byte, each)));
    },
    "Dispose()": () => undefined,
  },
  staticMethods: { "Create()": () => new NetObject(randomGenerator, undefined) },
  unsupported: ["GetNonZeroBytes"],
});

export function defineSystemTypes(set: Types, host: Host): void {
  defineEnvironment(set, host);
  defineConsole(set, host);
  defineNames(set, host);
}
