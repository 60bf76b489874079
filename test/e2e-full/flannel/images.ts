import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import * as z from "zod";
import { flannelImages, flannelVersions } from "../../../components/cni/flannel/release.ts";
import { commandRunner } from "../../../components/controlplane/node-image/build-command.ts";
import {
  packArchive,
  packImage,
  type ImageRecipe,
} from "../../../components/controlplane/node-image/image-packing.ts";
import { linuxDebian } from "../../../components/linux/image/debian.ts";
import type { Artifact, BuildContext } from "../../../toolchain/artifact.ts";
import { runLogged } from "../../../host/run-logged.ts";
import { parseJson } from "../../../toolchain/parse-json.ts";
import { goEnvironment } from "../../../toolchain/tools/go-build.ts";
import { ensureGo, requireGo } from "../../../toolchain/tools/go-toolchain.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";

/** Name of the archive in the artifact's folder. */
export const flannelArchive = "images.tar";

/** Pins both modules; what they need is pinned by their own `go.sum`. */
const pins = path.join(import.meta.dirname, "modules");

/** Longest time the compiler may take, in seconds: all of client-go on one slow core. */
const buildTimeoutSeconds = 1800;

/** What flanneld and its `install-conf` are started in: Debian's iptables, in its nft variant. */
const daemonPieces = {
  packages: ["iptables", "nftables", "iproute2"],
  alternatives: ["", "-save", "-restore"].flatMap((suffix) => [
    `/usr/sbin/iptables${suffix}`,
    `/usr/sbin/ip6tables${suffix}`,
  ]),
};

/** Backends whose modules or C compiler are not to be had everywhere; no lab of ours asks for them. */
const leftOut = /^\s*_ "github\.com\/flannel-io\/flannel\/pkg\/backend\/(tencentvpc|udp)"\n/gm;

/**
 * Images of the names that Flannel's DaemonSet asks for, for nodes that can't pull them: flanneld of the pinned version
 * from its Go module, without two of its backends, and the CNI plugin `flannel` of the CNI project's 0.9.1, the last one
 * before Flannel took it over, whose own module is not to be had.
 */
export const flannelImageArchive: Artifact = {
  name: "test-flannel-images",
  needs: [linuxDebian],
  hostPackages: [],
  check: () => requireGo("test-flannel-images"),
  inputs: async () => ({
    sources: await hashSources(import.meta.dirname, [import.meta.filename, pins]),
    images: JSON.stringify(flannelImages),
  }),
  async build(into, context) {
    const work = path.join(into, "work");
    const debian = path.join(work, "debian");
    await mkdir(debian, { recursive: true });
    const programs = await compile(work, context);
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

async function compile(work: string, context: BuildContext): Promise<Programs> {
  await ensureGo("test-flannel-images", context.progress);
  const flannel = await sourcesOf("github.com/flannel-io/flannel", path.join(work, "flannel"));
  const main = path.join(flannel, "main.go");
  await writeFile(main, (await readFile(main, "utf8")).replaceAll(leftOut, ""));
  const plugins = await sourcesOf("github.com/containernetworking/plugins", path.join(work, "cni"));
  const build = async (module: string, target: string, name: string): Promise<string> => {
    context.progress(`compiles ${name}`);
    const file = path.join(work, name);
    await runLogged("go", ["build", "-ldflags", "-s -w", "-o", file, target], {
      cwd: module,
      env: goEnvironment(),
      logFile: context.logFile,
      timeoutSeconds: buildTimeoutSeconds,
    });
    return file;
  };
  return {
    daemon: await build(flannel, ".", "flanneld"),
    installConf: await build(flannel, "./cmd/install_conf", "install-conf"),
    plugin: await build(plugins, "./plugins/meta/flannel", "cni-flannel"),
  };
}

/** A copy of a module, which `go.sum` has checked. */
async function sourcesOf(name: string, folder: string): Promise<string> {
  const { stdout } = await execa("go", ["mod", "download", "-json", name], {
    cwd: pins,
    env: goEnvironment(),
    timeout: 600_000,
  });
  const module = z.object({ Dir: z.string(), Version: z.string() }).parse(parseJson(stdout));
  if (name.endsWith("/flannel") && module.Version !== `v${flannelVersions.daemon}`) {
    const pinned = `v${flannelVersions.daemon} as release.ts`;
    throw new Error(`${pins}/go.mod has ${module.Version}, not ${pinned}`);
  }
  await cp(module.Dir, folder, { recursive: true });
  return folder;
}
