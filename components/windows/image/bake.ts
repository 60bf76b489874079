import path from "node:path";
import type { Settings } from "../../../config/settings.ts";
import { podNetworks } from "../../cni/registry.ts";
import { kubeProxyImage } from "../../kubeproxy/kube-proxy-objects.ts";
import { defaultSetup } from "../node-setup.ts";
import type { Arguments, Parameters, Script } from "../node-step.ts";
import { fileNameOf } from "../media-folder.ts";
import {
  programArtifacts,
  type ProgramName,
  programNames,
  type WindowsSoftware,
} from "../software.ts";
import {
  addContainerImage,
  confirmReboot,
  containerdValues,
  enableContainersFeature,
  installContainerd,
  installKubernetes,
  kubernetesValues,
  pullSeconds,
  rebootValues,
} from "../steps.ts";
import { wayOut } from "./builder/way-out.ts";
import { MediaError } from "../../machine/disk/media-program.ts";

/**
 * All steps that run during the build of an image, in order. Pulling images only saves nodes time, so it is last, and nothing
 * else waits for the registries.
 */
export const bakedSteps = [
  enableContainersFeature,
  confirmReboot,
  installContainerd,
  installKubernetes,
  addContainerImage,
] as readonly Script[];

/** Those that are a node's own steps, which then find nothing to do on the node. */
export const bakedNodeSteps = bakedSteps.filter((step) => step !== addContainerImage);

/** The part of a node's steps that its image already contains. */
export interface Bake {
  readonly steps: readonly { readonly step: Script; readonly parameters: Arguments<Parameters> }[];
  /** Container images they pull, with registry and tag. */
  readonly images: readonly string[];
  /** Programs they install, by SHA-256. */
  readonly programs: readonly {
    readonly sha256: string;
    readonly fileName: string;
    /** Path on this host; undefined until it is downloaded. */
    readonly file: string | undefined;
  }[];
}

export const bareBake: Bake = { steps: [], images: [], programs: [] };

/**
 * What is baked into an image: everything that is the same for every node of every lab. Mirrors, proxies and Defender's
 * exclusions differ between labs: the node's step sets them.
 *
 * @throws MediaError for programs without a known checksum.
 */
export function bakeOf(software: WindowsSoftware, images: readonly string[]): Bake {
  const media = programArtifacts(software);
  const unknown = media.filter(([, { sha256 }]) => sha256 === undefined);
  if (unknown.length > 0) {
    throw new MediaError({
      subject: unknown.map(([, artifact]) => fileNameOf(artifact)).join(", "),
      why: "are to be part of the image, and have no checksum that is known here",
      instead:
        "Run `./kindows fetch --stack <name>`: it fetches them, and takes their checksums from their publishers.",
    });
  }
  const checksums = Object.fromEntries(
    programNames.map((name) => [name, software[name]?.sha256 ?? ""]),
  ) as Readonly<Record<ProgramName, string>>;
  const run = <P extends Parameters>(
    step: Script<P>,
    parameters: Arguments<P>,
  ): Bake["steps"][number] => ({ step, parameters });
  return {
    images,
    steps: [
      run(enableContainersFeature, rebootValues),
      run(confirmReboot, {}),
      run(installContainerd, containerdValues(software, defaultSetup, checksums)),
      run(installKubernetes, kubernetesValues(software, defaultSetup, checksums)),
      run(addContainerImage, {
        Images: images.join(","),
        Proxy: wayOut,
        TimeoutSeconds: pullSeconds,
      }),
    ],
    programs: media.map(([name, artifact]) => {
      const fileName = fileNameOf(artifact);
      const { origin } = artifact;
      const folder = origin === "image" ? undefined : origin.folder;
      return {
        sha256: checksums[name],
        fileName,
        file: folder === undefined ? undefined : path.join(folder, fileName),
      };
    }),
  };
}

/** The steps in the form that their script reads. */
export function bakeText({ steps }: Pick<Bake, "steps">): string {
  const named = steps.map(({ step, parameters }) => ({ step: step.name, parameters }));
  return `${JSON.stringify({ steps: named }, undefined, 2)}\n`;
}

/**
 * The container images that every Windows node needs, with registry and tag: for pod sandboxes, kube-proxy, and the pod
 * network if it runs from images.
 */
export function nodeImages(
  { windows, cluster, cni }: Pick<Settings, "windows" | "cluster" | "cni">,
  { pauseImage }: Pick<WindowsSoftware, "pauseImage">,
): readonly string[] {
  const { names, version } = podNetworks[cni.kind].windowsImages?.(cni) ?? {
    names: [],
    version: "",
  };
  return [
    pauseImage,
    withRegistry(windows.kubeProxyImage ?? kubeProxyImage(cluster.kubernetesVersion)),
    ...names.map((name) => `${name}:v${version}`),
  ];
}

/** The full reference that containerd requires; for Docker Hub, the registry may be omitted in settings. */
function withRegistry(image: string): string {
  const [first = "", ...rest] = image.split("/");
  if (rest.length > 0 && (/[.:]/.test(first) || first === "localhost")) return image;
  return `docker.io/${rest.length === 0 ? "library/" : ""}${image}`;
}
