import assert from "node:assert/strict";
import { appendFile, cp, readFile, rm, stat, truncate } from "node:fs/promises";
import path from "node:path";
import { FailedNodes } from "../../../cli/logs/failed-nodes.ts";
import { parseDeployment } from "../../../cli/recovery/deployment.ts";
import { forgetPushes } from "../../../cli/recovery/push-again.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import type { EngineProject } from "../plugins/support/engine.ts";
import { NodeLab, touched } from "./node-lab.ts";

describe("WindowsNode in the engine, with a program that is pushed", function () {
  this.timeout(120_000);
  let lab: NodeLab;
  let host: RehearsalHost;
  let project: EngineProject;

  const media = (): string => path.join(host.driveC, "kindows/media", host.media.kubelet.sha256);
  const fetchedTo = (name: string): string =>
    path.join(project.folder, name, host.media.kubelet.sha256);

  before(async () => {
    lab = await NodeLab.start();
    ({ host, project } = lab);
    await cp(media(), fetchedTo("cache-1"), { recursive: true });
    await cp(media(), fetchedTo("cache-2"), { recursive: true });
    await rm(media(), { recursive: true });
  });
  after(() => lab.dispose());

  it("is previewed without the file", async () => {
    await project.program(lab.program({ kubelet: "missing" }));
    const run = await project.preview();
    assert.equal(run.exitCode, 0, run.text);
    assert.ok(touched(run, "create").includes("win-1-push-kubelet"));
  });

  it("has it among its media before it is installed", async () => {
    const run = await lab.up({ kubelet: fetchedTo("cache-1") });
    assert.ok(touched(run, "create").includes("win-1-push-kubelet"));
    assert.deepEqual(
      await readFile(path.join(media(), "kubelet.exe")),
      await readFile(path.join(fetchedTo("cache-1"), "kubelet.exe")),
    );
  });

  it("is pushed again by the up after a step that did not find it whole", async () => {
    const file = path.join(media(), "kubelet.exe");
    const kubelet = fetchedTo("cache-1");
    // It is needed again: the program is gone, and the step runs since its script is another.
    await rm(path.join(host.driveC, "k/kubelet.exe"));
    await truncate(file, 10);
    await appendFile(
      path.join(project.folder, "components/windows/steps/lib/Step.ps1"),
      "# edited\n",
    );
    await project.program(lab.program({ kubelet }));
    const failing = await project.up();
    assert.notEqual(failing.exitCode, 0);
    assert.match(failing.text, /Run `\.\/kindows up`: it has what was pushed to the machine/);
    const failed = new FailedNodes(["win-1"]);
    failing.text.split("\n").forEach((line) => failed.read(line));
    assert.deepEqual(failed.lackingMedia, ["win-1"]);

    const exported = parseDeployment((await project.run(["stack", "export"])).text);
    const { deployment } = forgetPushes(exported, failed.lackingMedia);
    await project.write("state.json", JSON.stringify(deployment));
    const imported = await project.run(["stack", "import", "--file", "state.json"]);
    assert.equal(imported.exitCode, 0, imported.text);

    const run = await lab.up({ kubelet });
    assert.deepEqual(touched(run, "create"), ["win-1-push-kubelet"]);
    assert.deepEqual(await readFile(file), await readFile(path.join(kubelet, "kubelet.exe")));
    await stat(path.join(host.driveC, "k/kubelet.exe"));
  });

  for (const [what, kubelet] of [
    ["the same file in another clone's cache", () => fetchedTo("cache-2")],
    ["a host that has not fetched it", () => "missing"],
  ] as const) {
    it(`has nothing to do for ${what}`, async () => {
      await project.program(lab.program({ kubelet: kubelet() }));
      const run = await project.preview("--expect-no-changes");
      assert.equal(run.exitCode, 0, run.text);
    });
  }
});
