/** .NET's errors for files. */
import "../powershell/dotnet/exceptions.ts"; // Defines their types.
import { raised } from "../powershell/types.ts";
import type { Raised } from "../powershell/values.ts";

export function fileNotFound(path: string): Raised {
  return raised("System.IO.FileNotFoundException", `Could not find file '${path}'.`);
}

export function folderNotFound(path: string): Raised {
  const message = `Could not find a part of the path '${path}'.`;
  return raised("System.IO.DirectoryNotFoundException", message);
}

export function accessDenied(path: string): Raised {
  return raised("System.UnauthorizedAccessException", `Access to the path '${path}' is denied.`);
}

export function fileExists(path: string): Raised {
  return ioError(`The file '${path}' already exists.`, 0x80070050 | 0);
}

export function ioError(message: string, hresult?: number): Raised {
  return raised("System.IO.IOException", message, { hresult });
}
