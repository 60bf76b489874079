import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";

import { type EngineProject, type EngineRun, succeeded } from "../plugins/support/engine.ts";
import { sourcesProject } from "../plugins/support/sources.ts";

/** A cluster and a token in it, both by the same actions. */
const program = `
import { observedAction } from "./components/host-action/host-action.ts";
const made = (name, opts) =>
  observedAction(
    name,
    {
      create: "test/write create-" + name,
      read: "test/find " + name,
      delete: "test/write delete-" + name,
      environment: {},
      triggers: ["one"],
    },
    opts,
  );
const cluster = made("cluster", { deleteBeforeReplace: true });
made("token", {
  dependsOn: cluster, deletedWith: cluster, replaceWith: [cluster], ignoreChanges: ["environment"],
});
`;

describe("host actions that a refresh looks at", () => {
  let project: EngineProject;
  before(async () => {
    project = await sourcesProject();
    const action = (name: string, body: string): Promise<void> =>
      project.write(
        `components/test/actions/${name}.ts`,
        `import { appendFileSync, readFileSync } from "node:fs";
         const [what] = process.argv.slice(2);
         ${body}`,
      );
    await mkdir(path.join(project.folder, "components/test/actions"), { recursive: true });
    await action(
      "write",
      `appendFileSync("journal", what + " ");
       console.error("progress of " + what);`,
    );
    await action(
      "find",
      `process.stdout.write(JSON.parse(readFileSync("found", "utf8"))[what] ?? "");`,
    );
    await find({});
  });
  after(() => project.dispose());

  const find = (found: object): Promise<void> => project.write("found", JSON.stringify(found));
  const journal = (): Promise<string> =>
    readFile(path.join(project.folder, "journal"), "utf8").then((text) => text.trimEnd());
  /** What was done to the two. */
  const steps = (run: EngineRun): Record<string, readonly string[] | undefined> => {
    const { cluster, token } = succeeded(run).steps;
    return { cluster, token };
  };

  it("are made once", async () => {
    await project.program(program);
    assert.deepEqual(steps(await project.up()), { cluster: ["create"], token: ["create"] });
    assert.deepEqual(steps(await project.up()), { cluster: ["same"], token: ["same"] });
    assert.equal(await journal(), "create-cluster create-token");
  });

  it("show what is gone, and make it again with what lived in it", async () => {
    const before = await journal();
    await find({ cluster: JSON.stringify({ gone: "there is no container x" }) });
    const refresh = succeeded(await project.refresh("--diff"));
    assert.match(refresh.text, /\+ gone: "there is no container x"/);
    const up = await project.up();
    const { cluster = [], token = [] } = steps(up);
    assert.ok(up.messages.some(({ text }) => text === "progress of create-cluster"));
    assert.ok(cluster.includes("replace") && token.includes("replace"));
    // What lived in it goes with it, and is not deleted by itself.
    assert.equal(await journal(), `${before} delete-cluster create-cluster create-token`);
    await find({});
    assert.deepEqual(steps(await project.up("--refresh")), {
      cluster: ["refresh", "same"],
      token: ["refresh", "same"],
    });
  });
});
