import { isAbsolute } from "node:path";
import type { Complaint } from "../problem.ts";

/** Path of a file on this host. */
export function localFile(value: string): Complaint | undefined {
  return isAbsolute(value)
    ? undefined
    : {
        why: "is not an absolute path, so what it means would depend on where the command is started",
        instead: "Write the path from / on.",
      };
}
