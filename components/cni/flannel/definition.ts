import type { PodNetworkDefinition, PodNetworkSettings } from "../pod-network.ts";
import { existingFlannel } from "./existing.ts";
import { flannelNodeSteps, type FlannelOnWindows } from "./node-steps.ts";
import { flannelPrograms } from "./release.ts";
import { flannelChecks, flannelSettings, isRehearsed } from "./settings.ts";

export const flannel: PodNetworkDefinition<typeof flannelSettings, keyof typeof flannelPrograms> = {
  title: "Flannel",
  choice: "VXLAN or plain routes, Windows too",
  settings: flannelSettings,
  checks: flannelChecks,
  linuxNodes: "in time",
  lackingOnWindows: {},
  programs: flannelPrograms,
  onWindows: (settings) => (isRehearsed(settings) ? { kind: "none" } : onWindows(settings)),
  nodeSteps: flannelNodeSteps,
  existing: existingFlannel,
  components: () => import("./flannel.ts"),
};

function onWindows({ cni, cluster, network }: PodNetworkSettings): FlannelOnWindows {
  const { podCidr, serviceCidr } = cluster;
  const { backend } = cni.flannel;
  return { kind: "flannel", network: { backend, podCidr, serviceCidr, nodeCidr: network.cidr } };
}
