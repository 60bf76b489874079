import path from "node:path";
import type { Settings } from "../../config/settings.ts";
import { podNetworks } from "../../components/cni/pod-networks.ts";
import { withRegistry } from "../../components/image-archives/image-reference.ts";
import { kubeProxyImage } from "../../components/kubeproxy/kube-proxy-objects.ts";
import { defaultSetup } from "../../components/windows/node-setup.ts";
import type { Script } from "../../components/windows/node-step.ts";
import type { Arguments, Parameters } from "../../host/ssh/windows-command.ts";
import { fileNameOf } from "../../components/windows/media-folder.ts";
import { scriptName, scriptValues } from "../../components/windows/own-scripts.ts";
import { type GivenFiles, noGivenFiles } from "../../config/given-files.ts";
import {
  programArtifacts,
  type ProgramName,
  programNames,
  type WindowsSoftware,
} from "../../components/windows/software.ts";
import {
  addContainerImage,
  certificateInput,
  certificateValues,
  confirmReboot,
  containerdValues,
  enableContainersFeature,
  installContainerd,
  installKubernetes,
  kubernetesValues,
  pullSeconds,
  rebootValues,
  scriptsBeforeJoin,
  setTrustedCertificate,
} from "../../components/windows/steps.ts";
import { wayOut } from "./builder/way-out.ts";
import { MediaError } from "../disk/media-program.ts";

/**
 * All steps that run during the build of an image, in order. Pulling container images is last, because it only saves
 * nodes time and nothing else needs the registries.
 */
export const bakedSteps = [
  enableContainersFeature,
  confirmReboot,
  setTrustedCertificate,
  installContainerd,
  installKubernetes,
  scriptsBeforeJoin,
  addContainerImage,
] as readonly Script[];

/** Longest time that all of the user's scripts get together. */
export const imageScriptsSeconds = 1800;

/** The steps of a node that are already done in its image. */
export interface Bake {
  readonly steps: readonly {
    readonly step: Script;
    readonly parameters: Arguments<Parameters>;
    /** What it gets on standard input. */
    readonly input?: string;
  }[];
  /** Container images that the steps pull, with registry and tag. */
  readonly images: readonly string[];
  /** Programs that the steps install. */
  readonly programs: readonly {
    readonly sha256: string;
    readonly fileName: string;
    /** Path on this host; undefined until it is downloaded. */
    readonly file: string | undefined;
  }[];
  /**
   * The user's scripts and what is beside them, by their names on the disc. Scripts are named by their SHA-256, with which
   * a name is as long as it may be there, so that `.ps1` comes with the copy.
   */
  readonly own: Readonly<Record<string, { readonly path: string; readonly sha256: string }>>;
}

export const bareBake: Bake = { steps: [], images: [], programs: [], own: {} };

/**
 * The steps that are baked into an image, with the default settings. Mirrors, proxies and Defender exclusions differ
 * between labs, so the same steps set them on each node. So do certificates, unless scripts of the user's run in the
 * image, which may need them.
 *
 * @throws MediaError for programs without a known checksum.
 */
export function bakeOf(
  software: WindowsSoftware,
  images: readonly string[],
  {
    scripts: allScripts,
    certificates,
  }: Pick<GivenFiles, "scripts" | "certificates"> = noGivenFiles,
): Bake {
  const media = programArtifacts(software);
  const unknown = media.filter(([, { sha256 }]) => sha256 === undefined);
  if (unknown.length > 0) {
    throw new MediaError({
      subject: unknown.map(([, artifact]) => fileNameOf(artifact)).join(", "),
      why: "must be part of the image, but their checksums are not known",
      instead:
        "Run `./kindows fetch --stack <name>`, which downloads them and gets the checksums from their publishers.",
    });
  }
  const checksums = Object.fromEntries(
    programNames.map((name) => [name, software[name]?.sha256 ?? ""]),
  ) as Readonly<Record<ProgramName, string>>;
  const run = <P extends Parameters>(
    step: Script<P>,
    parameters: Arguments<P>,
  ): Bake["steps"][number] => ({ step, parameters });
  const scripts = allScripts.filter(({ when }) => when === "image");
  const ownScripts = scriptValues(scripts, "image", imageScriptsSeconds);
  return {
    images,
    steps: [
      run(enableContainersFeature, rebootValues),
      run(confirmReboot, {}),
      ...(ownScripts === undefined || certificates.length === 0
        ? []
        : [
            {
              ...run(setTrustedCertificate, certificateValues(certificates)),
              input: JSON.stringify(certificateInput(certificates)),
            },
          ]),
      run(installContainerd, containerdValues(software, defaultSetup, checksums)),
      run(installKubernetes, kubernetesValues(software, defaultSetup, checksums)),
      ...(ownScripts === undefined ? [] : [run(scriptsBeforeJoin, ownScripts)]),
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
    own: Object.fromEntries(
      scripts.flatMap(({ path, sha256, files }) => [
        [sha256, { path, sha256 }],
        ...files.map((file) => [scriptName(file.path), file] as const),
      ]),
    ),
  };
}

/** The steps as JSON, which Invoke-Bake.ps1 reads. */
export function bakeText({ steps }: Pick<Bake, "steps">): string {
  const named = steps.map(({ step, parameters, input = "" }) => ({
    step: step.name,
    parameters,
    input,
  }));
  return `${JSON.stringify({ steps: named }, undefined, 2)}\n`;
}

/**
 * The container images that every Windows node needs, with registry and tag: the images of pod sandboxes and
 * kube-proxy, and those of the pod network if it has any.
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
