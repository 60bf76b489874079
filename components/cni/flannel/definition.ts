import type { PodNetworkDefinition } from "../pod-network.ts";
import { existingFlannel } from "./existing.ts";
import { flannelNodeSteps, type FlannelOnWindows } from "./node-steps.ts";
import { flannelImages, flannelPrograms } from "./release.ts";
import { flannelChecks, type FlannelSection, flannelSettings } from "./settings.ts";

export const flannel: PodNetworkDefinition<
  typeof flannelSettings,
  keyof typeof flannelPrograms,
  FlannelSection
> = {
  title: "Flannel",
  choice: "VXLAN or plain routes, Windows too",
  settings: flannelSettings,
  checks: flannelChecks,
  linuxNodes: "in time",
  lackingOnWindows: ({ flannel: { backend } }) =>
    backend === "vxlan"
      ? {
          noWindowsHostPorts:
            "needs hostPort on Windows, which the plugin win-overlay of Flannel's VXLAN does not have",
        }
      : {
          noWindowsPodToHost:
            "needs a route on this host to Windows pods: with Flannel's host-gw they ask the nodes' range from their own address",
        },
  windowsAnnotation: "flannel.alpha.coreos.com/backend-type",
  programs: flannelPrograms,
  linuxImages: () => Object.values(flannelImages),
  onWindows: ({ cni, network }): FlannelOnWindows => ({
    ...{ kind: "flannel", backend: cni.flannel.backend },
    nodeCidr: network.cidr,
  }),
  nodeSteps: flannelNodeSteps,
  existing: existingFlannel,
  components: () => import("./flannel.ts"),
};
