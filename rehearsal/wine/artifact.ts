import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact } from "../../toolchain/artifact.ts";
import { buildCommand } from "../image/build-command.ts";
import { rehearsalDebian } from "../image/debian.ts";
import { removeBuildFiles } from "../image/guest-root.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { prefixFolder } from "./guest-root.ts";
import { makePrefix } from "./prefix.ts";

/** Folders on which users of the root mount something. */
const mountPoints = ["dev", "etc", "proc", "sys", "tmp"];

/** Folders of drive C: that programs name without the drive, e.g. /var/lib/cni: Wine takes such a path for Linux' own. */
export const drivelessFolders = ["opt", "run", "var"];

/** Debian's Wine and its prefix in `root/`, where test/windows-binaries runs Windows programs as in the guest. */
export const wineRoot: Artifact = {
  name: "wine-root",
  needs: [rehearsalDebian],
  hostPackages: ["gcc", "gcc-mingw-w64-x86-64"],
  inputs: async () => ({ sources: await hashSources(import.meta.dirname, [import.meta.dirname]) }),
  async build(into, context) {
    const run = buildCommand(context.logFile);
    const root = join(into, "root");
    await mkdir(root);
    await run("tar", ["-xf", join(context.path(rehearsalDebian), "root.tar"), "-C", root]);
    await removeBuildFiles(root);
    for (const folder of [...mountPoints, "root"]) {
      await mkdir(join(root, folder), { recursive: true });
    }
    for (const folder of drivelessFolders) {
      await rm(join(root, folder), { recursive: true, force: true });
      await symlink(join(prefixFolder, "drive_c", folder).slice(1), join(root, folder));
    }
    // As in the guest: Wine names the Windows user after the Linux user.
    await writeFile(join(root, "etc/passwd"), "Administrator:x:0:0::/root:/bin/sh\n");
    context.progress("makes drive C:");
    await makePrefix(root, run);
  },
};
