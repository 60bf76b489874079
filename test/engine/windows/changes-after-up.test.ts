import assert from "node:assert/strict";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { EngineRun } from "../plugins/support/engine.ts";
import { NodeLab } from "./node-lab.ts";
import { changesAfterUp } from "./changes-after-up.ts";
import type { Variation } from "./node-program.ts";

/** What is done to which resources; what is only `same` is left out. */
type Planned = Readonly<Record<string, readonly string[]>>;

/** What an operation does, by the resource's name; the component `win-1` does nothing of its own. */
function planned({ steps: done }: EngineRun): Planned {
  const names = (...operations: string[]): string[] =>
    Object.entries(done)
      .filter(([name, list]) => name !== "win-1" && list.some((each) => operations.includes(each)))
      .map(([name]) => name)
      .sort();
  return {
    creates: names("create"),
    updates: names("update"),
    replaces: names("replace", "create-replacement"),
    deletes: names("delete"),
  };
}

/** What a change plans on a node that is up, seen by the real engine with its state. */
describe("what a change of settings plans after an up", function () {
  this.timeout(120_000);
  let lab: NodeLab;

  const inSteps = (file: string): string =>
    path.join(lab.project.folder, "components/windows/steps", file);

  before(async () => {
    lab = await NodeLab.start();
    await lab.up();
  });
  after(() => lab.dispose());

  async function preview(variation: Variation): Promise<EngineRun> {
    await lab.project.program(lab.program(variation));
    const run = await lab.project.preview();
    assert.equal(run.exitCode, 0, run.text);
    return run;
  }

  for (const { name, to = {}, edited, updates = [], replaces = [] } of changesAfterUp) {
    it(`${name}: ${updates.length} updated, ${replaces.length} made anew`, async () => {
      const file = edited === undefined ? undefined : inSteps(edited);
      const before = file === undefined ? "" : await readFile(file, "utf8");
      try {
        if (file !== undefined) await appendFile(file, " ");
        assert.deepEqual(planned(await preview(to)), {
          creates: [],
          updates: [...updates].sort(),
          replaces: [...replaces].sort(),
          deletes: [],
        });
      } finally {
        if (file !== undefined) await writeFile(file, before);
      }
    });
  }

  it("does what was planned, and nothing else, for a script that is edited", async () => {
    await appendFile(inSteps("Install-Kubernetes.ps1"), " ");
    const run = await lab.up();
    assert.deepEqual(planned(run).updates, [
      "win-1-home",
      "win-1-install-kubernetes",
      "win-1-steps",
    ]);
    assert.equal(lab.host.nodes.length, 1);
    assert.deepEqual(planned(await preview({})), {
      creates: [],
      updates: [],
      replaces: [],
      deletes: [],
    });
  });

  it("mints a token for a new machine in a new cluster with the life asked for, in that cluster", async () => {
    const to: Variation = {
      instance: "two",
      cluster: "two",
      kubeconfig: "secret of another cluster",
      tokenMinutes: 20,
    };
    await lab.up(to);
    const written = await readFile(path.join(lab.project.folder, "minted"), "utf8");
    const minted = written.trim().split("\n");
    assert.equal(minted.length, 2);
    assert.match(minted.at(-1) ?? "", /"ttlMinutes":20.* in secret of another cluster$/);
    assert.match(minted[0] ?? "", /"ttlMinutes":60.* in secret of the cluster$/);
  });
});
