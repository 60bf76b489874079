/** The errors of .NET's files. */
import { raised, types } from "../types.ts";
import { NetException, type Raised } from "../values.ts";
import { defineException } from "./exceptions.ts";

const missingFile = 0x80070002 | 0;
const missingFolder = 0x80070003 | 0;
const denied = 0x80070005 | 0;
const exists = 0x80070050 | 0;
const tooLong = 0x800700ce | 0;
const general = 0x80131620 | 0;

const system = "System.SystemException";
const io = "System.IO.IOException";
types.extend(defineException(io, system, general), {
  constructors: {
    "(string, int)": (_: null, message: string, hresult: number) =>
      new NetException(types.get(io), message, null, hresult),
  },
});
defineException("System.IO.FileNotFoundException", io, missingFile);
defineException("System.IO.DirectoryNotFoundException", io, missingFolder);
defineException("System.IO.PathTooLongException", io, tooLong);
defineException("System.IO.EndOfStreamException", io, 0x80070026 | 0);
defineException("System.UnauthorizedAccessException", system, denied);

export function fileNotFound(path: string): Raised {
  return raised("System.IO.FileNotFoundException", `Could not find file '${path}'.`, {
    hresult: missingFile,
  });
}

export function folderNotFound(path: string): Raised {
  return raised(
    "System.IO.DirectoryNotFoundException",
    `Could not find a part of the path '${path}'.`,
    { hresult: missingFolder },
  );
}

export function accessDenied(path: string): Raised {
  return raised("System.UnauthorizedAccessException", `Access to the path '${path}' is denied.`, {
    hresult: denied,
  });
}

export function fileExists(path: string): Raised {
  return raised("System.IO.IOException", `The file '${path}' already exists.`, {
    hresult: exists,
  });
}

export function pathTooLong(path: string): Raised {
  return raised(
    "System.IO.PathTooLongException",
    `The path '${path}' is too long, or a component of the specified path is too long.`,
    { hresult: tooLong },
  );
}

export function ioError(message: string, hresult = general): Raised {
  return raised("System.IO.IOException", message, { hresult });
}
