import type { Settings } from "../../../config/settings.ts";
import { kubeProxyImage } from "../../kubeproxy/kube-proxy-objects.ts";
import type { WindowsSoftware } from "../software.ts";

/** The settings that say which container images a Windows node starts with. */
export interface NodeImageSettings {
  readonly windows: Pick<Settings["windows"], "kubeProxyImage">;
  readonly cluster: Pick<Settings["cluster"], "kubernetesVersion">;
  readonly cni: Pick<Settings["cni"], "kind"> & {
    readonly calico: Pick<Settings["cni"]["calico"], "version">;
  };
}

/** Where Calico's operator takes them from since 3.30, and by which names (its pkg/components). */
const calicoImages = ["quay.io/calico/cni-windows", "quay.io/calico/node-windows"];

/**
 * The container images that every Windows node needs before it is of use, with registry and tag: of its pods' sandboxes,
 * of kube-proxy, and of Calico where that is the pod network. Flannel runs as a service, from no image.
 */
export function nodeImages(
  { windows, cluster, cni }: NodeImageSettings,
  { pauseImage }: Pick<WindowsSoftware, "pauseImage">,
): readonly string[] {
  return [
    pauseImage,
    withRegistry(windows.kubeProxyImage ?? kubeProxyImage(cluster.kubernetesVersion)),
    ...(cni.kind === "calico" ? calicoImages.map((name) => `${name}:v${cni.calico.version}`) : []),
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
