import { nodeStep } from "../../windows/node-step.ts";
import type { WindowsPodNetwork } from "../windows-pod-network.ts";
import { placesOf } from "../program-paths.ts";

/**
 * Name of the pods' HNS network, as hybrid-overlay-node.exe gives it (hybrid-overlay/pkg/controller/node_windows.go).
 */
export const hybridOverlayNetwork = "OVNKubernetesHybridOverlayNetwork";

export interface HybridOverlayOnWindows extends WindowsPodNetwork {
  readonly kind: "ovn-kubernetes";
  /** UDP port of its VXLAN. */
  readonly vxlanPort: number;
}

const programs = ["hybridOverlay", "cniPlugins"] as const;

/**
 * Installs and starts the hybrid overlay's service, which reads the pod range from the Node and creates the pods'
 * network.
 */
export const installHybridOverlay = nodeStep({
  name: "Install-HybridOverlay",
  title: { doing: "gets OVN's hybrid overlay", noun: "hybrid overlay" },
  parameters: {
    NodeName: "string",
    NodeIp: "string",
    PodCidr: "string",
    ServiceCidr: "string",
    VxlanPort: "int",
    ProgramPath: "string",
    ProgramSha256: "string",
    CniPluginsPath: "string",
    CniPluginsSha256: "string",
  },
  seconds: 600,
  programs,
  needsCluster: true,
  values: (node) => {
    const podNetwork = node.setup.podNetwork as HybridOverlayOnWindows;
    const sums = node.checksums(...programs);
    const places = placesOf(
      node,
      programs,
      "OVN's hybrid overlay is to be installed, and its programs are not among the software: write kindows:cni.kind: ovn-kubernetes and kindows:cni.hybridOverlay",
    );
    return {
      NodeName: node.machine.name,
      NodeIp: node.nodeIp,
      PodCidr: node.controlPlane.podCidr,
      ServiceCidr: node.controlPlane.serviceCidr,
      VxlanPort: podNetwork.vxlanPort,
      ProgramPath: places.hybridOverlay,
      ProgramSha256: sums.hybridOverlay,
      CniPluginsPath: places.cniPlugins,
      CniPluginsSha256: sums.cniPlugins,
    };
  },
});
