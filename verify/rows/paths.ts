import type { PathRow, Relation, Source, Target } from "./row.ts";
import type { Os } from "../objects/names.ts";

const linuxPod: Source = { where: "pod", os: "linux" };
const windowsPod: Source = { where: "pod", os: "windows" };
const linuxNode: Source = { where: "node", os: "linux" };
const windowsNode: Source = { where: "node", os: "windows" };
const outside: Source = { where: "outside" };

const pod = (os: Os, nodes: Relation): Target => ({ to: "pod", os, by: "address", nodes });
const podByAddress = (os: Os): Target => ({ to: "pod", os, by: "address" });
const podByName = (os: Os): Target => ({ to: "pod", os, by: "name" });
const service = (os: Os): Target => ({ to: "service", os, by: "address" });
const serviceByName = (os: Os): Target => ({ to: "service", os, by: "name" });
const nodePort = (os: Os, node: Os): Target => ({ to: "node-port", os, node });
const dns = (os: Os): Target => ({ to: "dns", os });
const hostPort = (os: Os): Target => ({ to: "host-port", os });
const hostPod = (os: Os): Target => ({ to: "host-pod", os });
const hostService = (by: "address" | "name"): Target => ({
  to: "service",
  os: "windows",
  by,
  network: "host",
});
const hostNodePort = (node: Os): Target => ({
  to: "node-port",
  os: "windows",
  node,
  network: "host",
});

/**
 * Every path between Linux and Windows pods, their nodes and the world outside.
 *
 * The rows include all paths in the tables of pablodav/kubernetes-for-windows and
 * lippertmarkus/vagrant-k8s-win-hostprocess. They add other paths that users ask about: to the same node and another
 * node, NodePort and hostPort from inside the cluster, and pods on the nodes' own network, which are HostProcess
 * containers on Windows.
 *
 * No row goes from a node to a Service by name. Host-network pods use their node's resolver, which does not know the
 * cluster's names, and Windows does not support dnsPolicy ClusterFirstWithHostNet. Instead, there are rows that query
 * cluster DNS directly.
 */
export const pathRows: readonly PathRow[] = [
  path("linux-pod-to-linux-pod-same-node", linuxPod, pod("linux", "same")),
  path("linux-pod-to-linux-pod-other-node", linuxPod, pod("linux", "other")),
  path("linux-pod-to-linux-pod-name", linuxPod, podByName("linux")),
  path("linux-pod-to-linux-service", linuxPod, service("linux")),
  path("linux-pod-to-linux-service-name", linuxPod, serviceByName("linux")),
  path("linux-pod-to-linux-node-port", linuxPod, nodePort("linux", "linux")),
  path("linux-pod-to-linux-host-port", linuxPod, hostPort("linux")),
  path("linux-pod-to-windows-pod", linuxPod, podByAddress("windows")),
  path("linux-pod-to-windows-pod-name", linuxPod, podByName("windows")),
  path("linux-pod-to-windows-service", linuxPod, service("windows")),
  path("linux-pod-to-windows-service-name", linuxPod, serviceByName("windows")),
  path("linux-pod-to-windows-node-port", linuxPod, nodePort("windows", "windows")),
  path("linux-pod-to-windows-host-port", linuxPod, hostPort("windows")),
  path("linux-pod-to-windows-host-pod", linuxPod, hostPod("windows")),
  path("linux-pod-to-windows-host-service", linuxPod, hostService("address")),
  path("linux-pod-to-windows-host-service-name", linuxPod, hostService("name")),
  path("linux-pod-to-host", linuxPod, { to: "host" }),
  path("linux-pod-to-internet", linuxPod, { to: "internet" }),

  path("windows-pod-to-windows-pod-same-node", windowsPod, pod("windows", "same")),
  path("windows-pod-to-windows-pod-other-node", windowsPod, pod("windows", "other")),
  path("windows-pod-to-windows-pod-name", windowsPod, podByName("windows")),
  path("windows-pod-to-windows-service", windowsPod, service("windows")),
  path("windows-pod-to-windows-service-name", windowsPod, serviceByName("windows")),
  path("windows-pod-to-windows-node-port", windowsPod, nodePort("windows", "windows")),
  path("windows-pod-to-windows-host-port", windowsPod, hostPort("windows")),
  path("windows-pod-to-linux-pod", windowsPod, podByAddress("linux")),
  path("windows-pod-to-linux-pod-name", windowsPod, podByName("linux")),
  path("windows-pod-to-linux-service", windowsPod, service("linux")),
  path("windows-pod-to-linux-service-name", windowsPod, serviceByName("linux")),
  path("windows-pod-to-linux-node-port", windowsPod, nodePort("linux", "linux")),
  path("windows-pod-to-linux-host-port", windowsPod, hostPort("linux")),
  path("windows-pod-to-windows-host-pod", windowsPod, hostPod("windows")),
  path("windows-pod-to-linux-host-pod", windowsPod, hostPod("linux")),
  path("windows-pod-to-host", windowsPod, { to: "host" }),
  path("windows-pod-to-internet", windowsPod, { to: "internet" }),

  path("linux-node-to-linux-pod", linuxNode, podByAddress("linux")),
  path("linux-node-to-linux-service", linuxNode, service("linux")),
  path("linux-node-to-cluster-dns", linuxNode, dns("linux")),
  path("linux-node-to-windows-pod", linuxNode, podByAddress("windows")),
  path("linux-node-to-windows-service", linuxNode, service("windows")),
  path("linux-node-to-windows-host-pod", linuxNode, hostPod("windows")),
  path("linux-node-to-windows-host-service", linuxNode, hostService("address")),

  path("windows-node-to-windows-pod", windowsNode, podByAddress("windows")),
  path("windows-node-to-windows-service", windowsNode, service("windows")),
  path("windows-node-to-linux-pod", windowsNode, podByAddress("linux")),
  path("windows-node-to-linux-service", windowsNode, service("linux")),
  path("windows-node-to-cluster-dns", windowsNode, dns("linux")),
  path("windows-node-to-linux-node-port", windowsNode, nodePort("linux", "linux")),
  path("windows-node-to-linux-host-pod", windowsNode, hostPod("linux")),
  path("windows-node-to-windows-host-pod", windowsNode, hostPod("windows")),
  path("windows-node-to-windows-host-service", windowsNode, hostService("address")),
  path("windows-node-to-host", windowsNode, { to: "host" }),
  path("windows-node-to-internet", windowsNode, { to: "internet" }),

  path("outside-to-linux-service-linux-node", outside, nodePort("linux", "linux")),
  path("outside-to-linux-service-windows-node", outside, nodePort("linux", "windows")),
  path("outside-to-windows-service-linux-node", outside, nodePort("windows", "linux")),
  path("outside-to-windows-service-windows-node", outside, nodePort("windows", "windows")),
  path("outside-to-windows-host-pod", outside, hostPod("windows")),
  path("outside-to-windows-host-service-linux-node", outside, hostNodePort("linux")),
  path("outside-to-windows-host-service-windows-node", outside, hostNodePort("windows")),
  path("outside-to-linux-host-port", outside, hostPort("linux")),
  path("outside-to-windows-host-port", outside, hostPort("windows")),
];

function path(id: string, from: Source, target: Target): PathRow {
  return { kind: "path", id, from, target };
}
