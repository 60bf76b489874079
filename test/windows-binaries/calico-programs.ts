import { existsSync } from "node:fs";
import path from "node:path";
import { commandRunner } from "../../host/command-runner.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";

const sources = path.join(projectRoot, "../shared/calico");
const archive = path.join(sources, "windows.tar.xz");

/**
 * What is in Calico's images for Windows, in the folders `node-windows` and `cni-windows`. Undefined where there is no archive of
 * them beside the project: no Go module has them, and no registry gives them to Linux.
 */
export const calicoWindows: Artifact | undefined = existsSync(archive)
  ? {
      name: "calico-windows",
      needs: [],
      hostPackages: ["xz-utils"],
      inputs: async () => ({ sources: await hashSources(sources, [archive]) }),
      async build(into, { logFile }) {
        await commandRunner(logFile)("tar", ["-xJf", archive, "-C", into]);
      },
    }
  : undefined;
