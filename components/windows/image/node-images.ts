import type { Settings } from "../../../config/settings.ts";
import { podNetworks } from "../../cni/registry.ts";
import { kubeProxyImage } from "../../kubeproxy/kube-proxy-objects.ts";
import type { WindowsSoftware } from "../software.ts";

/** The settings that say which container images a Windows node starts with. */
export interface NodeImageSettings {
  readonly windows: Pick<Settings["windows"], "kubeProxyImage">;
  readonly cluster: Pick<Settings["cluster"], "kubernetesVersion">;
  readonly cni: Settings["cni"];
}

/**
 * The container images that every Windows node needs before it is of use, with registry and tag: of its pods' sandboxes,
 * of kube-proxy, and of the pod network where it runs from images.
 */
export function nodeImages(
  { windows, cluster, cni }: NodeImageSettings,
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

/** As containerd wants it: an image of Docker Hub may be written without it. */
function withRegistry(image: string): string {
  const [first = "", ...rest] = image.split("/");
  if (rest.length > 0 && (/[.:]/.test(first) || first === "localhost")) {
    return image;
  }
  return `docker.io/${rest.length === 0 ? "library/" : ""}${image}`;
}
