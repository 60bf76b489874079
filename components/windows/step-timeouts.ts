import type { StepName } from "./step-parameters.ts";

/** How long may be waited for what differs from lab to lab; all in seconds. */
export interface NodeTimeouts {
  /** From the start of a machine until it answers SSH, and again for a reboot. */
  readonly bootSeconds: number;
  /** For the join as a whole; kubeadm's own waits are bounded by it. */
  readonly joinSeconds: number;
  /** From the join until the node is Ready: the pod network has to come up on it first. */
  readonly readySeconds: number;
}

/** A first boot of Windows takes up to 15 minutes without KVM; Calico's own tests allow 600 s for its Windows pods. */
export const defaultTimeouts: NodeTimeouts = {
  bootSeconds: 1200,
  joinSeconds: 300,
  readySeconds: 900,
};

/** What a script waits at most for another step to end (lib/Step.ps1), and a connection to be made. */
const lockSeconds = 240;
const connectSeconds = 60;

/**
 * Seconds after which Pulumi gives a step up. Each script ends earlier by its own limits: these are sums of them.
 */
export function stepSeconds(step: StepName, timeouts: NodeTimeouts): number {
  return connectSeconds + lockSeconds + ownSeconds(step, timeouts);
}

function ownSeconds(step: StepName, timeouts: NodeTimeouts): number {
  switch (step) {
    case "Test-WindowsHost":
    case "Set-HostsEntry":
    case "Set-ClusterRoute":
      return 60;
    case "Set-MachineProxy":
      // Where containerd and kubelet run already they are stopped and started.
      return 90 + 120 + 60 + 30;
    case "Enable-ContainersFeature":
      return 900;
    case "Add-ExternalNetwork":
      return 120;
    case "Confirm-ExternalNetwork":
      // Until the machine answers again, if need be after the reboot that comes when its address does not.
      return 600 + timeouts.bootSeconds + 240;
    case "Confirm-Reboot":
      return timeouts.bootSeconds + 180;
    case "Install-Containerd":
      return 600;
    case "Add-ContainerImage":
      // Besides the images: containerd's start, and its list of what is there.
      return pullSeconds + 120 + 60;
    case "Install-Kubernetes":
      return 300;
    case "Install-Flannel":
      return 300;
    case "Join-Node":
      // Besides the join: reaching the API server, a reset of what an earlier join left, kubelet's start.
      return timeouts.joinSeconds + 90 + 120 + 60;
    case "Export-NodeLog":
      return logSeconds;
    case "Reset-Node":
      // Besides kubeadm: two services that end, the images, a folder whose files have to be taken over.
      return resetSeconds + 1500;
  }
}

/** TimeoutSeconds of Add-ContainerImage: some 500 MB, by a line that is not slow. */
export const pullSeconds = 600;

/** TimeoutSeconds of Reset-Node. */
export const resetSeconds = 300;

/** Seconds that collecting a machine's logs may take: some thirty questions of at most 20 s, most of which take one. */
export const logSeconds = 240;
