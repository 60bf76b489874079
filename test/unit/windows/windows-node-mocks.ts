import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import type { Machine } from "../../../components/machine/machine.ts";
import type { WindowsSoftware } from "../../../components/windows/software.ts";
import { WindowsNode, type WindowsNodeArgs } from "../../../components/windows/windows-node.ts";
import {
  controlPlaneFixture,
  machineFixture,
  secrets,
  stepAnswer,
} from "../controlplane/fixture-node.ts";
import { record, type Recorded } from "../controlplane/recorded-resources.ts";

/** A node made with mocks. */
export interface MockedNode {
  readonly node: WindowsNode;
  /** The node and its resources, in the order in which they may run. */
  readonly names: readonly string[];
  readonly machine: Machine;
  readonly controlPlane: ControlPlane;
  readonly get: (name: string) => Recorded;
  /** Command line that creates one of them; undefined if a preview does not know it. */
  readonly create: (name: string) => string | undefined;
  readonly needs: (name: string) => readonly unknown[];
  /** Fails if one of these does not wait for the one before it. */
  readonly assertChain: (...names: readonly string[]) => void;
}

/** The resources of a node, in the order in which they may run. */
export const nodeResources = [
  ...["node-home", "node-steps", "node-test-windowshost", "node-enable-containersfeature"],
  ...["node-confirm-reboot", "node-install-containerd", "node-install-kubernetes"],
  ...["node-set-hostsentry", "node-join-node", "node-registration", "node-ready"],
];

export const nodeCommands = nodeResources.slice(2, -2);

const carried = (name: string, digit: string) =>
  ({ uri: `https://example.com/${name}`, sha256: digit.repeat(64), origin: "image" }) as const;

export const software: WindowsSoftware = {
  versions: { kubernetes: "1.36.4", containerd: "2.4.2" },
  pauseImage: "registry.k8s.io/pause:3.10.2",
  containerd: carried("containerd.tar.gz", "1"),
  kubelet: carried("kubelet.exe", "2"),
  kubeadm: carried("kubeadm.exe", "3"),
  kubeLogRunner: carried("kube-log-runner.exe", "4"),
  crictl: undefined,
};

export const flannelSoftware = {
  flannel: carried("flannel.tar.gz", "a"),
  flannelPlugin: carried("plugin.tgz", "b"),
  cniPlugins: carried("plugins.tgz", "c"),
};

/** Facts by step; only those that the pipeline reads. */
export const stepFacts: Readonly<Record<string, object>> = {
  "Test-WindowsHost": { build: "10.0.20348", revision: 4405 },
  "Install-Containerd": { version: "2.4.2" },
  "Install-Kubernetes": { version: "1.36.4" },
  "Join-Node": { nodeName: "win-1" },
};

/** Output of a step. */
export const printed = (_name: string, inputs: Recorded["inputs"]): string =>
  stepAnswer(inputs["create"], /\\([A-Za-z-]+)\.ps1/, stepFacts);

/** A node's default arguments. */
export const usualArgs = (os: Machine["os"] = "windows"): WindowsNodeArgs => ({
  machine: { ...machineFixture(os), name: "win-1" },
  controlPlane: controlPlaneFixture(),
  token: pulumi.secret(secrets.token),
  software,
  labels: { "example.com/pool": "a", zone: "b" },
  taints: [{ key: "os", value: "windows", effect: "NoSchedule" }],
  kubeletArgs: { "max-pods": "60" },
});

/** Makes a WindowsNode and records how each of its resources was registered. */
export async function makeNode(
  change: Partial<WindowsNodeArgs> = {},
  { os = "windows", preview = false }: { os?: Machine["os"]; preview?: boolean } = {},
): Promise<MockedNode> {
  const make = (opts: pulumi.ComponentResourceOptions) => {
    const { machine, controlPlane, ...others } = usualArgs(os);
    const args = { machine, controlPlane, ...others, ...change };
    return { machine, controlPlane, node: new WindowsNode("node", args, opts) };
  };
  const { made, resources } = await record(printed, make, preview);
  const own = [...resources]
    .map(([key, resource]) => [key.split("/").at(-1) ?? "", resource] as const)
    .filter(([name]) => /^node(-|$)/.test(name));
  const byName = new Map(own);
  const get = (name: string): Recorded => byName.get(name) ?? assert.fail(`there is no ${name}`);
  const needs = (name: string): unknown[] => [get(name).opts.dependsOn ?? []].flat();
  return {
    ...made,
    names: [...byName.keys()],
    get,
    create: (name) => get(name).inputs["create"] as string | undefined,
    needs,
    assertChain: (...names) => {
      for (const [index, name] of names.slice(1).entries()) {
        assert.ok(needs(name).includes(get(names[index] ?? "").resource), name);
      }
    },
  };
}
