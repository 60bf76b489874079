/** System.IO: files, folders, paths and streams of them. */
import { toMilliseconds, type Moment } from "../dates.ts";
import type { Edition } from "../edition.ts";
import type { FileHandle, FileMode, FileStatus, Host } from "../host.ts";
import { array, bytes, raised, string, type Types } from "../types.ts";
import {
  NetObject,
  Unsupported,
  type EnumValue,
  type NetType,
  type PsArray,
  type Value,
} from "../values.ts";
import {
  decodeText,
  defineEncodings,
  encodeText,
  toBuffer,
  type TextEncoding,
} from "./encoding.ts";
import { fileNotFound } from "./io-errors.ts";
import { TextReader, type ByteStream } from "./streams.ts";
import { task } from "./tasks.ts";
import { fromDateTime, toDateTime } from "./time.ts";

type EncodingObject = NetObject<TextEncoding>;

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
  return new NetObject(
    types.get(state.status.isFolder ? "System.IO.DirectoryInfo" : "System.IO.FileInfo"),
    state,
  );
}

export function fileName(path: string): string {
  return path.slice(path.search(/[^\\/:]*$/));
}

/** Lines of a text; the end of the last line begins no further one. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** An open file. */
export class FileStream implements ByteStream {
  #handle: FileHandle | undefined;

  constructor(
    readonly path: string,
    handle: FileHandle,
  ) {
    this.#handle = handle;
  }

  get handle(): FileHandle {
    if (!this.#handle) {
      throw raised("System.ObjectDisposedException", "Cannot access a closed file.");
    }
    return this.#handle;
  }

  read(length: number): Buffer {
    return this.handle.read(length);
  }

  seek(offset: number, origin: string): number {
    const { handle } = this;
    const begin = origin === "Begin" ? 0 : origin === "End" ? handle.size : handle.position;
    if (begin + offset < 0) {
      throw raised(
        "System.IO.IOException",
        "An attempt was made to move the file pointer before the beginning of the file.",
      );
    }
    handle.position = begin + offset;
    return handle.position;
  }

  close(): void {
    this.#handle?.close();
    this.#handle = undefined;
  }
}

function fullPath(host: Host, path: string): string {
  if (path === "") {
    throw raised("System.ArgumentException", "Empty path name is not legal.");
  }
  return host.files.resolve(path);
}

/** Defines what touches files, for one machine. */
export function defineFileTypes(types: Types, host: Host, edition: Edition = "Desktop"): void {
  defineEncodings(types, edition);
  const open = defineStreams(types, host);
  defineInfos(types, host);
  definePaths(types, host);
  const { files } = host;
  const full = (path: string) => fullPath(host, path);
  // Nothing that a path can be makes these an error.
  const isFolder = (path: string) =>
    path === "" ? undefined : files.status(files.resolve(path))?.isFolder;
  const readText = (_: null, path: string, encoding?: EncodingObject) =>
    decodeText(files.read(full(path)), encoding?.state);
  const readLines = (_: null, path: string, encoding?: EncodingObject) =>
    array(linesOf(readText(null, path, encoding)), types.array(string));
  const writeText = (_: null, path: string, text: string, encoding?: EncodingObject) =>
    files.write(full(path), encodeText(text, encoding?.state));
  const writeLines = (_: null, path: string, lines: PsArray, encoding?: EncodingObject) => {
    const end = files.separator === "\\" ? "\r\n" : "\n";
    writeText(null, path, lines.items.map((line) => `${line as string}${end}`).join(""), encoding);
  };
  types.define({
    name: "System.IO.File",
    staticMethods: {
      "ReadAllText(string)": readText,
      "ReadAllText(string, System.Text.Encoding)": readText,
      "ReadAllLines(string)": readLines,
      "ReadAllLines(string, System.Text.Encoding)": readLines,
      "ReadAllBytes(string)": (_: null, path: string) => bytes(files.read(full(path))),
      "WriteAllText(string, string)": writeText,
      "WriteAllText(string, string, System.Text.Encoding)": writeText,
      "WriteAllLines(string, string[])": writeLines,
      "WriteAllLines(string, string[], System.Text.Encoding)": writeLines,
      "WriteAllBytes(string, byte[])": (_: null, path: string, data: PsArray) =>
        files.write(full(path), toBuffer(data)),
      "Exists(string)": (_: null, path: string) => isFolder(path) === false,
      "Move(string, string)": (_: null, from: string, to: string) => {
        if (isFolder(from) !== false) {
          throw fileNotFound(full(from));
        }
        files.move(full(from), full(to));
      },
      "SetLastWriteTimeUtc(string, DateTime)": (_: null, path: string, time: NetObject<Moment>) =>
        files.setModified(full(path), fromUtc(time, host)),
      ...Object.fromEntries(openParameters.map((parameters) => [`Open(${parameters})`, open])),
    },
  });
  types.define({
    name: "System.IO.Directory",
    staticMethods: { "Exists(string)": (_: null, path: string) => isFolder(path) === true },
  });
}

