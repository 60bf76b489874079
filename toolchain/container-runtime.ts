import { copyFile, chmod } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type { Artifact } from "./artifact.ts";
import { hashSources } from "./tools/sources-hash.ts";

const source = fileURLToPath(new URL("runc-without-sys-resource.sh", import.meta.url));

/** Name under which Docker knows the wrapped runtime. */
const runtimeName = "kindows-runc";

/** The wrapped runtime, for hosts where nothing can have CAP_SYS_RESOURCE. */
export const wrappedRuntime: Artifact = {
  name: "container-runtime",
  needs: [],
  hostPackages: ["jq"],
  inputs: async () => ({ source: await hashSources(path.dirname(source), [source]) }),
  build: async (into) => {
    await copyFile(source, path.join(into, "runc"));
    await chmod(path.join(into, "runc"), 0o755);
  },
};

/**
 * Arguments of a Docker daemon that is started here.
 *
 * Docker requests all of the kernel's capabilities for a privileged container, whose start fails if one of them is not
 * available; only then the wrapped runtime becomes the default.
 *
 * @param runtime executable of the wrapped runtime, if it is needed.
 */
export function dockerdArguments(runtime: string | undefined): readonly string[] {
  return runtime === undefined
    ? []
    : ["--add-runtime", `${runtimeName}=${runtime}`, "--default-runtime", runtimeName];
}
