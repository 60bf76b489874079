import { manifest, type Manifest } from "../../manifest.ts";

/** Calico settings that differ between labs. */
export interface CalicoNetworkOptions {
  /** IPv4 range of the cluster's pods in CIDR form; Calico's only address pool. */
  readonly podCidr: string;
  /** IPv4 range of the cluster's services in CIDR form. */
  readonly serviceCidr: string;
  /** With Windows nodes it must be VXLAN. */
  readonly encapsulation: "VXLAN" | "VXLANCrossSubnet";
  /** With Windows nodes it must be Disabled. */
  readonly bgp: "Disabled" | "Enabled";
  /** MTU of Linux pods in bytes; undefined: Calico detects it. */
  readonly mtu: number | undefined;
  /** Whether Windows nodes get the network too. */
  readonly windows: boolean;
}

/** Folders on Windows nodes. They must match containerd's configuration there (components/windows/steps.ts). */
const windowsFolders = {
  cniBinDir: "/opt/cni/bin",
  cniConfigDir: "/etc/cni/net.d",
  cniLogDir: "/var/log/calico/cni",
};

export function installationObjects({
  windows,
  ...options
}: CalicoNetworkOptions): Pick<Manifest, "Installation" | "APIServer"> {
  return manifest(new URL("installation.yaml", import.meta.url), {
    ...options,
    windowsDataplane: windows ? "HNS" : "Disabled",
    // The operator refuses `windowsNodes` while the Windows dataplane is disabled.
    windowsNodes: windows ? windowsFolders : undefined,
  });
}
