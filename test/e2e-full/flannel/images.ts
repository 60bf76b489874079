import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { flannelImages, flannelVersions } from "../../../components/cni/flannel/release.ts";
import { commandRunner } from "../../../host/command-runner.ts";
import { packArchive, packImage, type ImageRecipe } from "../../../images/node/image-packing.ts";
import { linuxDebian } from "../../../images/linux/debian.ts";
import type { Artifact, BuildContext } from "../../../toolchain/artifact.ts";
import { ensureArtifacts } from "../../../toolchain/ensure.ts";
import { ensureGo, requireGo } from "../../../toolchain/tools/go-toolchain.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";
import { compile, copyModule } from "../modules/compile.ts";

const modules = path.join(import.meta.dirname, "../modules");

/** Name of the archive in the artifact's folder. */
const flannelArchive = "images.tar";

/** Debian packages in the images of flanneld and its `install-conf`: iptables in its nft variant. */
const daemonPieces = {
  packages: ["iptables", "nftables", "iproute2"],
  alternatives: ["", "-save", "-restore"].flatMap((suffix) => [
    `/usr/sbin/iptables${suffix}`,
    `/usr/sbin/ip6tables${suffix}`,
  ]),
};

/** Backends that need modules or a C compiler that are not available everywhere; the labs do not use them. */
const leftOut = /^\s*_ "github\.com\/flannel-io\/flannel\/pkg\/backend\/(tencentvpc|udp)"\n/gm;

/**
 * Replacements for the images of Flannel's DaemonSet, for nodes that cannot pull them: flanneld of the pinned
 * version, built from its Go module without two of its backends, and the CNI plugin `flannel` from the CNI project's
 * 0.9.1. That is the last version before Flannel took the plugin over, and Flannel's own module is not available.
 */
const flannelImageArchive: Artifact = {
  name: "test-flannel-images",
  needs: [linuxDebian],
  hostPackages: [],
  check: () => requireGo("test-flannel-images"),
  inputs: async () => ({
    sources: await hashSources(import.meta.dirname, [import.meta.filename, modules]),
    images: JSON.stringify(flannelImages),
  }),
  async build(into, context) {
    const work = path.join(into, "work");
    const debian = path.join(work, "debian");
    await mkdir(debian, { recursive: true });
    const programs = await compilePrograms(work, context);
    const run = commandRunner(context.logFile);
    await run("tar", [
      ...["--extract", "--numeric-owner", "--directory", debian],
      ...["--file", path.join(context.path(linuxDebian), "root.tar")],
    ]);
    context.progress("packs the images");
    const images = [];
    for (const [number, recipe] of recipes(programs).entries()) {
      images.push(await packImage(run, debian, recipe, path.join(work, `image-${number}`)));
    }
    const archive = await packArchive(run, images, path.join(work, "images"));
    await cp(archive, path.join(into, flannelArchive));
    await rm(work, { recursive: true });
  },
};

/** Builds the archive unless it exists. @returns its path, for `kindows:cluster.imageArchives` */
export async function builtFlannelArchive(): Promise<string> {
  const made = await ensureArtifacts([flannelImageArchive]);
  return path.join(made.path(flannelImageArchive), flannelArchive);
}

interface Programs {
  readonly daemon: string;
  readonly installConf: string;
  readonly plugin: string;
}

function recipes({ daemon, installConf, plugin }: Programs): readonly ImageRecipe[] {
  return [
    {
      reference: flannelImages.daemon,
      files: {
        "/opt/bin/flanneld": { host: daemon },
        "/opt/bin/install-conf": { host: installConf },
      },
      pieces: daemonPieces,
      config: { environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"] },
    },
    {
      reference: flannelImages.cniPlugin,
      files: {
        "/flannel": { host: plugin },
        "/bin/busybox": { root: "/bin/busybox" },
        "/bin/cp": { linkTo: "busybox" },
      },
      config: { environment: ["PATH=/bin"] },
    },
  ];
}

async function compilePrograms(work: string, context: BuildContext): Promise<Programs> {
  await ensureGo("test-flannel-images", context.progress);
  const [flannel, plugins] = [path.join(work, "flannel"), path.join(work, "cni")];
  const version = await copyModule("github.com/flannel-io/flannel", flannel);
  if (version !== `v${flannelVersions.daemon}`) {
    throw new Error(`go.mod has ${version}, not v${flannelVersions.daemon} as release.ts`);
  }
  const main = path.join(flannel, "main.go");
  await writeFile(main, (await readFile(main, "utf8")).replaceAll(leftOut, ""));
  await copyModule("github.com/containernetworking/plugins", plugins);
  const build = async (module: string, target: string, name: string): Promise<string> => {
    context.progress(`compiles ${name}`);
    const file = path.join(work, name);
    await compile(module, target, file, context);
    return file;
  };
  return {
    daemon: await build(flannel, ".", "flanneld"),
    installConf: await build(flannel, "./cmd/install_conf", "install-conf"),
    plugin: await build(plugins, "./plugins/meta/flannel", "cni-flannel"),
  };
}
