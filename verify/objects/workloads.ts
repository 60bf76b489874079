import type {
  V1Container,
  V1DaemonSet,
  V1Namespace,
  V1PodSpec,
  V1Service,
  V1ServiceSpec,
} from "@kubernetes/client-node";

import {
  hostPort,
  hostServerPort,
  namespace,
  podsServiceName,
  roleLabels,
  roleName,
  serverPort,
  serviceName,
  type Part,
  type Role,
} from "./names.ts";
import type { Os } from "./names.ts";
import { isolatedPorts } from "../rows/policy-cases.ts";

type Manifest = V1Namespace | V1DaemonSet | V1Service;

/** The namespace is privileged, because stricter pod security levels would refuse its host-network pods. */
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

export function workloads(roles: readonly Role[], image: string): readonly Manifest[] {
  const systems = (of: Part): readonly Os[] =>
    roles.filter(({ part }) => part === of).map(({ os }) => os);
  return [
    ...roles.map((role) => daemonSet(role, image)),
    ...systems("server").flatMap((os) => [nodePortService(os), headlessService(os)]),
    // No row uses a Service for the host-network servers on Linux.
    ...systems("host-server").flatMap((os) =>
      os === "windows" ? [nodePortService(os, "host")] : [],
    ),
  ];
}

/**
 * One pod of a role on each node of its system, regardless of taints.
 *
 * The pods have no probes, because a broken path from kubelet to a pod must fail only the row that tests it.
 */
function daemonSet(role: Role, image: string): V1DaemonSet {
  const labels = roleLabels(role.os, role.part);
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

function podSpec(role: Role, image: string): V1PodSpec {
  const { os, part } = role;
  const hostNetwork = part === "node" || part === "host-server";
  const windowsOptions = { hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM" };
  return {
    os: { name: os },
    nodeSelector: { "kubernetes.io/os": os },
    tolerations: [{ operator: "Exists" }],
    // Removing the firewall rule takes a moment.
    terminationGracePeriodSeconds: part === "host-server" && os === "windows" ? 15 : 1,
    automountServiceAccountToken: false,
    ...(hostNetwork && { hostNetwork }),
    ...(hostNetwork && os === "windows" && { securityContext: { windowsOptions } }),
    containers: [container(role, image)],
  };
}

function container({ os, part }: Role, image: string): V1Container {
  const serves = part !== "node";
  const port = part === "host-server" ? hostServerPort : serverPort;
  const ports = part === "isolated" ? isolatedPorts : [port];
  // agnhost's UDP server is not used.
  const server = ["netexec", `--http-port=${port}`, "--udp-port=-1"];
  const args = part === "isolated" ? ["porter"] : serves ? server : ["pause"];
  const isHostProcess = os === "windows" && (part === "node" || part === "host-server");
  return {
    name: "agnhost",
    image,
    imagePullPolicy: "IfNotPresent",
    ...(isHostProcess
      ? { command: hostProcessCommand(args, serves ? port : undefined) }
      : { args }),
    ...(isHostProcess &&
      serves && {
        lifecycle: { preStop: { exec: { command: [...firewallRule("delete")] } } },
        // The server starts long after the container, because netsh and the copy come first. A rehearsed node answers late
        // while its pods start.
        readinessProbe: {
          httpGet: { path: "/hostname", port },
          periodSeconds: 1,
          timeoutSeconds: 10,
        },
      }),
    // porter serves the value of SERVE_PORT_<port> on each port.
    ...(part === "isolated" && {
      env: ports.map((each) => ({
        name: `SERVE_PORT_${each}`,
        valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
      })),
    }),
    ...(serves && {
      ports: ports.map((containerPort) => ({
        containerPort,
        ...(part === "host-port" && { hostPort }),
      })),
    }),
  };
}

/**
 * Command of a HostProcess container. Since Server 2022, hcsshim runs each command with cmd.exe, which does not start
 * the program in agnhost's image because its name has no extension. So it is copied first, as in Kubernetes' own tests
 * (test/e2e/windows/host_process.go).
 *
 * @param port a port to open in the node's firewall. Default: none.
 */
function hostProcessCommand(args: readonly string[], port?: number): string[] {
  const program = "%CONTAINER_SANDBOX_MOUNT_POINT%\\agnhost";
  const allowed = ["dir=in", "action=allow", "protocol=TCP", `localport=${port}`];
  return [
    ...["cmd", "/C", ...(port === undefined ? [] : [...firewallRule("add"), ...allowed, "&"])],
    ...["copy", "/Y", program, `${program}.exe`, "&&", `${program}.exe`, ...args],
  ];
}

/** The beginning of a netsh command for the firewall rule, which is named after `namespace`. */
function firewallRule(verb: "add" | "delete"): readonly string[] {
  return ["netsh", "advfirewall", "firewall", verb, "rule", `name=${namespace}`];
}

function service(name: string, spec: V1ServiceSpec): V1Service {
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec };
}

function nodePortService(os: Os, network?: "host"): V1Service {
  const onHost = network === "host";
  return service(serviceName(os, network), {
    type: "NodePort",
    selector: roleLabels(os, onHost ? "host-server" : "server"),
    ports: [{ port: 80, targetPort: onHost ? hostServerPort : serverPort }],
  });
}

function headlessService(os: Os): V1Service {
  const selector = roleLabels(os, "server");
  const ports = [{ port: serverPort }];
  return service(podsServiceName(os), { clusterIP: "None", selector, ports });
}
