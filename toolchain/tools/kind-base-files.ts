import { cp } from "node:fs/promises";
import path from "node:path";
import { programOutput } from "../../host/run-program.ts";

import type { Artifact } from "../artifact.ts";
import { goEnvironment, goInputs } from "./go-build.ts";
import { ensureGo, requireGo } from "./go-toolchain.ts";
import { kind } from "./table.ts";

const moduleName = "sigs.k8s.io/kind";
const fetchTimeoutSeconds = 600;

/** The files of kind's base image (entrypoint, units, containerd's settings), from the sources of the pinned kind. */
export const kindBaseFiles: Artifact = {
  name: "kind-base-files",
  needs: [],
  hostPackages: [],
  check: () => requireGo("kind-base-files"),
  inputs: async () => ({ module: (await goInputs(kind.tool.go)).module ?? "" }),
  build: async (into, context) => {
    await ensureGo("kind-base-files", context.progress);
    const options = { cwd: kind.tool.go.module, env: goEnvironment() };
    const go = (...args: readonly string[]): Promise<string> =>
      programOutput("go", args, fetchTimeoutSeconds, options);
    await go("mod", "download", moduleName);
    const folder = await go("list", "-m", "-f", "{{.Dir}}", moduleName);
    await cp(path.join(folder, "images", "base", "files"), into, { recursive: true });
  },
};
