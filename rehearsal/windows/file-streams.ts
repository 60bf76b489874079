/**
 * Streams, readers and writers for files and the console.
 *
 * Sources: https://learn.microsoft.com/dotnet/api/system.io.filestream,
 * https://learn.microsoft.com/dotnet/api/system.io.streamreader.
 */
import { toText } from "../powershell/convert.ts";
import { decodeText, newLine, toBuffer } from "../powershell/dotnet/encoding.ts";
import type { Done, Files, ScriptHost } from "../powershell/host.ts";
import type { Types } from "../powershell/types.ts";
import { NetObject, type EnumValue, type PsArray, type Value } from "../powershell/values.ts";
import { task } from "./tasks.ts";

export interface FileHandle {
  readonly size: number;
  position: number;
  read(length: number): Buffer;
  write(data: Uint8Array): Done;
  /** Flushes written data to the disk. */
  flush(): Done;
  close(): void;
}

export type FileMode = "Open" | "Create" | "CreateNew" | "OpenOrCreate" | "Append" | "Truncate";

export interface FileStatus {
  readonly isFolder: boolean;
  readonly size: number;
  /** Ticks since 1970. */
  readonly modified: bigint;
  readonly isHidden: boolean;
  /** Whether it is a symbolic link or junction. The other properties are those of its target. */
  readonly isLink?: boolean;
}

/**
 * A file system. Methods throw `Raised` with .NET's exception, e.g. if part of a path does not exist.
 */
export interface FileSystem extends Files {
  status(path: string): FileStatus | undefined;
  /** Whether the named pipe at a path has a server. Undefined if the path names no pipe. */
  device?(path: string): Promise<boolean> | undefined;
  /** Names in a folder, unordered. */
  list(path: string): string[];
  makeFolder(path: string): Done;
  remove(path: string): Done;
  /** Moves a file or folder. The target must not exist. */
  move(from: string, to: string): Done;
  /** Replaces a file, which must exist, by another one. */
  replace(from: string, to: string): Done;
  /** Copies a file, overwriting an existing one. */
  copy(from: string, to: string): Done;
  setModified(path: string, moment: number): Done;
  open(
    path: string,
    options: {
      readonly mode: FileMode;
      readonly access: "Read" | "Write" | "ReadWrite";
      readonly share: string;
    },
  ): FileHandle | Promise<FileHandle>;
}

/** What files and streams need of a machine. */
export interface StreamHost extends ScriptHost {
  readonly files: FileSystem;
  readonly input: () => Promise<Buffer>;
}

const enumerations: Record<string, Record<string, number>> = {
  FileMode: { CreateNew: 1, Create: 2, Open: 3, OpenOrCreate: 4, Truncate: 5, Append: 6 },
  FileAccess: { Read: 1, Write: 2, ReadWrite: 3 },
  FileShare: { None: 0, Read: 1, Write: 2, ReadWrite: 3, Delete: 4, Inheritable: 16 },
  SeekOrigin: { Begin: 0, Current: 1, End: 2 },
};

/** The state of a StreamReader: a function that reads the rest of its stream. */
type Source = () => Buffer | Promise<Buffer>;

export function defineStreamTypes(types: Types, machine: StreamHost): void {
  const { files, input, output, error } = machine;
  for (const [name, enumeration] of Object.entries(enumerations)) {
    types.define({ name: `System.IO.${name}`, enumeration });
  }
  const open = async (path: string, mode: EnumValue, access: EnumValue, share: EnumValue) => {
    const handle = await files.open(files.resolve(path), {
      mode: mode.name as FileMode,
      access: access.name as "Read" | "Write" | "ReadWrite",
      share: share.name,
    });
    return new NetObject(fileStream, handle);
  };
  const stream = types.define({ name: "System.IO.Stream" });
  type Writer = NetObject<(text: string) => void>;
  const writer = types.define({
    name: "System.IO.TextWriter",
    methods: {
      "WriteLine(object)": ({ state }: Writer, value: Value) =>
        void state(toText(value) + newLine(machine)),
    },
  });
  types.define({
    name: "System.Console",
    staticProperties: {
      Out: () => new NetObject(writer, output),
      Error: () => new NetObject(writer, error),
    },
    staticMethods: { "OpenStandardInput()": () => new NetObject(stream, input) },
  });
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
      "(System.IO.FileStream)": ({ state }: Stream) =>
        new NetObject(reader, () => state.read(state.size - state.position)),
      "(System.IO.Stream)": ({ state }: Reader) => new NetObject(reader, state),
    },
    methods: {
      "ReadToEnd()": readToEnd,
      "ReadToEndAsync()": (self: Reader) => task(types, readToEnd(self)),
      "Dispose()": () => undefined,
    },
  });
}
