import { existsSync } from "node:fs";
import { link, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { commandRunner } from "../../host/command-runner.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { pageAligned } from "../../toolchain/tools/page-aligned.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";

const sources = path.join(projectRoot, "../shared/calico");

/** The content of an archive of Calico's programs. Undefined where there is none beside the project. */
export function calicoPrograms(
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
    inputs: async () => ({
      sources: await hashSources(sources, [archive]),
      layout: "page-aligned",
    }),
    async build(into, { logFile }) {
      await commandRunner(logFile)("tar", ["-xJf", archive, "-C", into, ...members]);
      await finish(into);
    },
  };
}

const plugins = "cni-windows/opt/cni/bin";

/** What is in Calico's images for Windows, in the folders `imagesOfCalico`. No Go module has it. */
export const calicoWindows = calicoPrograms(
  "calico-windows",
  "windows.tar.xz",
  [],
  async (folder) => {
    for (const name of [
      "node-windows/CalicoWindows/calico-node.exe",
      ...["calico.exe", "install.exe"].map((each) => path.join(plugins, each)),
    ]) {
      const file = path.join(folder, name);
      await writeFile(file, pageAligned(await readFile(file)));
    }
    // In the image it is the same program.
    await link(
      path.join(folder, plugins, "calico.exe"),
      path.join(folder, plugins, "calico-ipam.exe"),
    );
  },
);

/** Calico's images for Windows, by their names. */
export const imagesOfCalico = ["node-windows", "cni-windows"] as const;
