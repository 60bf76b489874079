import path from "node:path";

import { labNames } from "../../config/names.ts";
import { labOfPool } from "./lab-thing.ts";

/** Folder that the pools of all labs lie in. */
export const poolsFolder = path.dirname(labNames("any").poolFolder);

/** Lab in whose pool folder the file lies, if it lies in one. */
export function labOfPoolFile(file: string): string | undefined {
  const folder = path.dirname(file);
  return path.dirname(folder) === poolsFolder ? labOfPool(path.basename(folder)) : undefined;
}
