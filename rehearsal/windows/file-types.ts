/** System.IO: files and folders. */
import { decodeText, linesOf, toBuffer, type TextEncoding } from "../powershell/dotnet/encoding.ts";
import { toDateTime } from "./time-types.ts";
import { array, bytes, string, type Types } from "../powershell/types.ts";
import { NetObject, Unsupported, type PsArray } from "../powershell/values.ts";
import type { FileStatus, StreamHost } from "./file-streams.ts";
import { fileNotFound } from "./io-errors.ts";

export interface FileState {
  readonly path: string;
  /** By its folder: as a text, 5.1 shows it without its path, 7 with it. */
  readonly isListed: boolean;
  readonly status: FileStatus;
}

export function fileInfo(types: Types, state: FileState): NetObject<FileState> {
  const name = state.status.isFolder ? "DirectoryInfo" : "FileInfo";
  return new NetObject(types.get(`System.IO.${name}`), state);
}

export function fileName(path: string): string {
  return path.slice(path.search(/[^\\/:]*$/));
}

export function defineFileTypes(types: Types, host: StreamHost): void {
  const { files } = host;
  const full = (path: string) => {
    const resolved = files.resolve(path);
    if (/[\\/]$/.test(path) && files.status(resolved)?.isFolder === false) {
      throw new Unsupported(`the file ${path}, which ends with a separator`);
    }
    return resolved;
  };
  types.define({
    name: "System.IO.File",
    staticMethods: {
      "ReadAllText(string)": (path: string) => decodeText(files.read(full(path))),
      "ReadAllLines(string, System.Text.Encoding)": (
        path: string,
        { state }: NetObject<TextEncoding>,
      ) => array(linesOf(decodeText(files.read(full(path)), state)), types.array(string)),
      "WriteAllText(string, string)": (path: string, text: string) =>
        files.write(full(path), Buffer.from(text)),
      "WriteAllBytes(string, byte[])": (path: string, data: PsArray) =>
        files.write(full(path), toBuffer(data)),
      "ReadAllBytes(string)": (path: string) => bytes(files.read(full(path))),
      "Move(string, string)": (from: string, to: string) => {
        if (files.status(full(from))?.isFolder !== false) throw fileNotFound(full(from));
        return files.move(full(from), full(to));
      },
      "Replace(string, string, string?)": (from: string, to: string, kept: string | null) => {
        if (kept !== null) throw new Unsupported("[System.IO.File]::Replace with a third file");
        return files.replace(full(from), full(to));
      },
    },
  });
  types.define({ name: "System.IO.Directory" });
  types.define({
    name: "System.IO.Path",
    staticMethods: {
      "Combine(string, string)": (path: string, below: string) =>
        isRooted(files.separator, below)
          ? below
          : below === ""
            ? path
            : path.replace(/[^\\/]$/, `$&${files.separator}`) + below,
    },
  });
  defineInfos(types, host);
}

/** Whether a path below another one is one by itself. */
function isRooted(separator: string, below: string): boolean {
  if (separator === "/" && /[\\:]/.test(below)) throw new Unsupported(`a path ${below} on Linux`);
  return /^(?:[\\/]|\w:)/.test(below);
}

function defineInfos(types: Types, host: StreamHost): void {
  type Info = NetObject<FileState>;
  types.define({
    name: "System.IO.FileSystemInfo",
    properties: {
      // A drive's root is all of its name.
      Name: ({ state }: Info) => fileName(state.path) || state.path,
      FullName: ({ state }: Info) => state.path,
      LastWriteTime: ({ state }: Info) => toDateTime(types, host, state.status.modified, false),
      LastWriteTimeUtc: ({ state }: Info) => toDateTime(types, host, state.status.modified, true),
    },
    methods: {
      "ToString()"({ state }: Info) {
        if (state.isListed) throw new Unsupported("a file that was listed, in a text");
        return state.path;
      },
    },
  });
  types.define({
    name: "System.IO.FileInfo",
    base: "System.IO.FileSystemInfo",
    properties: { Length: ({ state }: Info) => BigInt(state.status.size) },
  });
  types.define({ name: "System.IO.DirectoryInfo", base: "System.IO.FileSystemInfo" });
}
