import assert from "node:assert/strict";
import { createServer } from "node:net";
import { resolveExisting } from "../../../config/existing/resolve.ts";
import { listing } from "../../unit/rehearsal-host/machine-listing.ts";
import { ExistingLab } from "./existing-lab.ts";

const proxy = { https: "http://proxy.example.test:3128" };

/**
 * The command plugin goes by one bastion. What it does on a machine behind two goes by a port that the program holds,
 * also where that is a delete, which the engine does last.
 */
describe("a machine behind two bastions in the engine", function () {
  this.timeout(600_000);
  let lab: ExistingLab;
  let untouched: Record<string, string>;

  before(async () => {
    lab = await ExistingLab.start(2);
    untouched = await listing(lab.hosts[1]);
  });
  after(() => lab.dispose());

  /** Connections to each bastion since the last time. */
  let counted = [0, 0];
  const connections = (): number[] => {
    const now = lab.bastions.map(({ accepted }) => accepted);
    const more = now.map((count, hop) => count - (counted[hop] ?? 0));
    counted = now;
    return more;
  };

  it("joins it to the cluster, by a connection to the first that all have in common", async () => {
    const run = await lab.up([lab.member(1)], { proxy });
    assert.deepEqual(await lab.nodeNames(), ["win-2"]);
    const [first = 0, second = 0] = connections();
    // The program's own look goes all the way by itself. On a busy host some are dialled once more.
    const told = `${first} connections to the first, ${second} to the second`;
    assert.ok(first >= 2 && first * 2 < second, told);
    assert.ok(!run.text.includes("PRIVATE KEY"));
  });

  it("has nothing to do afterwards, and connects to nobody for it", async () => {
    const preview = await lab.project.preview("--expect-no-changes");
    assert.equal(preview.exitCode, 0, preview.text);
    await lab.up([lab.member(1)], { proxy });
    assert.deepEqual(connections(), [0, 0]);
  });

  it("undoes a step that is no more, after everything else was done", async () => {
    const run = await lab.up([lab.member(1, { labels: { zone: "b" } })]);
    assert.deepEqual(run.steps["win-2-set-machineproxy"], ["delete"]);
    const [first = 0, second = 0] = connections();
    assert.ok(first > 0 && second > 0, `${first} and ${second} connections`);
    const [node] = await lab.nodes();
    assert.equal(node?.metadata.labels["zone"], "b");
  });

  it("refuses to begin while somebody else has the port", async () => {
    const other = createServer();
    const port = portOf(lab);
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    try {
      const run = await lab.run([lab.member(1)]);
      assert.notEqual(run.exitCode, 0);
      assert.match(
        run.text,
        new RegExp(`port ${port} of this host cannot lead to jump@.* for win-2: somebody else`),
      );
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it("takes it out: no node any more, and the machine is what it was before", async () => {
    await lab.up([lab.member(1)]);
    connections();
    await lab.up([]);
    assert.deepEqual(await lab.nodeNames(), []);
    assert.deepEqual(await listing(lab.hosts[1]), untouched);
    assert.ok((connections()[0] ?? 0) > 0);
  });

  it("undoes a step alone in a destroy that runs the program", async () => {
    await lab.up([lab.member(1)], { proxy });
    const { urn } = await lab.project.resource("win-2-set-machineproxy");
    const flags = ["--run-program", "--target", urn, "--target-dependents"];
    connections();
    const run = await lab.project.destroy(...flags);
    assert.equal(run.exitCode, 0, run.text);
    assert.ok(run.steps["win-2-set-machineproxy"]?.includes("delete"), run.text);
    assert.equal(run.steps["win-2-machine"]?.includes("delete") ?? false, false);
    assert.ok((connections()[0] ?? 0) > 0);
  });

  it("is destroyed without the program", async () => {
    const destroyed = await lab.project.destroy();
    assert.equal(destroyed.exitCode, 0, destroyed.text);
    assert.deepEqual(await lab.nodeNames(), []);
    assert.deepEqual(await listing(lab.hosts[1]), untouched);
  });
});

/** The port that the program holds. */
function portOf(lab: ExistingLab): number {
  const { name, address, port, hostKey, bastions = [] } = lab.member(1);
  const { nodes } = resolveExisting(
    {
      cluster: { kubeconfig: { file: "/nowhere" } },
      cni: { kind: "none" },
      // As the program has it: the key's file is part of the way.
      login: { privateKeyFile: `${lab.project.folder}/key` },
      nodes: [
        {
          ...{ name, address, port, hostKey },
          bastions: bastions.map((one) => ({ ...one, address: "localhost", user: "jump" })),
        },
      ],
    },
    { file: "Pulumi.test.yaml" },
  );
  return nodes[0]?.login.forwardPort ?? assert.fail("no port");
}
