/**
 * Packs what a Windows runner needs to run the image's scripts and the nodes' steps as the program does, so that the
 * runner needs nothing of this tree but Node.js and PowerShell.
 *
 * Argument: the folder to make. Downloads the programs that the steps install.
 */
import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

import { fetchAndRecord, fetchPrograms, pushedArtifacts } from "../../cli/fetch/programs.ts";
import { stackSettings } from "../../cli/stack-settings.ts";
import { openSshArchive } from "../../images/windows/media.ts";
import { forNode } from "../../toolchain/program/bundle.ts";
import { discFiles, runnerPlan } from "./runner-plan.ts";
import { stackSoftware } from "../../components/windows/stack-software.ts";

/** The stack whose nodes have every step that a runner can run. */
const stack = "dev-2025";

export async function bundleDriver(folder: string): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, "drive.ts")],
    outdir: folder,
    ...forNode,
    splitting: false,
    // Optional native modules of ssh2.
    external: ["cpu-features", "*.node"],
  });
}

async function pack(folder: string): Promise<void> {
  const settings = await stackSettings(stack);
  const states = [
    ...(await fetchAndRecord(pushedArtifacts(stackSoftware(settings)))),
    ...(await fetchPrograms([openSshArchive])),
  ];
  const missing = states.filter(({ state }) => state === "missing");
  if (missing.length > 0) {
    throw new Error(missing.map(({ fileName, problem }) => `${fileName}: ${problem}`).join("\n"));
  }
  // Again, because fetching may have locked checksums.
  const software = stackSoftware(settings);
  const { plan, home } = await runnerPlan(software, settings);
  const disc = path.join(folder, "disc");
  await mkdir(path.join(disc, "media"), { recursive: true });
  await bundleDriver(folder);
  await writeFile(path.join(folder, "plan.json"), `${JSON.stringify(plan, undefined, 2)}\n`);
  await cp(home, path.join(folder, "home"), { recursive: true });
  for (const script of ["Get-MachineState.ps1", "Show-Finding.ps1"]) {
    await cp(path.join(import.meta.dirname, script), path.join(folder, "runner", script));
  }
  for (const { fileName, sha256 = "", folder: from = "" } of states) {
    const isOpenSsh = sha256 === openSshArchive.sha256;
    const to = isOpenSsh
      ? path.join(disc, "media", "OpenSSH-Win64.zip")
      : path.join(folder, "media", sha256, fileName);
    await cp(path.join(from, fileName), to);
  }
  const { texts, files } = discFiles(software, settings);
  for (const [name, text] of Object.entries(texts)) await writeFile(path.join(disc, name), text);
  for (const [name, file] of files) await cp(file, path.join(disc, name));
}

if (import.meta.filename === process.argv[1]) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("name the folder to make");
  await pack(path.resolve(folder));
}
