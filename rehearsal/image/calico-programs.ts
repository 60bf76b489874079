import { existsSync } from "node:fs";
import { link, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { commandRunner } from "../../host/command-runner.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import { pageAligned } from "../../toolchain/tools/page-aligned.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";

/** Calico's images for Windows, by their names. */
export const imagesOfCalico = ["node-windows", "cni-windows"] as const;

/** The environment's name for an archive of them. */
export const calicoVariable = "KINDOWS_CALICO_WINDOWS";

/** @param members of the archive. None is all. */
export function unpackedArchive(
  name: string,
  archive: string,
  members: readonly string[],
  finish: (folder: string) => Promise<void> = () => Promise.resolve(),
): Artifact {
  const folder = path.dirname(archive);
  return {
    name,
    needs: [],
    hostPackages: ["xz-utils"],
    check: () =>
      existsSync(archive)
        ? Promise.resolve()
        : Promise.reject(new Error(`there is no ${archive}, which ${calicoVariable} names`)),
    inputs: async () => ({ sources: await hashSources(folder, [archive]), layout: "page-aligned" }),
    async build(into, { logFile }) {
      await commandRunner(logFile)("tar", ["-xJf", archive, "-C", into, ...members]);
      await finish(into);
    },
  };
}

const plugins = "cni-windows/opt/cni/bin";

/** What is in Calico's images for Windows, in the folders `imagesOfCalico`. No Go module has it. */
export function calicoPrograms(archive: string): Artifact {
  return unpackedArchive("calico-windows", path.resolve(archive), [], async (folder) => {
    for (const name of [
      "node-windows/CalicoWindows/calico-node.exe",
      ...["calico.exe", "install.exe"].map((each) => path.join(plugins, each)),
    ]) {
      const file = path.join(folder, name);
      await writeFile(file, pageAligned(await readFile(file)));
    }
    // In the image it is the same program.
    const plugin = path.join(folder, plugins, "calico.exe");
    await link(plugin, plugin.replace(/\.exe$/, "-ipam.exe"));
  });
}

const named = process.env[calicoVariable] ?? "";

/** Of the archive that the environment names. Undefined if it names none: then Calico's containers are only modelled. */
export const calicoInGuest = named === "" ? undefined : calicoPrograms(named);
