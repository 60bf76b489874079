import { accessSync, constants } from "node:fs";
import path from "node:path";
import { builtTool } from "../../../../toolchain/built.ts";

/** Absolute path of a tool: the prepared one, or the first on the PATH. @throws when there is neither */
export function findTool(name: string): string {
  try {
    return builtTool(name);
  } catch (notPrepared) {
    for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
      const candidate = path.join(folder, name);
      try {
        accessSync(candidate, constants.X_OK);
        return candidate;
      } catch {
        // Not here.
      }
    }
    throw new Error(`${name} is neither prepared nor on the PATH`, { cause: notPrepared });
  }
}
