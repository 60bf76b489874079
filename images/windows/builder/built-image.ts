import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import type { Settings } from "../../../config/settings.ts";
import { scriptName } from "../../../components/windows/own-scripts.ts";
import { podNetworks } from "../../../components/cni/pod-networks.ts";
import { type BuiltArtifacts, builtRehearsalImage, builtSoFar } from "../../../toolchain/built.ts";

/** An image that was built here: the path of its disk, and the first 12 digits of a hash that tells it from others. */
type BuiltImage = NonNullable<BuiltArtifacts["windowsImages"]>[string] & {
  /** The file that lists the programs in it, if it carries them. */
  readonly manifest?: string;
};

/** The settings that an image depends on: its media, and the programs and container images that are baked in. */
export interface ImageSettings {
  readonly windows: Pick<
    Settings["windows"],
    "version" | "image" | "containerdVersion" | "checksums" | "kubeProxyImage"
  >;
  readonly cluster: Pick<Settings["cluster"], "kubernetesVersion">;
  readonly cni: Settings["cni"];
  readonly given: Pick<Settings["given"], "scripts" | "certificates">;
}

/** What of the user's is in the image, by contents (bake.ts). */
function ownOfImage({ scripts, certificates }: ImageSettings["given"]): readonly unknown[] {
  const own = scripts
    .filter(({ when }) => when === "image")
    .map(({ name, sha256, runs, files }) => [
      ...[name, sha256, runs],
      files.map((file) => [scriptName(file.path), file.sha256]),
    ]);
  return own.length === 0 ? [] : [own, certificates.map(({ sha1 }) => sha1)];
}

/** Key by which a clone finds the image for its settings. */
export function imageKey({ windows, cluster, cni, given }: ImageSettings): string {
  const { version, image, containerdVersion, checksums, kubeProxyImage } = windows;
  const pulled = [kubeProxyImage, podNetworks[cni.kind].windowsImages?.(cni).version ?? false];
  const installed = [cluster.kubernetesVersion, containerdVersion, checksums, pulled];
  return createHash("sha256")
    .update(JSON.stringify([version, image, installed, ownOfImage(given)]))
    .digest("hex")
    .slice(0, 16);
}

/**
 * The image that this clone has built for these settings; undefined if none was built, or one from an ISO is no longer in
 * the cache.
 */
export function builtImage(settings: ImageSettings): BuiltImage | undefined {
  const { image } = settings.windows;
  if (image.kind === "rehearsal") return builtRehearsalImage(image);
  const built = builtSoFar().windowsImages?.[imageKey(settings)];
  return built !== undefined && statSync(built.path, { throwIfNoEntry: false }) !== undefined
    ? built
    : undefined;
}
