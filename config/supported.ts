/**
 * Kubernetes versions every part is pinned for: node image, kubelet and kubeadm for Windows, kube-proxy.
 *
 * Calico 3.32 is tested with 1.34 to 1.36 only.
 */
export const kubernetesVersions = ["1.36.4"] as const;

/** containerd for Windows: 2.3 is the line with long-term support; 2.4 is what the rehearsal image holds. */
export const containerdVersions = ["2.3.4", "2.4.2"] as const;

/** containerd where the settings name none. */
export const defaultContainerdVersion = "2.3.4";

/** What the rehearsal image holds: the only versions a rehearsal can be of. */
export const rehearsalVersions = { windows: "2022", containerd: "2.4.2" } as const;

/** Windows Server versions whose containers and networking the program knows. */
export const windowsVersions = ["2022", "2025"] as const;
