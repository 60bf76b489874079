import assert from "node:assert/strict";
import { appendFile, cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { BootstrapToken } from "../../../components/controlplane/bootstrap-token.ts";
import { homeSource } from "../../../components/windows/steps-copy.ts";
import { stepsSource } from "../../../components/windows/steps-folder.ts";
import type { WindowsNodeArgs } from "../../../components/windows/windows-node.ts";
import { commandProvider } from "../../../plugins/command/provider.ts";
import type { PropertyMap } from "../../../plugins/protocol/property-value.ts";
import { changesAfterUp, type ChangeAfterUp } from "../../engine/windows/changes-after-up.ts";
import type { Variation } from "../../engine/windows/nodes-program.ts";
import { makeNode, software, startMocks, valueOf, type Registered } from "./windows-node-mocks.ts";

const { versions, containerd } = software;
const sources = [stepsSource, homeSource];

/** Changes besides those of docs/preview.md. */
const furtherChanges: readonly (ChangeAfterUp & { readonly args: Partial<WindowsNodeArgs> })[] = [
  { name: "a taint", args: { taints: [] }, updates: ["win-1-join-node", "win-1-registration"] },
  { name: "an argument of the kubelet", args: { kubeletArgs: {} }, updates: ["win-1-join-node"] },
  {
    name: "another containerd",
    args: {
      software: {
        ...{ ...software, versions: { ...versions, containerd: "2.3.4" } },
        containerd: { ...containerd, sha256: "e".repeat(64) },
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

/** A node and what it stands on, as test/engine/windows/nodes-program.ts has them. */
function resources(
  { labels = { zone: "a" }, instance = "one", domain = "one", tokenMinutes = 60 }: Variation,
  args: Partial<WindowsNodeArgs>,
): ReadonlyMap<string, Registered> {
  const { machine, controlPlane } = makeNode();
  const below = new Map<string, Registered>();
  const transformations: pulumi.ResourceTransformation[] = [
    ({ type, name, props, opts, resource }) => {
      below.set(name, { type, props, opts, resource });
      return undefined;
    },
  ];
  const instanceId = pulumi.output(instance);
  new local.Command("identity", { triggers: [instance] }, { transformations });
  new local.Command("machine", { triggers: [instanceId, domain] }, { transformations });
  const { token } = new BootstrapToken(
    "token",
    { controlPlane, nodeName: "win-1", instanceId, ttlMinutes: tokenMinutes },
    { transformations },
  );
  const made = makeNode({ machine: { ...machine, instanceId }, labels, token, ...args });
  const named = [...made.resources].map(
    ([name, each]) => [name.replace("node-", "win-1-"), each] as const,
  );
  return new Map([...below, ...named]);
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
  const inputs = new Map<string, Inputs>();
  for (const [name, { type, props, opts }] of resources(to, args)) {
    const values: Record<string, unknown> = {};
    for (const [key, input] of Object.entries(props)) {
      if (opts.ignoreChanges?.includes(key) === true) continue;
      const value = await valueOf(input);
      values[key] = value instanceof pulumi.asset.FileArchive ? await value.path : value;
    }
    if (type.startsWith("command:")) inputs.set(name, { type, values: values as PropertyMap });
  }
  return inputs;
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

  before(async () => {
    await startMocks(false);
    asItIs = await inputsOf();
  });
  beforeEach(async () => {
    project = await mkdtemp(path.join(os.tmpdir(), "kindows-changes-"));
    await Promise.all(
      sources.map((source) => cp(source, path.join(project, source), { recursive: true })),
    );
    process.chdir(project);
  });
  afterEach(async () => {
    process.chdir(repository);
    await rm(project, { recursive: true });
  });

  const changes = [...changesAfterUp.map((each) => ({ ...each, args: {} })), ...furtherChanges];
  for (const { name, to, args, edited, updates = [], replaces = [] } of changes) {
    it(`${name}: ${updates.length} updated, ${replaces.length} made anew`, async () => {
      if (edited !== undefined) await appendFile(path.join(stepsSource, edited), " ");
      assert.deepEqual(await planned(asItIs, await inputsOf(to, args)), {
        updates: [...updates].sort(),
        replaces: [...replaces].sort(),
      });
    });
  }
});
