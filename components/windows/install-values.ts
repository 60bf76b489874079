import { mediumPath } from "./media-folder.ts";
import { renderRegistryMirrors, type NodeSetup } from "./node-setup.ts";
import type { StepArguments } from "./step-parameters.ts";
import { fileNameOf, type Medium, type MediumName, type WindowsSoftware } from "./software.ts";

/** Folders of the pod network's programs and configuration: the defaults of Calico's operator. */
const cniFolders = { CniBinDirectory: "C:/opt/cni/bin", CniConfDirectory: "C:/etc/cni/net.d" };

/** SHA-256 of media by their names, in lower case; empty for one that the software has not. */
type Checksums<Names extends MediumName> = Readonly<Record<Names, string>>;

/** Seconds the session that orders a reboot has to bring its result home and to end, also on a slow machine. */
export const rebootDelaySeconds = 10;

/** How containerd is installed, on a node and in an image. */
export function containerdValues(
  software: WindowsSoftware,
  setup: Pick<NodeSetup, "registryMirrors" | "defenderExclusions">,
  checksums: Checksums<"containerd" | "crictl">,
): StepArguments<"Install-Containerd"> {
  const { crictl } = software;
  return {
    Version: software.versions.containerd,
    ArchivePath: placeOf(software.containerd, checksums.containerd),
    ArchiveSha256: checksums.containerd,
    PauseImage: software.pauseImage,
    ...cniFolders,
    RegistryMirrors: renderRegistryMirrors(setup.registryMirrors),
    DefenderExclusions: setup.defenderExclusions ? 1 : 0,
    CrictlPath: crictl === undefined ? "" : placeOf(crictl, checksums.crictl),
    CrictlSha256: checksums.crictl,
  };
}

/** How Kubernetes' programs are installed, on a node and in an image. */
export function kubernetesValues(
  software: WindowsSoftware,
  setup: Pick<NodeSetup, "defenderExclusions" | "automaticUpdates">,
  checksums: Checksums<"kubelet" | "kubeadm" | "kubeLogRunner">,
): StepArguments<"Install-Kubernetes"> {
  return {
    Version: software.versions.kubernetes,
    KubeletPath: placeOf(software.kubelet, checksums.kubelet),
    KubeletSha256: checksums.kubelet,
    KubeadmPath: placeOf(software.kubeadm, checksums.kubeadm),
    KubeadmSha256: checksums.kubeadm,
    KubeLogRunnerPath: placeOf(software.kubeLogRunner, checksums.kubeLogRunner),
    KubeLogRunnerSha256: checksums.kubeLogRunner,
    DefenderExclusions: setup.defenderExclusions ? 1 : 0,
    AutomaticUpdates: setup.automaticUpdates ? 1 : 0,
  };
}

function placeOf(medium: Medium, sha256: string): string {
  return mediumPath(sha256, fileNameOf(medium));
}
