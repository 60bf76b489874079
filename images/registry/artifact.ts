import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { standInLabel } from "../../components/controlplane/load-balancer.ts";
import { localRegistry } from "../../config/local-registry.ts";
import { commandRunner } from "../../host/command-runner.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { registry } from "../../toolchain/tools/table.ts";
import { archiveName } from "../node/build-node-image.ts";
import { packArchive, packImage } from "../node/image-packing.ts";

const folder = path.dirname(fileURLToPath(import.meta.url));

/**
 * Stand-in for the official image of the registry, for hosts that cannot pull it: the same registry, from Go modules, with its
 * file system driver alone. It has the reference of the official one.
 *
 * The archive is `image.tar` in the artifact's folder.
 */
export const registryImage: Artifact = {
  name: "registry-image",
  needs: [registry],
  hostPackages: [],
  inputs: async () => ({
    reference: localRegistry.image,
    packing: await hashSources(path.dirname(folder), [
      fileURLToPath(import.meta.url),
      path.join(folder, "../node/oci-archive.ts"),
    ]),
  }),
  build: async (into, context) => {
    const run = commandRunner(context.logFile);
    const work = path.join(into, "work");
    await mkdir(work);
    const image = await packImage(
      run,
      work,
      {
        reference: localRegistry.image,
        files: { "/bin/registry": { host: path.join(context.path(registry), "registry") } },
        config: {
          entrypoint: ["/bin/registry"],
          labels: { [standInLabel]: "the registry, without its cloud drivers, TLS and traces" },
        },
      },
      path.join(work, "image"),
    );
    const archive = await packArchive(run, [image], path.join(work, "archive"));
    await rename(archive, path.join(into, archiveName));
    await rm(work, { recursive: true, force: true });
  },
};
