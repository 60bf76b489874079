import type { Settings } from "../../../config/settings.ts";
import { podNetworks } from "../../cni/registry.ts";
import { kubeProxyImage } from "../../kubeproxy/kube-proxy-objects.ts";
import type { WindowsSoftware } from "../software.ts";

/** Settings that determine the container images of a Windows node. */
export interface NodeImageSettings {
  readonly windows: Pick<Settings["windows"], "kubeProxyImage">;
  readonly cluster: Pick<Settings["cluster"], "kubernetesVersion">;
  readonly cni: Settings["cni"];
}

/**
 * The container images that every Windows node needs, with registry and tag: for pod sandboxes, kube-proxy, and the pod
 * network if it runs from images.
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

/** The full reference that containerd requires; for Docker Hub, the registry may be omitted in settings. */
function withRegistry(image: string): string {
  const [first = "", ...rest] = image.split("/");
  if (rest.length > 0 && (/[.:]/.test(first) || first === "localhost")) {
    return image;
  }
  return `docker.io/${rest.length === 0 ? "library/" : ""}${image}`;
}
