import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bakeOf, bakedSteps } from "../../../../images/windows/bake.ts";
import { imageSoftware } from "../../../../components/windows/software.ts";
import { installContainerd } from "../../../../components/windows/steps.ts";
import { stepsSource } from "../../../../components/node/steps-folder.ts";
import { readScript, scripts } from "../../../../rehearsal/powershell/interpreter.ts";
import { runBake } from "../../../../rehearsal/bake/run-bake.ts";
import { type RehearsalHost, startRehearsalHost } from "../../../rehearsed-machine/in-process.ts";
import { readKeptScripts } from "../../../../rehearsal/windows/kept-scripts.ts";
import { adminKey, loginOf } from "./ssh-client.ts";

const versions = { kubernetes: "1.36.4", containerd: "2.4.2" };

describe("the baking of the rehearsal's image, over SSH", () => {
  let host: RehearsalHost;
  const reported: string[] = [];
  const image = "registry.k8s.io/pause:3.10.2";
  const steps = () =>
    bakeOf(imageSoftware(versions, { windowsBuild: "10.0.20348", media: host.media }), [image])
      .steps;
  const bake = (some = steps()) =>
    runBake({ steps: some }, loginOf(host), (line) => reported.push(line));

  beforeEach(async () => {
    reported.length = 0;
    host = await startRehearsalHost({ hostName: "bake", authorizedKeys: [adminKey.public] });
  });
  afterEach(() => host.stop());

  it("leaves what every node needs", async () => {
    await bake();
    assert.equal(host.windows.state.features.Containers, "Installed");
    assert.ok(host.windows.services.get("containerd"));
    assert.equal(host.windows.services.get("kubelet")?.startType, "manual");
    assert.deepEqual(reported, [
      "waits for the machine",
      ...bakedSteps.map(({ name }) => `baking: ${name}`),
    ]);
    assert.equal(host.boots, 2);
    assert.deepEqual(host.cluster.nodes, []);
  });

  it("leaves the scripts' syntax trees", async () => {
    await bake([]);
    scripts.clear();
    readKeptScripts(host.driveC);
    for (const name of await readdir(stepsSource, { recursive: true })) {
      if (!name.endsWith(".ps1")) continue;
      const text = (await readFile(join(stepsSource, name), "utf8")).replace(/^\ufeff/, "");
      const read: unknown = JSON.parse(JSON.stringify(readScript({ path: name, text })));
      assert.deepEqual(scripts.get(text), read);
    }
  });

  it("leaves nothing for a second one to change", async () => {
    await bake();
    await bake();
    assert.equal(host.boots, 2);
  });

  it("goes on if no registry is reachable, and lists what each node pulls itself", async () => {
    host.programs.hasRegistries = false;
    await bake();
    assert.match(
      reported.at(-1) ?? "",
      /^warning: 1 of 1 container images were not pulled, .*pause:3\.10\.2: ctr\.exe .*no such host/,
    );
  });

  it("fails with the step's words, and says which it was", async () => {
    const wrong = steps().map((each) =>
      each.step === installContainerd
        ? { ...each, parameters: { ...each.parameters, ArchiveSha256: "0".repeat(64) } }
        : each,
    );
    await assert.rejects(bake(wrong), /Install-Containerd/);
  });
});
