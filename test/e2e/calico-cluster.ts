import { existsSync } from "node:fs";
import path from "node:path";
import { commandRunner } from "../../host/command-runner.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { whyUnreachable } from "../../toolchain/publisher.ts";
import { requireRoot } from "../../toolchain/require-root.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import type { LabSettings } from "./lab.ts";

/** Calico's and its operator's programs, and a script that makes one archive of their images from them. */
const sources = path.join(projectRoot, "../shared/calico");

const script = path.join(sources, "images");

const archiveName = "images.tar";

const calicoImageArchive: Artifact = {
  name: "test-calico-images",
  needs: [],
  hostPackages: [],
  seconds: 60,
  check: () => requireRoot("test-calico-images"),
  inputs: async () => ({
    sources: await hashSources(sources, [script, path.join(sources, "programs.tar.xz")]),
  }),
  async build(into, { logFile, progress }) {
    progress("packs Calico's programs into images");
    await commandRunner(logFile)(script, [path.join(into, archiveName)]);
  },
};

/**
 * Settings of a lab with Calico, whose nodes pull its images, or get them from an archive that is made once. Skips the
 * tests after a hook, and says why, if the nodes could do neither.
 *
 * @param needed files without which the tests are skipped, too.
 */
export async function calicoCluster(
  hook: Mocha.Context,
  workers: readonly string[],
  ...needed: readonly string[]
): Promise<LabSettings> {
  skipWithout(hook, needed, "");
  // Debian's packages may have to be downloaded for the images.
  hook.timeout(1_800_000);
  const cluster = { workers: workers.map((name) => ({ name })) };
  const unreachable = await whyUnreachable("https://quay.io/v2/");
  if (unreachable === undefined) return { cluster };
  skipWithout(hook, [script], `${unreachable}, and `);
  const made = await ensureArtifacts([calicoImageArchive]);
  const imageArchives = [path.join(made.path(calicoImageArchive), archiveName)];
  return { cluster: { ...cluster, imageArchives } };
}

function skipWithout(hook: Mocha.Context, files: readonly string[], before: string): void {
  const missing = files.find((file) => !existsSync(file));
  if (missing === undefined) return;
  const why = `${before}there is no ${path.relative(projectRoot, missing)}`;
  console.log(`      NOT RUN: ${hook.runnable().parent?.title ?? "a lab"}, because ${why}`);
  hook.skip();
}
