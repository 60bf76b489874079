import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { fingerprint } from "../../../components/machine/fingerprint.ts";
import { listing } from "../../unit/rehearsal-host/machine-listing.ts";
import { makeKey } from "../plugins/support/ssh-server.ts";
import { ExistingLab } from "./existing-lab.ts";

describe("existing machines in the engine", function () {
  this.timeout(300_000);
  let lab: ExistingLab;
  /** What was on the second machine before anything was done on it. */
  let untouched: Record<string, string>;

  before(async () => {
    lab = await ExistingLab.start();
    untouched = await listing(lab.hosts[1]);
  });
  after(() => lab.dispose());

  it("joins both to the cluster, the second by a bastion", async () => {
    const run = await lab.up([lab.member(0), lab.member(1)]);
    assert.deepEqual(await lab.nodeNames(), ["win-1", "win-2"]);
    assert.ok((lab.bastions[0]?.accepted ?? 0) > 0, "nothing went over the bastion");
    assert.ok(!run.text.includes("PRIVATE KEY"));
    assert.equal(lab.hosts[0].boots, 2);
  });

  it("has nothing to do afterwards", async () => {
    const preview = await lab.project.preview("--expect-no-changes");
    assert.equal(preview.exitCode, 0, preview.text);
  });

  it("sets changed labels on the node that is there", async () => {
    const run = await lab.up([lab.member(0, { labels: { zone: "b" } }), lab.member(1)]);
    const node = (await lab.nodes()).find(({ metadata }) => metadata.name === "win-1");
    assert.equal(node?.metadata.labels["zone"], "b");
    assert.equal(run.steps["win-2-join-node"]?.includes("update"), false);
  });

  it("takes one out: no node any more, and the machine is what it was before", async () => {
    await lab.up([lab.member(0)]);
    assert.deepEqual(await lab.nodeNames(), ["win-1"]);
    assert.deepEqual(await listing(lab.hosts[1]), untouched);
    for (const copied of ["steps", "media/README.txt"]) {
      assert.equal(existsSync(path.join(lab.hosts[1].driveC, "kindows", copied)), false, copied);
    }
  });

  it("refuses a machine with another host key than the pinned one, and does nothing on it", async () => {
    const pinned = makeKey().publicKey;
    const run = await lab.run([lab.member(0), lab.member(1, { hostKey: pinned })]);
    assert.notEqual(run.exitCode, 0);
    assert.match(
      run.text,
      /win-2 \(Administrator@127\.0\.0\.1:\d+ by 127\.0\.0\.1:\d+\) cannot be used/,
    );
    assert.ok(run.text.includes(fingerprint(pinned)), run.text);
    assert.ok(run.text.includes(fingerprint(lab.hosts[1].hostKey)));
    assert.deepEqual(await listing(lab.hosts[1]), untouched);
    await lab.up([lab.member(0)]);
  });

  it("refuses a machine that is called otherwise, and does nothing on it", async () => {
    const run = await lab.run([lab.member(0), lab.member(1, { name: "win-7" })]);
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, /its computer name is win-2: write that as name, or rename it/i);
    assert.deepEqual(await listing(lab.hosts[1]), untouched);
    await lab.up([lab.member(0)]);
  });

  it("leaves cluster and machine as they were when all of the stack goes", async () => {
    await lab.up([lab.member(0), lab.member(1)]);
    assert.deepEqual(await lab.nodeNames(), ["win-1", "win-2"]);
    await lab.up([lab.member(0)]);
    await lab.up([lab.member(1)]);
    const destroyed = await lab.project.destroy();
    assert.equal(destroyed.exitCode, 0, destroyed.text);
    assert.deepEqual(await lab.nodeNames(), []);
    assert.deepEqual(await listing(lab.hosts[1]), untouched);
    assert.ok(
      await lab.api.get("/apis/apps/v1/namespaces/kube-system/daemonsets/their-kube-proxy"),
    );
  });

  it("takes a machine out that is gone for good by one word, and hangs nowhere without it", async () => {
    await lab.up([lab.member(0)]);
    await lab.hosts[0].stop();
    const run = await lab.run([]);
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, /win-1 \(.*\) could not be reset: .*KINDOWS_GONE=win-1/);
    process.env["KINDOWS_GONE"] = "win-1";
    try {
      await lab.up([]);
    } finally {
      delete process.env["KINDOWS_GONE"];
    }
    assert.deepEqual(await lab.nodeNames(), []);
  });
});