/** A moment of no kind is one of UTC here, unlike elsewhere. */
function fromUtc(time: NetObject<Moment>, { clock }: Host): number {
  return time.state.kind === "Local" ? fromDateTime(time, clock) : toMilliseconds(time.state.ticks);
}

function definePaths(types: Types, { files, environment }: Host): void {
  types.define({
    name: "System.IO.Path",
    staticMethods: {
      "GetTempPath()": () => {
        const folder =
          files.separator === "\\"
            ? (environment.get("TMP") ?? environment.get("TEMP"))
            : (environment.get("TMPDIR") ?? "/tmp");
        if (folder === undefined) {
          throw new Unsupported("GetTempPath() without the variables TMP and TEMP");
        }
        return folder.endsWith(files.separator) ? folder : folder + files.separator;
      },
      "GetFileName(string)": (_: null, path: string) => fileName(path),
      "Combine(string, string)": (_: null, path: string, below: string) =>
        /^[\\/]|^\w:/.test(below) || path === ""
          ? below
          : below === "" || /[\\/:]$/.test(path)
            ? path + below
            : path + files.separator + below,
    },
  });
}

const openParameters = [
  "string, System.IO.FileMode",
  "string, System.IO.FileMode, System.IO.FileAccess",
  "string, System.IO.FileMode, System.IO.FileAccess, System.IO.FileShare",
];

