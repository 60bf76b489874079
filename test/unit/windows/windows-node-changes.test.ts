import assert from "node:assert/strict";
import { appendFile, cp } from "node:fs/promises";
import path from "node:path";
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { BootstrapToken } from "../../../components/controlplane/bootstrap-token.ts";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import { nodeScripts } from "../../../components/windows/steps.ts";
import { homeSource } from "../../../components/windows/steps-copy.ts";
import { stepsSource } from "../../../components/windows/steps-folder.ts";
import { WindowsNode, type WindowsNodeArgs } from "../../../components/windows/windows-node.ts";
import { commandProvider } from "../../../plugins/command/provider.ts";
import type { PropertyMap } from "../../../plugins/protocol/property-value.ts";
import { changesAfterUp, type ChangeAfterUp } from "../../engine/windows/changes-after-up.ts";
import type { Variation } from "../../engine/windows/nodes-program.ts";
import { record } from "../controlplane/recorded-resources.ts";
import { newFolder } from "../new-folder.ts";

const sources = [stepsSource, homeSource];
const versions = { kubernetes: "1.36.4", containerd: "2.4.2" };
const carried = (digit: string) =>
  ({ uri: "https://example.com/x.exe", sha256: digit.repeat(64), origin: "image" }) as const;
const software = {
  ...{ versions, pauseImage: "registry.k8s.io/pause:3.10.2", crictl: undefined },
  ...{ containerd: carried("1"), kubelet: carried("2"), kubeadm: carried("3") },
  kubeLogRunner: carried("4"),
};

/** Changes besides those of docs/preview.md. */
const furtherChanges: readonly (ChangeAfterUp & { readonly args: Partial<WindowsNodeArgs> })[] = [
  { name: "a taint", args: { taints: [] }, updates: ["win-1-join-node", "win-1-registration"] },
  { name: "an argument of the kubelet", args: { kubeletArgs: {} }, updates: ["win-1-join-node"] },
  {
    name: "another containerd",
    args: {
      software: {
        ...{ ...software, versions: { ...versions, containerd: "2.3.4" } },
        containerd: carried("e"),
      },
    },
    updates: ["win-1-install-containerd", "win-1-registration"],
  },
  {
    name: "another Kubernetes",
    args: { software: { ...software, versions: { ...versions, kubernetes: "1.35.1" } } },
    updates: ["win-1-install-kubernetes", "win-1-registration"],
  },
];

/** A step answers as its script would. */
function answer(command: string): string {
  const step = [...nodeScripts.keys()].find((each) => command.endsWith(each.toLowerCase()));
  const facts = { build: "10.0.20348", revision: 4405, version: "1", nodeName: "win-1" };
  return JSON.stringify({ step, changed: true, rebootRequired: false, seconds: 1, facts });
}

/** A node and what it stands on, as test/engine/windows/nodes-program.ts has them. */
function makeNode(
  { labels = { zone: "a" }, instance = "one", domain = "one", tokenMinutes = 60 }: Variation,
  args: Partial<WindowsNodeArgs>,
  opts: pulumi.ComponentResourceOptions,
): Promise<void> {
  const instanceId = pulumi.output(instance);
  new local.Command("identity", { triggers: [instance] }, opts);
  const machine = {
    ...{ name: "win-1", address: "192.168.150.10", instanceId },
    os: "windows" as const,
    connection: pulumi.secret({ host: "192.168.150.10" }),
    resource: new local.Command("machine", { triggers: [instanceId, domain] }, opts),
  };
  const controlPlane = {
    kubeconfig: pulumi.secret("users: admin"),
    endpoint: pulumi.output("kindows-test-control-plane:6443"),
    caCertHash: pulumi.output("sha256:5"),
    hostsEntries: pulumi.output([{ address: "192.168.150.128", name: "kindows-test-lb" }]),
    resource: new local.Command("control-plane", {}, opts),
  } as unknown as ControlPlane;
  const minting = { controlPlane, machine, ttlMinutes: tokenMinutes };
  const { token } = new BootstrapToken("token", minting);
  const taints = [{ key: "os", value: "windows", effect: "NoSchedule" }] as const;
  const more = { labels, taints, kubeletArgs: { "max-pods": "60" }, ...args };
  new WindowsNode("win-1", { machine, controlPlane, token, software, ...more }, opts);
  return Promise.resolve();
}

interface Inputs {
  readonly type: string;
  readonly values: PropertyMap;
}

/** The inputs of all resources that are no components, as the engine compares them, by the resource's name. */
async function inputsOf(
  to: Variation = {},
  args: Partial<WindowsNodeArgs> = {},
): Promise<ReadonlyMap<string, Inputs>> {
  const { resources } = await record(answer, (opts) => makeNode(to, args, opts));
  const found = new Map<string, Inputs>();
  for (const [key, { inputs, opts }] of resources) {
    const [type = "", name = ""] = key.split("/");
    if (!type.startsWith("command:")) continue;
    const values: Record<string, unknown> = {};
    for (const [input, value] of Object.entries(inputs)) {
      if (opts.ignoreChanges?.includes(input) === true) continue;
      // By its hash for the engine; it is at another path when it is another.
      values[input] = value instanceof pulumi.asset.FileArchive ? await value.path : value;
    }
    found.set(name, { type, values: values as PropertyMap });
  }
  return found;
}

/** What the plugin makes of other inputs than before. */
async function planned(
  before: ReadonlyMap<string, Inputs>,
  now: ReadonlyMap<string, Inputs>,
): Promise<Readonly<Record<"updates" | "replaces", readonly string[]>>> {
  assert.deepEqual([...now.keys()], [...before.keys()]);
  const plan = { updates: [] as string[], replaces: [] as string[] };
  for (const [id, { type, values: news }] of now) {
    const { values: olds } = before.get(id) ?? assert.fail();
    const request = { id, oldInputs: olds, olds, news };
    const { changes } = await commandProvider.resourceType(type).diff(request);
    if (changes.length === 0) continue;
    plan[changes.some(({ replaces }) => replaces) ? "replaces" : "updates"].push(id);
  }
  return { updates: plan.updates.sort(), replaces: plan.replaces.sort() };
}

/** Which resources a change is about: by their inputs alone, as the command plugin compares them. */
describe("what a change plans on a Windows node that is up", () => {
  const repository = process.cwd();
  let project: string;
  let asItIs: ReadonlyMap<string, Inputs>;

  before(async () => (asItIs = await inputsOf()));
  beforeEach(async () => {
    project = newFolder();
    await Promise.all(
      sources.map((source) => cp(source, path.join(project, source), { recursive: true })),
    );
    process.chdir(project);
  });
  afterEach(() => process.chdir(repository));

  const changes = [...changesAfterUp.map((each) => ({ ...each, args: {} })), ...furtherChanges];
  for (const { name, to, args, edited, updates = [], replaces = [] } of changes) {
    it(`${name}: ${updates.length} updated, ${replaces.length} replaced`, async () => {
      if (edited !== undefined) await appendFile(path.join(stepsSource, edited), " ");
      assert.deepEqual(await planned(asItIs, await inputsOf(to, args)), {
        updates: [...updates].sort(),
        replaces: [...replaces].sort(),
      });
    });
  }
});
