import type {
  V1Container,
  V1DaemonSet,
  V1Namespace,
  V1PodSpec,
  V1Service,
} from "@kubernetes/client-node";

import type { Os } from "../rows/row.ts";
import {
  hostPort,
  hostServerPort,
  namespace,
  podsServiceName,
  roleLabel,
  roleName,
  serverPort,
  serviceName,
} from "./names.ts";
import type { Part, Role } from "./names.ts";

/** A Kubernetes object of ours. */
export type Manifest = V1Namespace | V1DaemonSet | V1Service;

/** The namespace of all the rest. Nodes' own pods are in it, so that the strictest profile would refuse them. */
export function namespaceObject(): V1Namespace {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: namespace,
      labels: {
        "app.kubernetes.io/managed-by": "kindows",
        "pod-security.kubernetes.io/enforce": "privileged",
      },
    },
  };
}

/** DaemonSets of the roles, and the Services in front of those that serve. */
export function workloads(roles: readonly Role[], image: string): readonly Manifest[] {
  const systems = (of: Part): readonly Os[] =>
    roles.filter(({ part }) => part === of).map(({ os }) => os);
  return [
    ...roles.map((role) => daemonSet(role, image)),
    ...systems("server").flatMap((os) => [service(os), podsService(os)]),
    // No row goes to Linux' by a Service.
    ...systems("host-server").flatMap((os) => (os === "windows" ? [service(os, "host")] : [])),
  ];
}

/**
 * One pod of a role on each node of its system, whatever the node's taints.
 *
 * Without probes: kubelet's way to a pod is one of the rows, and must not decide over the others.
 */
export function daemonSet(role: Role, image: string): V1DaemonSet {
  const labels = { [roleLabel]: roleName(role) };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: roleName(role), namespace },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(role, image) },
    },
  };
}

function podSpec({ os, part }: Role, image: string): V1PodSpec {
  const onHost = part === "node" || part === "host-server";
  return {
    os: { name: os },
    nodeSelector: { "kubernetes.io/os": os },
    tolerations: [{ operator: "Exists" }],
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    ...(onHost && { hostNetwork: true }),
    ...(onHost &&
      os === "windows" && {
        securityContext: {
          windowsOptions: { hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM" },
        },
      }),
    containers: [container({ os, part }, image)],
  };
}

function container({ part }: Role, image: string): V1Container {
  const serves = part === "server" || part === "host-port" || part === "host-server";
  const port = part === "host-server" ? hostServerPort : serverPort;
  return {
    name: "agnhost",
    image,
    imagePullPolicy: "IfNotPresent",
    // Its UDP server is not asked, and does not start under Wine.
    args: serves ? ["netexec", `--http-port=${port}`, "--udp-port=-1"] : ["pause"],
    ...(serves && {
      ports: [{ containerPort: port, ...(part === "host-port" && { hostPort }) }],
    }),
  };
}

function service(os: Os, network?: "host"): V1Service {
  const onHost = network === "host";
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: serviceName(os, network), namespace },
    spec: {
      type: "NodePort",
      selector: serverLabels(os, onHost ? "host-server" : "server"),
      ports: [{ port: 80, targetPort: onHost ? hostServerPort : serverPort }],
    },
  };
}

function podsService(os: Os): V1Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: podsServiceName(os), namespace },
    spec: {
      clusterIP: "None",
      selector: serverLabels(os, "server"),
      ports: [{ port: serverPort }],
    },
  };
}

function serverLabels(os: Os, part: Part): Record<string, string> {
  return { [roleLabel]: roleName({ os, part }) };
}
