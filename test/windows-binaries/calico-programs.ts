import { existsSync } from "node:fs";
import { link } from "node:fs/promises";
import path from "node:path";
import { commandRunner } from "../../host/command-runner.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";

const sources = path.join(projectRoot, "../shared/calico");

function unpacked(
  name: string,
  archiveName: string,
  members: readonly string[],
  finish: (folder: string) => Promise<void> = () => Promise.resolve(),
): Artifact | undefined {
  const archive = path.join(sources, archiveName);
  if (!existsSync(archive)) return undefined;
  return {
    name,
    needs: [],
    hostPackages: ["xz-utils"],
    inputs: async () => ({ sources: await hashSources(sources, [archive]) }),
    async build(into, { logFile }) {
      await commandRunner(logFile)("tar", ["-xJf", archive, "-C", into, ...members]);
      await finish(into);
    },
  };
}

/**
 * What is in Calico's images for Windows, in the folders `node-windows` and `cni-windows`. Undefined where there is no archive of
 * them beside the project: no Go module has them, and no registry gives them to Linux.
 */
export const calicoWindows = unpacked("calico-windows", "windows.tar.xz", [], async (folder) => {
  const plugins = path.join(folder, "cni-windows/opt/cni/bin");
  // In the image it is the same program.
  await link(path.join(plugins, "calico.exe"), path.join(plugins, "calico-ipam.exe"));
});

/** Tigera's operator and Typha for Linux, in `bin`, from an archive of the same kind. */
export const calicoLinux = unpacked("calico-linux", "programs.tar.xz", [
  "./bin/operator",
  "./bin/calico-typha",
]);
