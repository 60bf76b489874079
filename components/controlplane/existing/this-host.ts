import { accessSync, constants, readFileSync } from "node:fs";
import path from "node:path";
import type { KubeconfigHost } from "./choose-kubeconfig.ts";

/**
 * This host, as a kubeconfig means it.
 *
 * @param folder that paths in it are relative to; undefined where it lies in no file: they must be absolute then.
 */
export function thisHost(folder: string | undefined): KubeconfigHost {
  return {
    read: (name) => {
      if (folder === undefined && !path.isAbsolute(name)) {
        throw Object.assign(new Error(name), { code: "a path that is relative to nothing" });
      }
      return readFileSync(path.resolve(folder ?? "/", name));
    },
    hasProgram: (name) =>
      (name.includes("/")
        ? [path.resolve(folder ?? "/", name)]
        : (process.env["PATH"] ?? "").split(path.delimiter).map((one) => path.join(one, name))
      ).some(isExecutable),
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
