/** System.IO: files, folders, and streams of them. */
import type { FileHandle, FileMode, FileStatus, Host } from "../host.ts";
import { array, bytes, string, types as coreTypes, type Types } from "../types.ts";
import { NetObject, Unsupported, type EnumValue, type PsArray } from "../values.ts";
import { decodeText, toBuffer, type TextEncoding } from "./encoding.ts";
import { fileNotFound } from "./io-errors.ts";
import { task } from "./processes.ts";
import { toDateTime } from "./time.ts";

/** What the state of a FileInfo or DirectoryInfo is. */
export interface FileState {
  readonly path: string;
  /** What it is in a text: 5.1 shows what a folder lists by its name alone. */
  readonly shown: string;
  /** As it was when the object was made. */
  readonly status: FileStatus;
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
export function defineFileTypes(types: Types, host: Host): void {
  const { files } = host;
  const full = (path: string) => files.resolve(path);
  types.define({
    name: "System.IO.File",
    staticMethods: {
      "ReadAllText(string)": (_: null, path: string) => decodeText(files.read(full(path))),
      "ReadAllLines(string, System.Text.Encoding)": (
        _: null,
        path: string,
        { state }: NetObject<TextEncoding>,
      ) => array(linesOf(decodeText(files.read(full(path)), state)), types.array(string)),
      "ReadAllBytes(string)": (_: null, path: string) => bytes(files.read(full(path))),
      "Move(string, string)": (_: null, from: string, to: string) => {
        if (files.status(full(from))?.isFolder !== false) {
          throw fileNotFound(full(from));
        }
        return files.move(full(from), full(to));
      },
      "Replace(string, string, string)": (
        _: null,
        from: string,
        to: string,
        kept: string | null,
      ) => {
        if (kept !== null) {
          throw new Unsupported("[System.IO.File]::Replace with a third file");
        }
        return files.replace(full(from), full(to));
      },
    },
  });
  types.define({ name: "System.IO.Directory" });
  defineInfos(types, host);
  defineStreams(types, host);
}

coreTypes.define({ name: "System.IO.Stream" });
const enumerations: Record<string, Record<string, number>> = {
  FileMode: { CreateNew: 1, Create: 2, Open: 3, OpenOrCreate: 4, Truncate: 5, Append: 6 },
  FileAccess: { Read: 1, Write: 2, ReadWrite: 3 },
  FileShare: { None: 0, Read: 1, Write: 2, ReadWrite: 3, Delete: 4, Inheritable: 16 },
  SeekOrigin: { Begin: 0, Current: 1, End: 2 },
};
for (const [name, enumeration] of Object.entries(enumerations)) {
  coreTypes.define({ name: `System.IO.${name}`, enumeration });
}

function defineStreams(types: Types, { files }: Host): void {
  const open = async (
    _: null,
    path: string,
    mode: EnumValue,
    access: EnumValue,
    share: EnumValue,
  ) => {
    const handle = await files.open(files.resolve(path), {
      mode: mode.name as FileMode,
      access: access.name as "Read" | "Write" | "ReadWrite",
      share: share.name,
    });
    return new NetObject(fileStream, handle);
  };
  type Stream = NetObject<FileHandle>;
  const fileStream = types.define({
    name: "System.IO.FileStream",
    base: "System.IO.Stream",
    constructors: {
      "(string, System.IO.FileMode, System.IO.FileAccess, System.IO.FileShare)": open,
    },
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
  const reader = types.define({
    name: "System.IO.StreamReader",
    constructors: {
      "(System.IO.FileStream)": (_: null, { state }: Stream) =>
        new NetObject(reader, () => state.read(state.size - state.position)),
      "(System.IO.Stream)": (_: null, { state }: Reader) => new NetObject(reader, state),
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
      LastWriteTime: ({ state }: Info) => toDateTime(types, host, state.status.modified, false),
      LastWriteTimeUtc: ({ state }: Info) => toDateTime(types, host, state.status.modified, true),
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
