import assert from "node:assert/strict";
import path from "node:path";
import { projectRoot } from "../../../toolchain/project.ts";
import { EngineProject, type EngineRun } from "../plugins/support/engine.ts";

describe("the policy pack on the real engine", () => {
  let project: EngineProject;
  before(async () => {
    project = await EngineProject.create();
  });
  after(() => project.dispose());

  const preview = async (program: string): Promise<EngineRun> => {
    await project.program(
      `import * as pulumi from "@pulumi/pulumi"; import { local } from "@pulumi/command"; ${program}`,
    );
    return project.preview("--policy-pack", path.join(projectRoot, "policy"));
  };
  const told = ({ text }: EngineRun): readonly string[] =>
    [...text.matchAll(/\[(\w+)\] +([\w-]+) +\((.*?)\)/g)].map((found) => found.slice(1).join(" "));

  it("lets a program pass that keeps the rules, with its passwords as secrets", async () => {
    const run = await preview(
      `new local.Command("good", { environment: { PASSWORD: pulumi.secret("hunter2") } });`,
    );
    assert.equal(run.exitCode, 0, run.text);
    assert.deepEqual(told(run), []);
  });

  it("names each resource that breaks one, and tells accepted exceptions beside", async () => {
    const run = await preview(`
      new local.Command("open", { create: "serve 0.0.0.0:80" });
      new local.Command("clear", { environment: { PASSWORD: "hunter2" } });
      new local.Command("image", { environment: { image: "busybox:1" } });
      new pulumi.CustomResource("kindows:host:Action", "observed", { environment: { image: "busybox:1" } });
      new local.Command("flannel", { environment: { image: "flannel:1" } });`);
    assert.equal(run.exitCode, 1, run.text);
    assert.deepEqual([...told(run)].sort(), [
      "advisory images-by-digest command:local:Command: flannel",
      "mandatory images-by-digest command:local:Command: image",
      "mandatory images-by-digest kindows:host:Action: observed",
      "mandatory no-clear-secrets command:local:Command: clear",
      "mandatory no-open-listeners command:local:Command: open",
    ]);
    assert.doesNotMatch(run.text, /hunter2/);
  });

  it("judges the stack as a whole too", async () => {
    const run = await preview(
      `for (let each = 0; each <= 250; each += 1) new local.Command("c" + each, {});`,
    );
    assert.equal(run.exitCode, 1, run.text);
    assert.match(run.text, /resource-budget[^]*252 resources, but only 250 are allowed/);
  });
});
