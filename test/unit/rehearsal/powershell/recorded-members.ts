/**
 * What the recorded scripts use and no script of the project does: they show values and make files by it. It is added to
 * the types of the interpreter that runs them.
 */
import { toText } from "../../../../rehearsal/powershell/convert.ts";
import {
  decodeText,
  linesOf,
  toBuffer,
  type TextEncoding,
} from "../../../../rehearsal/powershell/dotnet/encoding.ts";
import { badFormat } from "../../../../rehearsal/powershell/dotnet/exceptions.ts";
import {
  toDateTime,
  toMilliseconds,
  ticksOfMoment,
  toTicks,
  type Moment,
} from "../../../../rehearsal/windows/time-types.ts";
import type { FileState } from "../../../../rehearsal/windows/file-types.ts";
import type { FileMode } from "../../../../rehearsal/windows/file-streams.ts";
import type { ScriptMachine } from "../../../../rehearsal/windows/machine-types.ts";
import { upper } from "../../../../rehearsal/powershell/operators.ts";
import * as is from "../../../../rehearsal/powershell/types.ts";
import {
  raised,
  typeOf,
  types as coreTypes,
  type Types,
} from "../../../../rehearsal/powershell/types.ts";
import type { Hashtable } from "../../../../rehearsal/powershell/values.ts";
import {
  isNull,
  NetObject,
  unknownWords,
  Unsupported,
  type EnumValue,
  type NetType,
  type Num,
  type PsArray,
  type Value,
} from "../../../../rehearsal/powershell/values.ts";

coreTypes.extend("System.Object", {
  methods: {
    "GetType()"(self: Exclude<Value, null>) {
      // Its class may derive from the type that scripts name.
      const own = typeOf(self).lineage.filter(({ base }) => base !== undefined);
      const isSure = own.some((each) => each.methods.has("tostring"));
      if (self instanceof NetObject && !isSure)
        throw new Unsupported(`the class of [${typeOf(self).name}]`);
      return typeOf(self);
    },
  },
});
const runtimeType = is.int.type;
coreTypes.extend(runtimeType, {
  properties: {
    Name: (self: NetType) => self.name.replace(/^.*\./, ""),
    FullName: (self: NetType) => self.name,
  },
});
coreTypes.extend("System.String", {
  methods: {
    "ToUpperInvariant()": upper,
    "Split(string)": (self: string, by: string) => {
      // 5.1 splits at each character of it.
      if (by.length !== 1) throw new Unsupported("Split at anything but one character");
      return is.array(self.split(by), is.types.array(is.string));
    },
    "ToCharArray()": (self: string) =>
      is.array(self.split("").map(is.toChar), is.types.array(is.char)),
  },
  staticMethods: { "IsNullOrEmpty(string?)": (text: string | null) => !text },
});
coreTypes.define({
  name: "System.BitConverter",
  staticMethods: {
    "ToString(byte[])": (data: PsArray) =>
      toBuffer(data)
        .toString("hex")
        .toUpperCase()
        .replace(/..(?=.)/g, "$&-"),
  },
});
coreTypes.extend("System.IO.IOException", {
  constructors: {
    "(string, int)": (message: string, hresult: number) =>
      raised("System.IO.IOException", message, { hresult }).exception,
  },
});
coreTypes.extend(coreTypes.array(is.byte), {
  constructors: { "(int)": (length: number) => is.bytes(new Uint8Array(length)) },
});
for (const type of [is.hashtable, is.orderedDictionary]) {
  coreTypes.extend(type, {
    methods: {
      "Add(object, object?)": (self: Hashtable, key: Value, value: Value) => {
        if (isNull(key)) throw new Unsupported("a key that is null");
        if (self.has(key))
          throw raised("System.ArgumentException", `Added already.${unknownWords}`);
        self.set(key, value);
      },
      "Remove(object)": (self: Hashtable, key: Value) => self.delete(key),
    },
  });
}
coreTypes.extend("System.Text.Encoding", {
  methods: {
    "GetString(byte[])": ({ state }: NetObject<TextEncoding>, data: PsArray) =>
      state.decode(toBuffer(data)),
  },
  staticProperties: {
    ASCII: () => {
      const state = {
        encode: (text: string) => Buffer.from(text.replace(/[^\0-\x7f]/g, "?"), "latin1"),
        decode: (data: Buffer) => data.toString("latin1").replace(/[^\0-\x7f]/g, "?"),
      };
      return new NetObject(coreTypes.get("System.Text.Encoding"), state);
    },
  },
});
coreTypes.define({
  name: "System.DateTimeKind",
  enumeration: { Unspecified: 0, Utc: 1, Local: 2 },
});