/** Returns what opens a file, as the constructors of FileStream and File.Open do. */
function defineStreams(types: Types, host: Host) {
  const enumerations: Record<string, Record<string, number>> = {
    FileMode: { CreateNew: 1, Create: 2, Open: 3, OpenOrCreate: 4, Truncate: 5, Append: 6 },
    FileAccess: { Read: 1, Write: 2, ReadWrite: 3 },
    FileShare: { None: 0, Read: 1, Write: 2, ReadWrite: 3, Delete: 4, Inheritable: 16 },
    SeekOrigin: { Begin: 0, Current: 1, End: 2 },
  };
  for (const [name, enumeration] of Object.entries(enumerations)) {
    types.define({ name: `System.IO.${name}`, enumeration });
  }
  const open = (
    _: null,
    path: string,
    mode: EnumValue,
    access?: EnumValue,
    share?: EnumValue,
  ): NetObject<FileStream> => {
    const full = fullPath(host, path);
    const handle = host.files.open(full, {
      mode: mode.name as FileMode,
      access: (access?.name ?? (mode.name === "Append" ? "Write" : "ReadWrite")) as "ReadWrite",
      share: share?.name ?? "Read",
    });
    return new NetObject(types.get("System.IO.FileStream"), new FileStream(full, handle));
  };
  types.define({
    name: "System.IO.Stream",
    interfaces: ["System.IDisposable"],
    methods: {
      "Close()": (self: NetObject<ByteStream>) => self.state.close(),
      "Dispose()": (self: NetObject<ByteStream>) => self.state.close(),
    },
    unsupported: ["CopyToAsync", "ReadAsync", "ReadByte", "WriteAsync", "WriteByte"],
  });
  type Stream = NetObject<FileStream>;
  types.define({
    name: "System.IO.FileStream",
    base: "System.IO.Stream",
    constructors: Object.fromEntries(openParameters.map((parameters) => [`(${parameters})`, open])),
    properties: {
      Name: ({ state }: Stream) => state.path,
      Length: ({ state }: Stream) => BigInt(state.handle.size),
      Position: [
        ({ state }: Stream) => BigInt(state.handle.position),
        ({ state }: Stream, position: Value) => void state.seek(Number(position), "Begin"),
      ],
    },
    methods: {
      "Seek(long, System.IO.SeekOrigin)": ({ state }: Stream, offset: bigint, origin: EnumValue) =>
        BigInt(state.seek(Number(offset), origin.name)),
      "Read(byte[], int, int)": ({ state }: Stream, into: PsArray, at: number, count: number) => {
        const data = state.read(count);
        into.items.splice(at, data.length, ...bytes(data).items);
        return data.length;
      },
      "Write(byte[], int, int)": ({ state }: Stream, data: PsArray, at: number, count: number) =>
        state.handle.write(toBuffer(data).subarray(at, at + count)),
      "Flush()": () => undefined,
      "Flush(bool)": ({ state }: Stream, toDisk: boolean) => {
        if (toDisk) {
          state.handle.flush();
        }
      },
      "SetLength(long)": ({ state }: Stream, length: bigint) =>
        state.handle.truncate(Number(length)),
      "CopyTo(System.IO.FileStream)": ({ state: { handle } }: Stream, target: Stream) =>
        target.state.handle.write(handle.read(handle.size - handle.position)),
    },
  });
  const newReader = (source: ByteStream, encoding?: EncodingObject) =>
    new NetObject(reader, new TextReader(source, encoding?.state));
  const readStream = (_: null, source: NetObject<ByteStream>, encoding?: EncodingObject) =>
    newReader(source.state, encoding);
  type Reader = NetObject<TextReader>;
  const reader: NetType = types.define({
    name: "System.IO.StreamReader",
    interfaces: ["System.IDisposable"],
    constructors: {
      "(System.IO.Stream)": readStream,
      "(System.IO.Stream, System.Text.Encoding)": readStream,
      "(string)": (_: null, path: string) => {
        const full = fullPath(host, path);
        const handle = host.files.open(full, { mode: "Open", access: "Read", share: "Read" });
        return newReader(new FileStream(full, handle));
      },
    },
    methods: {
      "ReadToEnd()": ({ state }: Reader) => state.readToEnd(),
      "ReadToEndAsync()": ({ state }: Reader) => task(types, state.readToEnd()),
      "ReadLine()": ({ state }: Reader) => state.readLine(),
      "Close()": ({ state }: Reader) => state.source.close(),
      "Dispose()": ({ state }: Reader) => state.source.close(),
    },
    unsupported: ["Peek", "Read", "ReadLineAsync", "EndOfStream", "BaseStream"],
  });
  return open;
}

function defineInfos(types: Types, host: Host): void {
  type Info = NetObject<FileState>;
  const time =
    (key: "modified" | "created", utc: boolean) =>
    ({ state }: Info) =>
      toDateTime(types, host, state.status[key], utc);
  types.define({
    name: "System.IO.FileSystemInfo",
    methods: {
      "ToString()": (self: Info) => self.state.shown,
    },
    properties: {
      Name: (self: Info) => fileName(self.state.path),
      FullName: (self: Info) => self.state.path,
      PSIsContainer: (self: Info) => self.state.status.isFolder,
      CreationTime: time("created", false),
      CreationTimeUtc: time("created", true),
      LastWriteTime: time("modified", false),
      LastWriteTimeUtc: [
        time("modified", true),
        (self: Info, value: NetObject<Moment>) => {
          host.files.setModified(self.state.path, fromUtc(value, host));
          self.state.status = host.files.status(self.state.path) ?? self.state.status;
        },
      ],
    },
    unsupported: [
      ...["Attributes", "BaseName", "CreateSubdirectory", "Delete", "Directory", "DirectoryName"],
      ...["EnumerateFiles", "Exists", "Extension", "GetDirectories", "GetFiles", "IsReadOnly"],
      ...["LastAccessTime", "LastAccessTimeUtc", "LinkType", "Mode", "MoveTo", "CopyTo", "Open"],
      ...["OpenRead", "OpenText", "OpenWrite", "Parent", "PSChildName", "PSDrive", "PSParentPath"],
      ...["PSPath", "PSProvider", "Refresh", "Root", "Target", "VersionInfo", "GetAccessControl"],
    ],
  });
  types.define({
    name: "System.IO.FileInfo",
    base: "System.IO.FileSystemInfo",
    properties: { Length: (self: Info) => BigInt(self.state.status.size) },
  });
  types.define({ name: "System.IO.DirectoryInfo", base: "System.IO.FileSystemInfo" });
}
