import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import type { Machine } from "../../../components/machine/machine.ts";
import type { WindowsSoftware } from "../../../components/windows/software.ts";
import { stepNames } from "../../../rehearsal/host/step-names.ts";
import { WindowsNode, type WindowsNodeArgs } from "../../../components/windows/windows-node.ts";

/** Secrets of the test, to be looked for where they must not be. */
export const secrets = {
  token: "abcdef.0123456789abcdef",
  key: "PRIVATE KEY",
  kubeconfig: "users: admin",
};

/** Waits for every registration under way; the SDK has it, its types do not. */
const { waitForRPCs } = pulumi.runtime as unknown as { waitForRPCs: () => Promise<void> };

/** What a resource was registered with. */
export interface Registered {
  readonly type: string;
  readonly props: Readonly<Record<string, unknown>>;
  readonly opts: pulumi.CustomResourceOptions;
  readonly resource: pulumi.Resource;
}

/** A node made under mocks. */
export interface MockedNode {
  readonly node: WindowsNode;
  readonly resources: ReadonlyMap<string, Registered>;
  readonly machine: Machine;
  readonly controlPlane: ControlPlane;
}

/** The resources of a node, in the order in which they may run. */
export const nodeResources = [
  "node-home",
  "node-steps",
  "node-test-windowshost",
  "node-enable-containersfeature",
  "node-confirm-reboot",
  "node-install-containerd",
  "node-install-kubernetes",
  "node-set-hostsentry",
  "node-join-node",
  "node-registration",
  "node-ready",
];

/** Those that are commands on its machine. */
export const nodeCommands = nodeResources.slice(2, -2);

const sha = (digit: string): string => digit.repeat(64);

export const software: WindowsSoftware = {
  versions: { kubernetes: "1.36.4", containerd: "2.4.2" },
  pauseImage: "registry.k8s.io/pause:3.10.2",
  containerd: { uri: "https://example.com/containerd.tar.gz", sha256: sha("1"), origin: "image" },
  kubelet: { uri: "https://example.com/kubelet.exe", sha256: sha("2"), origin: "image" },
  kubeadm: { uri: "https://example.com/kubeadm.exe", sha256: sha("3"), origin: "image" },
  kubeLogRunner: {
    uri: "https://example.com/kube-log-runner.exe",
    sha256: sha("4"),
    origin: "image",
  },
  crictl: undefined,
};

/** Facts by step: those that the pipeline reads, and no others. */
export const stepFacts: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "Test-WindowsHost": { build: "10.0.20348", revision: 4405 },
  "Install-Containerd": { version: "2.4.2" },
  "Install-Kubernetes": { version: "1.36.4" },
  "Join-Node": { nodeName: "win-1" },
};

/** Runs the engine's side: a step answers as its script would. */
export async function startMocks(preview: boolean): Promise<void> {
  // What is under way would not find again what the mocks before have made.
  await waitForRPCs();
  await pulumi.runtime.setMocks(
    {
      call: ({ inputs }) => inputs as Record<string, unknown>,
      newResource: ({ name, inputs }) => {
        const state = inputs as Record<string, unknown>;
        const step =
          /\\([A-Za-z-]+)\.ps1/.exec(String(state["create"]))?.[1] ??
          // A preview may not know the command yet.
          stepNames.find((each) => name.endsWith(each.toLowerCase())) ??
          "";
        const result = {
          step,
          changed: true,
          rebootRequired: false,
          seconds: 1,
          facts: stepFacts[step] ?? {},
        };
        return {
          id: `${name}-id`,
          state: { ...state, stdout: `a line\r\n${JSON.stringify(result)}\r` },
        };
      },
    },
    "kindows",
    "test",
    preview,
  );
  // The SDK's mocks know no hooks: this engine takes them, and calls none.
  const monitor = (
    pulumi.runtime as unknown as { getMonitor(): Record<string, unknown> }
  ).getMonitor();
  monitor["registerResourceHook"] = (_hook: unknown, done: (error: null) => void): void => {
    done(null);
  };
}

class Anything extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Anything", name, {});
  }
}

/** Makes a WindowsNode and records how each of its resources was registered. */
export function makeNode(
  change: Partial<WindowsNodeArgs> = {},
  os: Machine["os"] = "windows",
): MockedNode {
  const resources = new Map<string, Registered>();
  const machine: Machine = {
    name: "win-1",
    os,
    address: "192.168.150.10",
    connection: pulumi.secret({
      host: "192.168.150.10",
      privateKey: secrets.key,
      dialErrorLimit: -1,
    }),
    instanceId: pulumi.output("machine-1"),
    resource: new Anything("machine"),
  };
  const controlPlane = {
    kubeconfig: pulumi.secret(secrets.kubeconfig),
    endpoint: pulumi.output("kindows-test-control-plane:6443"),
    caCertHash: pulumi.output(`sha256:${sha("5")}`),
    kubernetesVersion: "1.36.4",
    hostsEntries: pulumi.output([
      { address: "192.168.150.128", name: "kindows-test-control-plane" },
      { address: "192.168.150.129", name: "kindows-test-lb" },
    ]),
    resource: new Anything("control-plane"),
    podCidr: "10.244.0.0/16",
    serviceCidr: "10.96.0.0/16",
    // No part of a node: whoever installs into the cluster uses it.
    provider: undefined as unknown as ControlPlane["provider"],
  } satisfies ControlPlane;
  const record: pulumi.ResourceTransformation = ({ type, name, props, opts, resource }) => {
    resources.set(name, {
      type,
      props: props,
      opts: opts,
      resource,
    });
    return undefined;
  };
  const node = new WindowsNode(
    "node",
    {
      machine,
      controlPlane,
      token: pulumi.secret(secrets.token),
      software,
      labels: { "example.com/pool": "a", zone: "b" },
      taints: [{ key: "os", value: "windows", effect: "NoSchedule" }],
      kubeletArgs: { "max-pods": "60" },
      ...change,
    },
    { transformations: [record] },
  );
  return { node, resources, machine, controlPlane };
}

/** One of its resources, which must be there. */
export function registered({ resources }: MockedNode, name: string): Registered {
  const found = resources.get(name);
  if (found === undefined) throw new Error(`there is no resource ${name}`);
  return found;
}

/** Value of an input once it is known; undefined in a preview of one that is not. */
export function valueOf<T>(input: pulumi.Input<T>): Promise<T | undefined> {
  const output = pulumi.output(input) as pulumi.Output<T>;
  return new Promise((resolve, reject) => {
    // `apply` does not run for values that are not known.
    const known = (output as unknown as { isKnown: Promise<boolean> }).isKnown;
    known.then((is) => (is ? output.apply(resolve) : resolve(undefined)), reject);
  });
}