/** What depends on the machine that the script runs on. */
export function defineRecordedMembers(types: Types, host: ScriptMachine): void {
  const { clock, environment, files } = host;
  const full = (path: string): string => files.resolve(path);
  const isFolder = (path: string): boolean | undefined => {
    if (/^$|.[\\/]$/.test(path)) throw new Unsupported(`whether ${path} exists`);
    return files.status(full(path))?.isFolder;
  };
  types.extend("System.Environment", {
    staticMethods: {
      "GetEnvironmentVariable(string)": (name: string) => environment.get(name) ?? null,
    },
  });
  types.define({
    name: "System.Threading.Thread",
    staticMethods: { "Sleep(int)": (time: number) => clock.sleep(time) },
  });
  types.extend("System.IO.Path", {
    staticMethods: {
      "GetTempPath()": () => `${(environment.get("TMPDIR") ?? "/tmp").replace(/\/$/, "")}/`,
    },
  });
  const open = async (
    path: string,
    mode: EnumValue,
    access?: EnumValue,
    share?: EnumValue,
  ): Promise<Value> => {
    const how = { access: access?.name as "Read", share: share?.name ?? "Read" };
    const handle = await files.open(full(path), { mode: mode.name as FileMode, ...how });
    return new NetObject(types.get("System.IO.FileStream"), handle);
  };
  type Info = NetObject<FileState>;
  types.extend("System.IO.FileSystemInfo", {
    properties: {
      PSIsContainer: ({ state }: Info) => state.status.isFolder,
      LastWriteTimeUtc: [
        ({ state }: Info) => toDateTime(types, host, state.status.modified, true),
        ({ state }: Info, time: NetObject<Moment>) =>
          files.setModified(state.path, toMilliseconds(time.state.ticks)),
      ],
    },
  });
  types.extend("System.IO.Directory", {
    staticMethods: { "Exists(string)": (path: string) => isFolder(path) === true },
  });
  types.extend("System.IO.File", {
    staticMethods: {
      "Exists(string)": (path: string) => isFolder(path) === false,
      "ReadAllLines(string)": (path: string) =>
        is.array(linesOf(decodeText(files.read(full(path)))), is.types.array(is.string)),
      "WriteAllText(string, string)": (path: string, text: string) =>
        files.write(full(path), Buffer.from(text)),
      "WriteAllLines(string, string[])": (path: string, { items }: PsArray) =>
        files.write(full(path), Buffer.from(items.map((line) => `${toText(line)}\n`).join(""))),
      "WriteAllBytes(string, byte[])": (path: string, data: PsArray) =>
        files.write(full(path), toBuffer(data)),
      "SetLastWriteTimeUtc(string, DateTime)": (path: string, time: NetObject<Moment>) =>
        files.setModified(full(path), toMilliseconds(time.state.ticks)),
      "Open(string, System.IO.FileMode, System.IO.FileAccess, System.IO.FileShare)": open,
    },
  });
  types.extend("System.IO.FileStream", { constructors: { "(string, System.IO.FileMode)": open } });
  const reader = types.extend("System.IO.StreamReader", {
    constructors: {
      "(string)": (path: string) => new NetObject(reader, () => files.read(full(path))),
    },
  });
  defineMoments(types, host);
}

function defineMoments(types: Types, host: ScriptMachine): void {
  type DateTime = NetObject<Moment>;
  const type = types.get("System.DateTime");
  const unspecified = (milliseconds: number): DateTime =>
    new NetObject(type, { ticks: toTicks(milliseconds), kind: "Unspecified" });
  types.extend(type, {
    properties: {
      Kind: ({ state }: DateTime) =>
        types.get("System.DateTimeKind").enumeration?.get(state.kind.toLowerCase()) ?? null,
    },
    methods: {
      "AddHours(double)": ({ state }: DateTime, { value }: Num) =>
        new NetObject(type, {
          ...state,
          ticks: ticksOfMoment(state.ticks + toTicks(value * 3_600_000)),
        }),
    },
    constructors: {
      "(int, int, int)": (year: number, month: number, day: number) =>
        unspecified(Date.UTC(year, month - 1, day)),
    },
    staticProperties: { MinValue: () => unspecified(Date.parse("0001-01-01T00:00:00Z")) },
    staticMethods: {
      "Parse(string)": (text: string) => {
        if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\dZ?)?$/.test(text)) {
          throw /^[a-z ]+$/i.test(text)
            ? badFormat(`No date.${unknownWords}`)
            : new Unsupported(`the date ${text}`);
        }
        const moment = Date.parse(text.replace(/(:\d\d)$/, "$1Z"));
        return text.endsWith("Z")
          ? toDateTime(types, host, toTicks(moment), false)
          : unspecified(moment);
      },
      "ParseExact(string, string, System.IFormatProvider?)": (text: string, format: string) => {
        const digits = new RegExp(`^${format.replace(/[yMdHms]/g, "\\d")}$`);
        if (!/^yyyy-MM-dd( HH:mm:ss)?$/.test(format) || !digits.test(text))
          throw new Unsupported(`the date ${text} in the form ${format}`);
        if (Number.isNaN(Date.parse(text))) throw badFormat(`No date.${unknownWords}`);
        return unspecified(Date.parse(text));
      },
      "SpecifyKind(DateTime, System.DateTimeKind)": ({ state }: DateTime, to: EnumValue) =>
        new NetObject(type, { ...state, kind: to.name }),
    },
  });
}
