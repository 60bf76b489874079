import { externalNetwork } from "../../windows/external-network.ts";
import { nodeStep, type JoiningNode } from "../../windows/node-step.ts";
import type { PodNetworkSteps } from "../pod-network.ts";
import {
  flannelHnsNetwork,
  netConf,
  windowsCniConf,
  type FlannelBackend,
} from "./flannel-config.ts";
import type { WindowsPodNetwork } from "../windows-pod-network.ts";
import { placesOf } from "../program-paths.ts";

export interface FlannelOnWindows extends WindowsPodNetwork {
  readonly kind: "flannel";
  readonly backend: FlannelBackend;
  /** Range of the nodes' own addresses. */
  readonly nodeCidr: string;
}

const programs = ["flannel", "flannelPlugin", "cniPlugins"] as const;

/** Installs Flannel as a service that starts once the node has joined. */
const installFlannel = nodeStep({
  name: "Install-Flannel",
  title: { doing: "gets Flannel", noun: "Flannel" },
  parameters: {
    NodeName: "string",
    NodeIp: "string",
    NetConf: "string",
    CniConf: "string",
    DaemonPath: "string",
    DaemonSha256: "string",
    PluginPath: "string",
    PluginSha256: "string",
    CniPluginsPath: "string",
    CniPluginsSha256: "string",
  },
  seconds: 300,
  programs,
  values: (node) => {
    const { machine, nodeIp, checksums, controlPlane } = node;
    const { podCidr, serviceCidr } = controlPlane;
    const { backend, nodeCidr } = networkOf(node);
    const network = { backend, podCidr, serviceCidr, nodeCidr };
    const sums = checksums(...programs);
    const places = placesOf(
      node,
      programs,
      "Flannel is to be installed, and its programs are not among the software",
    );
    return {
      NodeName: machine.name,
      NodeIp: nodeIp,
      NetConf: fileText(netConf(podCidr, backend)),
      CniConf: nodeIp.apply((ip) => fileText(windowsCniConf(network, ip))),
      DaemonPath: places.flannel,
      DaemonSha256: sums.flannel,
      PluginPath: places.flannelPlugin,
      PluginSha256: sums.flannelPlugin,
      CniPluginsPath: places.cniPlugins,
      CniPluginsSha256: sums.cniPlugins,
    };
  },
});

/** The HNS network comes after the join, because flanneld creates it and first reads the pod range from the Node. */
export const flannelNodeSteps: PodNetworkSteps = {
  beforeJoin: [installFlannel],
  afterJoin: externalNetwork((node) => flannelHnsNetwork(networkOf(node).backend)),
};

function networkOf({ setup }: JoiningNode): FlannelOnWindows {
  return setup.podNetwork as FlannelOnWindows;
}

function fileText(content: object): string {
  return Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`).toString("base64");
}
