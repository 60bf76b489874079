import assert from "node:assert/strict";
import type {
  CoreV1Event,
  V1EndpointSlice,
  V1NetworkPolicy,
  V1Pod,
  V1Service,
} from "@kubernetes/client-node";

import type { Facts, NodeFact } from "../../../verify/cluster/facts.ts";
import type { Details, Snapshot } from "../../../verify/cluster/snapshot.ts";
import { namespace, roleLabel, roleName, type Role } from "../../../verify/objects/names.ts";
import { pathRows } from "../../../verify/rows/paths.ts";
import { policyRows } from "../../../verify/rows/policies.ts";
import { planRow } from "../../../verify/run/plan.ts";
import type { Probe } from "../../../verify/run/probe.ts";

export const linuxNode: NodeFact = {
  name: "linux-a",
  os: "linux",
  address: "192.168.150.128",
  version: "v1.36.4",
  system: "Debian GNU/Linux 12 (bookworm)",
};
const second = { name: "linux-b", address: "192.168.150.129" };
export const otherLinuxNode: NodeFact = { ...linuxNode, ...second };
export const windowsNode: NodeFact = {
  name: "win-1",
  os: "windows",
  address: "192.168.150.10",
  windowsBuild: "10.0.20348",
  version: "v1.36.4",
  system: "Windows Server 2022 Datacenter",
};

/** A cluster with real Windows nodes in which every row can run. */
export const fullFacts: Facts = {
  nodes: [linuxNode, otherLinuxNode, windowsNode, { ...windowsNode, name: "win-2" }],
  rehearsal: false,
};

/** A Ready pod of a role on a node. */
export function rolePod(role: Role, node: string, ip: string): V1Pod {
  const name = roleName(role);
  return {
    metadata: { name: `${name}-${node}`, namespace, labels: { [roleLabel]: name } },
    spec: { nodeName: node, containers: [] },
    status: { phase: "Running", podIP: ip, conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** A pod whose container is waiting. */
export function waitingPod(pod: V1Pod, reason: string, message: string): V1Pod {
  const container = {
    name: "agnhost",
    image: "registry.example/agnhost:1",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { waiting: { reason, message } },
  };
  const conditions = [{ type: "Ready", status: "False" }];
  return { ...pod, status: { phase: "Pending", conditions, containerStatuses: [container] } };
}

export function service(name: string, app: string, nodePort = 30080): V1Service {
  return {
    metadata: { name, namespace },
    spec: {
      clusterIP: "10.96.1.1",
      selector: { [roleLabel]: app },
      ports: [{ port: 80, nodePort }],
    },
  };
}

/** Endpoints of a Service, all ready. */
export function slice(name: string, addresses: readonly string[]): V1EndpointSlice {
  return {
    addressType: "IPv4",
    metadata: { name: `${name}-x`, labels: { "kubernetes.io/service-name": name } },
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  };
}

export function systemPod(name: string, app: string, node: string, ready: boolean): V1Pod {
  return {
    metadata: { name, namespace: "kube-system", labels: { "k8s-app": app } },
    spec: { nodeName: node, containers: [] },
    status: {
      phase: ready ? "Running" : "Pending",
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  };
}

export function denyAll(name: string): V1NetworkPolicy {
  return { metadata: { name, namespace }, spec: { podSelector: {}, policyTypes: ["Ingress"] } };
}

export function warning(kind: string, name: string, reason: string, message: string): CoreV1Event {
  const metadata = { name: `${name}.1` };
  return { metadata, involvedObject: { kind, name }, type: "Warning", reason, message };
}

const client = { os: "linux", part: "client" } as const;
const server = { os: "linux", part: "server" } as const;
const onHost = { os: "linux", part: "host-port" } as const;
const nodePart = { os: "linux", part: "node" } as const;
const isolated = { os: "linux", part: "isolated" } as const;

/** Cluster DNS answers, and nothing else is wrong. */
const quiet = {
  dnsAddress: "10.96.0.10",
  clusterDomain: "cluster.local",
  dnsSlices: [slice("kube-dns", ["10.244.0.9"])],
  events: [],
  policies: [],
};

/** A Linux and a Windows node with the pods of theirs that need no network of Windows' own. */
export const onHosts: Details = {
  nodes: [linuxNode, windowsNode],
  pods: [
    rolePod(client, "linux-a", "10.244.0.2"),
    rolePod(server, "linux-a", "10.244.0.3"),
    rolePod({ os: "linux", part: "host-server" }, "linux-a", linuxNode.address),
    rolePod({ os: "windows", part: "node" }, "win-1", windowsNode.address),
    rolePod({ os: "windows", part: "host-server" }, "win-1", windowsNode.address),
  ],
  services: [
    service("linux", "linux-server"),
    service("windows-host", "windows-host-server", 30081),
  ],
  slices: [slice("windows-host", [windowsNode.address])],
  systemPods: [],
  ...quiet,
};

/** Two Linux nodes with all pods of ours, in which everything is as it should be. */
export const healthy: Details = {
  nodes: [linuxNode, otherLinuxNode],
  pods: [linuxNode, otherLinuxNode].flatMap(({ name, address }, at) => [
    rolePod(client, name, `10.244.${at}.2`),
    rolePod(server, name, `10.244.${at}.3`),
    rolePod(onHost, name, `10.244.${at}.4`),
    rolePod(nodePart, name, address),
    rolePod(isolated, name, `10.244.${at}.5`),
  ]),
  services: [service("linux", "linux-server"), service("linux-pods", "linux-server")],
  slices: [
    slice("linux", ["10.244.0.3", "10.244.1.3"]),
    slice("linux-pods", ["10.244.0.3", "10.244.1.3"]),
  ],
  systemPods: [
    systemPod("coredns-1", "kube-dns", "linux-a", true),
    systemPod("kube-proxy-a", "kube-proxy", "linux-a", true),
    systemPod("kube-proxy-b", "kube-proxy", "linux-b", true),
  ],
  ...quiet,
};

/** The probes of a row of paths in a cluster, or what it waits for. */
export function planOf(id: string, snapshot: Snapshot = healthy): ReturnType<typeof planRow> {
  const row = [...pathRows, ...policyRows].find((each) => each.id === id);
  assert.ok(row, id);
  return planRow(row, snapshot, {
    host: { url: "http://192.168.150.1:41234/", greeting: "kindows verify abc sees " },
    internet: { url: "http://www.example.test/page", text: "hello" },
  });
}

/** The probes of a row whose pods all exist. */
export function probesOf(id: string, snapshot?: Snapshot): readonly [Probe, ...Probe[]] {
  const plan = planOf(id, snapshot);
  assert.ok("ready" in plan, id);
  const [first, ...others] = plan.ready.map((probe): Probe => ({ ...probe, requestSeconds: 4 }));
  return [first ?? assert.fail(id), ...others];
}
