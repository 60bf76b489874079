import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Artifact } from "../../toolchain/artifact.ts";
import { requireRoot } from "../../toolchain/require-root.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { commandRunner } from "../../host/command-runner.ts";
import { archiveName } from "../node/build-node-image.ts";
import { defaultPath } from "../node/container-images.ts";
import { packArchive, packImage } from "../node/image-packing.ts";
import { debianRelease } from "../node/root-file-system.ts";
import {
  loadBalancerReference,
  standInLabel,
} from "../../components/controlplane/load-balancer.ts";

const script = fileURLToPath(new URL("files/envoy.sh", import.meta.url));
const packages = ["haproxy", "bash", "dash", "coreutils", "mawk"];

/**
 * Stand-in for the Envoy image that kind starts in front of three control planes, for hosts that cannot pull it:
 * Debian's HAProxy, and a script that applies the files which kind writes. It has the reference that is built into
 * kind.
 *
 * The archive is `image.tar` in the artifact's folder.
 */
export const loadBalancerImage: Artifact = {
  name: "load-balancer-image",
  needs: [],
  hostPackages: ["debootstrap"],
  check: () => requireRoot("the load balancer's image"),
  inputs: async () => ({
    reference: loadBalancerReference,
    debian: [debianRelease, ...packages].join(" "),
    files: await hashSources(path.dirname(script), [script]),
    packing: await hashSources(path.dirname(fileURLToPath(import.meta.url)), [
      fileURLToPath(new URL("../node/oci-archive.ts", import.meta.url)),
      fileURLToPath(new URL("../node/debian-pieces.ts", import.meta.url)),
    ]),
  }),
  build: async (into, context) => {
    const run = commandRunner(context.logFile);
    const work = path.join(into, "work");
    const root = path.join(work, "root");
    await mkdir(work);
    context.progress("installing HAProxy into a new root file system");
    const options = ["--variant=minbase", "--include=haproxy,mawk"];
    await run("debootstrap", [...options, debianRelease, root]);
    context.progress("packing the image");
    const image = await packImage(
      run,
      root,
      {
        reference: loadBalancerReference,
        files: { "/usr/local/bin/envoy": { host: script } },
        pieces: { packages, alternatives: ["/usr/bin/awk"] },
        config: {
          environment: [defaultPath],
          labels: { [standInLabel]: "Envoy, by HAProxy, in kind's load balancer only" },
        },
      },
      path.join(work, "image"),
    );
    const archive = await packArchive(run, [image], path.join(work, "archive"));
    await rename(archive, path.join(into, archiveName));
    await rm(work, { recursive: true, force: true });
  },
};
