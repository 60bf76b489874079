import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import type { Settings } from "../../../../config/settings.ts";
import { podNetworks } from "../../../cni/registry.ts";
import type { NodeImageSettings } from "../node-images.ts";
import { builtSoFar } from "../../../../toolchain/built.ts";
import type { BuiltArtifacts } from "../../../../toolchain/built.ts";

/** An image that was made from an ISO: its disk, and the first 12 digits of the hash of what went in. */
export type BuiltImage = NonNullable<BuiltArtifacts["windowsImages"]>[string];

/** The settings that an image depends on: what it is installed from, and what its nodes' steps install in it. */
export interface ImageSettings {
  readonly windows: Pick<
    Settings["windows"],
    "version" | "image" | "containerdVersion" | "checksums" | "kubeProxyImage"
  >;
  readonly cluster: Pick<Settings["cluster"], "kubernetesVersion">;
  readonly cni: NodeImageSettings["cni"];
}

/** By what a clone knows which image it made for which settings. */
export function imageKey({ windows, cluster, cni }: ImageSettings): string {
  const { version, image, containerdVersion, checksums, kubeProxyImage } = windows;
  const pulled = [kubeProxyImage, podNetworks[cni.kind].windowsImages?.(cni).version ?? false];
  const installed = [cluster.kubernetesVersion, containerdVersion, checksums, pulled];
  return createHash("sha256")
    .update(JSON.stringify([version, image, installed]))
    .digest("hex")
    .slice(0, 16);
}

/**
 * The image that `up`, `prepare` or `image build` of this clone put in place for these settings; undefined where none
 * did, or the cache has lost it since.
 */
export function builtImage(settings: ImageSettings): BuiltImage | undefined {
  const found = builtSoFar().windowsImages?.[imageKey(settings)];
  return found !== undefined && statSync(found.path, { throwIfNoEntry: false }) !== undefined
    ? found
    : undefined;
}
