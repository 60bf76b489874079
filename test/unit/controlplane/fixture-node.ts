import * as pulumi from "@pulumi/pulumi";
import { Provider } from "@pulumi/kubernetes/provider.js";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import type { Machine } from "../../../components/machine/machine.ts";
import type { JoinedToCluster } from "../../../components/node/daemon-set-on-nodes.ts";
import { Anything } from "./recorded-resources.ts";

/** The fixtures' secrets, which tests search for where they must not be. */
export const secrets = {
  token: "abcdef.0123456789abcdef",
  key: "PRIVATE KEY",
  kubeconfig: "users: admin",
};

/** A control plane of the same program. */
export function controlPlaneFixture(): ControlPlane {
  return {
    kubeconfig: pulumi.secret(secrets.kubeconfig),
    endpoint: pulumi.output("kindows-test-control-plane:6443"),
    caCertHash: pulumi.output(`sha256:${"5".repeat(64)}`),
    kubernetesVersion: "1.36.4",
    hostsEntries: pulumi.output([
      { address: "192.168.150.128", name: "kindows-test-control-plane" },
      { address: "192.168.150.129", name: "kindows-test-lb" },
    ]),
    provider: new Provider("cp", {}),
    resource: new Anything("control-plane"),
    podCidr: "10.244.0.0/16",
    serviceCidr: "10.96.0.0/16",
  };
}

/** A machine of the same program: `win-1` or `linux-1`. */
export function machineFixture(os: Machine["os"]): Machine {
  const address = "192.168.150.10";
  return {
    name: os === "windows" ? "win-1" : "linux-1",
    os,
    address,
    connection: pulumi.secret({ host: address, privateKey: secrets.key, dialErrorLimit: -1 }),
    hostKey: pulumi.output("ssh-ed25519 AAAA"),
    instanceId: pulumi.output("machine-1"),
    resource: new Anything("machine"),
  };
}

/** A Windows node of the same program. */
export function joinedNode(): JoinedToCluster {
  return { name: "win-1", joinId: pulumi.output("abcdef"), registered: new Anything("win-1") };
}

/** Output of the step that a command runs. @param facts by step */
export function stepAnswer(
  command: unknown,
  name: RegExp,
  facts: Readonly<Record<string, object>>,
): string {
  const step = name.exec(String(command))?.[1] ?? "";
  const end = { changed: true, rebootRequired: false, seconds: 1 };
  const result = { step, ...end, facts: facts[step] ?? {} };
  return `a line\r\n${JSON.stringify(result)}\r\n`;
}
