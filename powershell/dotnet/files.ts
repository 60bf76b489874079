/** System.IO: files, folders, and streams of them. */
import { toMilliseconds, type Moment } from "../dates.ts";
import type { Edition } from "../edition.ts";
import type { FileHandle, FileMode, FileStatus, Host } from "../host.ts";
import { array, bytes, string, type Types } from "../types.ts";
import { NetObject, Unsupported, type EnumValue, type PsArray } from "../values.ts";
import {
  decodeText,
  defineEncodings,
  encodeText,
  toBuffer,
  type TextEncoding,
} from "./encoding.ts";
import { fileNotFound } from "./io-errors.ts";
import { task } from "./processes.ts";
import { newLine } from "./system.ts";
import { fromDateTime, toDateTime } from "./time.ts";

/** What the state of a FileInfo or DirectoryInfo is. */
export interface FileState {
  readonly path: string;
  /** What it is in a text: 5.1 shows what a folder lists by its name alone. */
  readonly shown: string;
  /** As it was when the object was made. */
  status: FileStatus;
}

/** A FileInfo or DirectoryInfo. */
export function fileInfo(types: Types, state: FileState): NetObject<FileState> {
  const name = state.status.isFolder ? "DirectoryInfo" : "FileInfo";
  return new NetObject(types.get(`System.IO.${name}`), state);
}

export function fileName(path: string): string {
  return path.slice(path.search(/[^\\/:]*$/));
}

/** Lines of a text; the end of the last line begins no further one. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** What the state of a StreamReader does: it reads all that is left. */
export type Source = () => Buffer | Promise<Buffer>;

/** Defines what touches files, for one machine. */
export function defineFileTypes(types: Types, host: Host, edition: Edition = "Desktop"): void {
  defineEncodings(types, edition);
  defineInfos(types, host);
  const { environment, files } = host;
  const full = (path: string) => files.resolve(path);
  const isFolder = (path: string) => (path === "" ? undefined : files.status(full(path))?.isFolder);
  type Encoding = NetObject<TextEncoding>;
  const readLines = (_: null, path: string, encoding?: Encoding) =>
    array(linesOf(decodeText(files.read(full(path)), encoding?.state)), types.array(string));
  const writeLines = (_: null, path: string, lines: PsArray, encoding?: Encoding) => {
    const text = lines.items.map((line) => (line as string) + newLine(host)).join("");
    return files.write(full(path), encodeText(text, encoding?.state));
  };
  types.define({
    name: "System.IO.File",
    staticMethods: {
      "ReadAllText(string)": (_: null, path: string) => decodeText(files.read(full(path))),
      "ReadAllLines(string)": readLines,
      "ReadAllLines(string, System.Text.Encoding)": readLines,
      "ReadAllBytes(string)": (_: null, path: string) => bytes(files.read(full(path))),
      "WriteAllText(string, string)": (_: null, path: string, text: string) =>
        files.write(full(path), encodeText(text)),
      "WriteAllLines(string, string[])": writeLines,
      "WriteAllLines(string, string[], System.Text.Encoding)": writeLines,
      "WriteAllBytes(string, byte[])": (_: null, path: string, data: PsArray) =>
        files.write(full(path), toBuffer(data)),
      "Exists(string)": (_: null, path: string) => isFolder(path) === false,
      "Move(string, string)": (_: null, from: string, to: string) => {
        if (isFolder(from) !== false) {
          throw fileNotFound(full(from));
        }
        return files.move(full(from), full(to));
      },
      "Replace(string, string, string)": async (
        _: null,
        from: string,
        to: string,
        kept: string | null,
      ) => {
        if (kept !== null) {
          throw new Unsupported("[System.IO.File]::Replace with a third file");
        }
        await files.replace(full(from), full(to));
      },
      "SetLastWriteTimeUtc(string, DateTime)": (_: null, path: string, time: NetObject<Moment>) =>
        files.setModified(full(path), fromUtc(time, host)),
    },
  });
  defineStreams(types, host);
  types.define({
    name: "System.IO.Directory",
    staticMethods: { "Exists(string)": (_: null, path: string) => isFolder(path) === true },
  });
  types.define({
    name: "System.IO.Path",
    staticMethods: {
      "GetTempPath()": () => {
        const variable = files.separator === "\\" ? "TEMP" : "TMPDIR";
        const folder = environment.get(variable) ?? "/tmp";
        return folder.endsWith(files.separator) ? folder : folder + files.separator;
      },
    },
  });
}

