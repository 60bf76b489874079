/**
 * `node --import tsx rehearsal/image/pack-release.ts FOLDER` writes a release's archives to the folder, one for each of the
 * guest's tools. Tools that are not in the cache are built first.
 */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { artifactAddress } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { releaseArchive } from "../../toolchain/tools/own-release.ts";
import { guestTools } from "./guest-tools.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder that gets the archives");
const ensured = await ensureArtifacts(guestTools);
await mkdir(folder, { recursive: true });
for (const artifact of guestTools) {
  const archive = path.join(folder, releaseArchive(await artifactAddress(artifact)));
  const executables = Object.keys(artifact.tool.go.packages);
  await execa("tar", ["-czf", archive, "-C", ensured.path(artifact), ...executables]);
}
