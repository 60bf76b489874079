import assert from "node:assert/strict";
import { appendFile, cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { homeSource } from "../../../components/windows/steps-copy.ts";
import { stepsSource } from "../../../components/windows/steps-folder.ts";
import type { WindowsNodeArgs } from "../../../components/windows/windows-node.ts";
import { commandProvider } from "../../../plugins/command/provider.ts";
import type { PropertyMap } from "../../../plugins/protocol/property-value.ts";
import {
  makeNode,
  nodeCommands,
  nodeResources,
  software,
  startMocks,
  valueOf,
} from "./windows-node-mocks.ts";

const copies = ["home", "steps"];
const steps = nodeCommands.map((name) => name.replace("node-", ""));
const sources = [stepsSource, homeSource];

/** What a change does to the resources of a node that is up; what is only `same` is left out. */
interface Planned {
  readonly updates?: readonly string[];
  readonly replaces?: readonly string[];
}

interface Change extends Planned {
  readonly name: string;
  /** What the program says from now on. */
  readonly to?: () => Partial<WindowsNodeArgs>;
  /** A file of the steps that gets one byte more. */
  readonly edited?: string;
}

const otherArchive = { ...software.containerd, sha256: "e".repeat(64) };

/** Each alone, on a node that is up. */
const changes: readonly Change[] = [
  { name: "nothing" },
  {
    name: "a label",
    to: () => ({ labels: { zone: "b" } }),
    updates: ["join-node", "registration"],
  },
  {
    name: "a taint",
    to: () => ({ taints: [] }),
    updates: ["join-node", "registration"],
  },
  {
    name: "an argument of the kubelet",
    to: () => ({ kubeletArgs: {} }),
    updates: ["join-node"],
  },
  {
    name: "another containerd",
    to: () => ({
      software: {
        ...software,
        versions: { ...software.versions, containerd: "2.3.4" },
        containerd: otherArchive,
      },
    }),
    updates: ["install-containerd", "registration"],
  },
  {
    name: "another Kubernetes",
    to: () => ({
      software: { ...software, versions: { ...software.versions, kubernetes: "1.35.1" } },
    }),
    updates: ["install-kubernetes", "registration"],
  },
  ...["Install-Kubernetes", "Join-Node"].map((step) => ({
    name: `a byte in ${step}.ps1`,
    edited: `${step}.ps1`,
    updates: [...copies, step.toLowerCase()],
  })),
  // It undoes the first step.
  {
    name: "a byte in Reset-Node.ps1",
    edited: "Reset-Node.ps1",
    updates: [...copies, "test-windowshost"],
  },
  { name: "a byte in Export-NodeLog.ps1", edited: "Export-NodeLog.ps1", updates: copies },
  {
    name: "a byte in lib/KubeadmJoin.ps1",
    edited: "lib/KubeadmJoin.ps1",
    updates: [...copies, "join-node"],
  },
  {
    name: "a byte in lib/Step.ps1, which every step has",
    edited: "lib/Step.ps1",
    updates: [...copies, ...steps],
  },
  {
    name: "a new machine",
    to: () => ({ machine: { ...makeNode().machine, instanceId: pulumi.output("machine-2") } }),
    replaces: nodeResources.map((name) => name.replace("node-", "")),
  },
];

interface Inputs {
  readonly type: string;
  readonly values: PropertyMap;
}

/** The inputs of a node's resources as the engine would get them, by the resource's name. */
async function inputsOf(to: Partial<WindowsNodeArgs>): Promise<ReadonlyMap<string, Inputs>> {
  const inputs = new Map<string, Inputs>();
  for (const [name, { type, props, opts }] of makeNode(to).resources) {
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
function planned(
  before: ReadonlyMap<string, Inputs>,
  now: ReadonlyMap<string, Inputs>,
): Required<Planned> {
  assert.deepEqual([...now.keys()], [...before.keys()]);
  const changed = [...now].flatMap(([id, { type, values: news }]) => {
    const { values: olds } = before.get(id) ?? assert.fail();
    const diff = commandProvider.resourceType(type).diff({ id, oldInputs: olds, olds, news });
    const replaced = diff.changes.some(({ replaces }) => replaces);
    return diff.changes.length === 0 ? [] : [{ name: id.replace("node-", ""), replaced }];
  });
  const names = (kind: boolean): string[] =>
    changed.filter(({ replaced }) => replaced === kind).map(({ name }) => name);
  return { updates: names(false), replaces: names(true) };
}

/** Which resources a change is about, as the command plugin sees it: by their inputs alone. */
describe("what a change plans on a Windows node that is up", () => {
  const repository = process.cwd();
  let project: string;
  let asItIs: ReadonlyMap<string, Inputs>;

  before(async () => {
    await startMocks(false);
    asItIs = await inputsOf({});
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

  for (const { name, to, edited, updates = [], replaces = [] } of changes) {
    it(`${name}: ${updates.length} updated, ${replaces.length} made anew`, async () => {
      if (edited !== undefined) await appendFile(path.join(stepsSource, edited), " ");
      const found = planned(asItIs, await inputsOf(to?.() ?? {}));
      assert.deepEqual(found.updates.toSorted(), [...updates].sort());
      assert.deepEqual(found.replaces.toSorted(), [...replaces].sort());
    });
  }
});