function defineStreams(types: Types, host: Host): void {
  const enumerations: Record<string, Record<string, number>> = {
    FileMode: { CreateNew: 1, Create: 2, Open: 3, OpenOrCreate: 4, Truncate: 5, Append: 6 },
    FileAccess: { Read: 1, Write: 2, ReadWrite: 3 },
    FileShare: { None: 0, Read: 1, Write: 2, ReadWrite: 3, Delete: 4, Inheritable: 16 },
    SeekOrigin: { Begin: 0, Current: 1, End: 2 },
  };
  for (const [name, enumeration] of Object.entries(enumerations)) {
    types.define({ name: `System.IO.${name}`, enumeration });
  }
  types.define({ name: "System.IO.Stream" });
  const open = async (
    _: null,
    path: string,
    mode: EnumValue,
    access?: EnumValue,
    share?: EnumValue,
  ) => {
    const handle = await host.files.open(host.files.resolve(path), {
      mode: mode.name as FileMode,
      access: (access?.name ?? "ReadWrite") as "Read" | "Write" | "ReadWrite",
      share: share?.name ?? "Read",
    });
    return new NetObject(types.get("System.IO.FileStream"), handle);
  };
  const parameters = "(string, System.IO.FileMode, System.IO.FileAccess, System.IO.FileShare)";
  types.extend("System.IO.File", { staticMethods: { [`Open${parameters}`]: open } });
  type Stream = NetObject<FileHandle>;
  types.define({
    name: "System.IO.FileStream",
    base: "System.IO.Stream",
    constructors: { "(string, System.IO.FileMode)": open, [parameters]: open },
    properties: { Length: ({ state }: Stream) => BigInt(state.size) },
    methods: {
      "Seek(long, System.IO.SeekOrigin)": ({ state }: Stream, by: bigint, origin: EnumValue) => {
        const begin = { Begin: 0, Current: state.position, End: state.size }[origin.name] ?? 0;
        state.position = begin + Number(by);
        return BigInt(state.position);
      },
      "Write(byte[], int, int)": ({ state }: Stream, data: PsArray, at: number, count: number) =>
        state.write(toBuffer(data).subarray(at, at + count)),
      "Flush(bool)": ({ state }: Stream, toDisk: boolean) => (toDisk ? state.flush() : undefined),
      "Dispose()": ({ state }: Stream) => state.close(),
    },
  });
  type Reader = NetObject<Source>;
  const readToEnd = async ({ state }: Reader) => decodeText(await state());
  const newReader = (source: Source) => new NetObject(types.get("System.IO.StreamReader"), source);
  types.define({
    name: "System.IO.StreamReader",
    constructors: {
      "(System.IO.Stream)": (_: null, { state }: Reader) => newReader(state),
      "(System.IO.FileStream)": (_: null, { state }: Stream) =>
        newReader(() => state.read(state.size - state.position)),
      "(string)": (_: null, path: string) => {
        const data = host.files.read(host.files.resolve(path));
        return newReader(() => data);
      },
    },
    methods: {
      "ReadToEnd()": readToEnd,
      "ReadToEndAsync()": (self: Reader) => task(types, readToEnd(self)),
      "Dispose()": () => undefined,
    },
  });
}

function defineInfos(types: Types, host: Host): void {
  type Info = NetObject<FileState>;
  types.define({
    name: "System.IO.FileSystemInfo",
    properties: {
      Name: ({ state }: Info) => fileName(state.path),
      FullName: ({ state }: Info) => state.path,
      PSIsContainer: ({ state }: Info) => state.status.isFolder,
      LastWriteTime: ({ state }: Info) => toDateTime(types, host, state.status.modified, false),
      LastWriteTimeUtc: [
        ({ state }: Info) => toDateTime(types, host, state.status.modified, true),
        async ({ state }: Info, time: NetObject<Moment>) => {
          const modified = fromUtc(time, host);
          await host.files.setModified(state.path, modified);
          state.status = { ...state.status, modified };
        },
      ],
    },
    methods: { "ToString()": ({ state }: Info) => state.shown },
  });
  types.define({
    name: "System.IO.FileInfo",
    base: "System.IO.FileSystemInfo",
    properties: { Length: ({ state }: Info) => BigInt(state.status.size) },
  });
  types.define({ name: "System.IO.DirectoryInfo", base: "System.IO.FileSystemInfo" });
}

/** A moment of no kind is one of UTC here, unlike elsewhere. */
function fromUtc(time: NetObject<Moment>, { clock }: Host): number {
  return time.state.kind === "Local" ? fromDateTime(time, clock) : toMilliseconds(time.state.ticks);
}
