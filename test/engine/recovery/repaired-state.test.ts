import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { LabThing } from "../../../cli/lab/lab-thing.ts";
import { parseDeployment } from "../../../cli/recovery/deployment.ts";
import type { Extent } from "../../../cli/recovery/forget.ts";
import { repairState } from "../../../cli/recovery/repair.ts";
import { exists, startOperation } from "./running-operation.ts";
import { scratchProject } from "./scratch-project.ts";
import type { ScratchProject } from "./scratch-project.ts";

/** A cluster as the state knows one (by its host action), something in it, something built on it, and neither. */
const labWithCluster = `
const made = (name) => "touch " + file(name);
const gone = (name) => "rm -f " + file(name);
const cluster = new Command("cluster", {
  create: made("cluster") + " # create-kind-cluster.ts",
  delete: gone("cluster"),
  environment: { CLUSTER: JSON.stringify({ name: "kindows-t", controlPlanes: 1 }) },
});
new Command("token", { create: made("token"), delete: gone("token"), triggers: [cluster.stdout] }, { deletedWith: cluster });
new Command("join", { create: made("join"), delete: gone("join") }, { dependsOn: cluster });
new Command("key", { create: made("key"), delete: gone("key") });
`;

const container: LabThing = {
  kind: "docker container",
  name: "kindows-t-control-plane",
  lab: "kindows-t",
  identity: "docker container kindows-t-control-plane",
};

describe("a state that was repaired", function () {
  this.timeout(60_000);

  let project: ScratchProject;
  before(async () => {
    project = await scratchProject();
    await project.program(labWithCluster);
  });
  after(async () => {
    await project.dispose();
  });

  const run = async (operation: string): Promise<string> => {
    const { exitCode, output } = await startOperation(project, [
      operation,
      "--yes",
      "--skip-preview",
    ]).end;
    assert.equal(exitCode, 0, output);
    return output;
  };
  const inProject = (name: string): string => path.join(project.folder, name);
  const present = async (): Promise<readonly string[]> => {
    const names = ["cluster", "token", "join", "key"];
    const there = await Promise.all(names.map((name) => exists(inProject(name))));
    return names.filter((_, index) => there[index]);
  };
  const repair = async (
    things: readonly LabThing[],
    extent: Extent,
  ): Promise<readonly string[]> => {
    const before = parseDeployment(await project.pulumi.state(["stack", "export"]));
    const { deployment, notes } = repairState(before, { things, blind: [] }, extent);
    await project.pulumi.state(["stack", "import"], JSON.stringify(deployment));
    return notes;
  };

  it("is left as it is while the cluster is there, and up changes nothing", async () => {
    await run("up");
    assert.deepEqual(await repair([container], "built-on"), []);
    const output = await run("up");
    assert.match(output, /5 unchanged/);
  });

  it("lets up make a vanished cluster, and all that was built on it, anew", async () => {
    await Promise.all(["cluster", "token", "join", "key"].map((name) => rm(inProject(name))));
    assert.deepEqual(await repair([], "built-on"), [
      "gone from this host: Command cluster (docker container kindows-t-control-plane)",
    ]);
    assert.deepEqual(await project.resources(), ["key"]);
    await run("up");
    assert.deepEqual(await present(), ["cluster", "token", "join"], "the key was not made again");
  });

  it("lets destroy go round a vanished cluster, and take away what does not go with it", async () => {
    await Promise.all(["cluster", "token"].map((name) => rm(inProject(name))));
    await repair([], "deleted-with");
    assert.deepEqual([...(await project.resources())].sort(), ["join", "key"]);
    await run("destroy");
    assert.deepEqual(await project.resources(), []);
    assert.deepEqual(await present(), []);
  });
});
