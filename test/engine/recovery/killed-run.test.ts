import assert from "node:assert/strict";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Host } from "../../../cli/lab/host.ts";
import { labVariable, processes } from "../../../cli/lab/processes.ts";
import { recoverState } from "../../../cli/recovery/recover.ts";
import { eventually, exists, startOperation } from "./running-operation.ts";
import { scratchProject } from "./scratch-project.ts";
import type { ScratchProject } from "./scratch-project.ts";

/** A host without libvirt and Docker: nothing of a lab can be on it. */
const bareHost: Host = { libvirtUri: "test:///default", run: () => Promise.resolve(undefined) };

/** Made at once; then one whose command waits for a file `go`; then one that needs it. */
const threeSteps = `
const first = new Command("first", { create: "touch " + file("first") });
const slow = new Command("slow", {
  create: "touch " + file("begun") + "; while [ ! -e " + file("go") + " ]; do sleep 0.1; done",
}, { dependsOn: first });
new Command("last", { create: "touch " + file("last") }, { dependsOn: slow });
`;

describe("a run of the engine that does not get to its end", function () {
  this.timeout(90_000);

  let project: ScratchProject;
  beforeEach(async () => {
    project = await scratchProject();
  });
  afterEach(async () => {
    for (const thing of await labProcesses()) {
      await processes.remove(thing, bareHost);
    }
    await project.dispose();
  });

  const inProject = (name: string): string => path.join(project.folder, name);
  const labProcesses = async () =>
    (await processes.find(bareHost)).filter((thing) => thing.lab === project.lab);
  const recover = async (): Promise<readonly string[]> => {
    const said: string[] = [];
    await recoverState({
      pulumi: project.pulumi,
      host: bareHost,
      lab: project.lab,
      extent: "built-on",
      say: (line) => said.push(line),
    });
    return said;
  };
  const startUp = async (): Promise<ReturnType<typeof startOperation>> => {
    await project.program(threeSteps);
    const running = startOperation(project, ["up", "--yes", "--skip-preview"]);
    await eventually("the slow command to begin", () => exists(inProject("begun")));
    return running;
  };

  // Such a file, cut short, made every later command fail: "failed to load checkpoint: EOF".
  it("has written nothing in place: there are no files of attributes beside its state", async () => {
    const killed = await startUp();
    killed.kill("SIGKILL");
    await killed.end;
    const files = await readdir(inProject("state"), { recursive: true });
    assert.ok(
      files.some((name) => name.endsWith("dev.json")),
      files.join(" "),
    );
    assert.deepEqual(
      files.filter((name) => name.endsWith(".attrs")),
      [],
    );
  });

  it("killed with SIGKILL: the engine goes too, and the next run finishes after recovery", async () => {
    const killed = await startUp();
    killed.kill("SIGKILL");
    assert.equal((await killed.end).exitCode, undefined);

    const said = await recover();
    assert.deepEqual(await labProcesses(), [], "nothing of the killed run works on");
    assert.ok(said.includes("took away the lock of a run that was killed"), said.join("\n"));
    assert.ok(said.includes("creating Command slow was interrupted"), said.join("\n"));
    assert.deepEqual(await project.resources(), ["first"]);

    await writeFile(inProject("go"), "");
    await rm(inProject("first"));
    const second = await startOperation(project, ["up", "--yes", "--skip-preview"]).end;
    assert.equal(second.exitCode, 0, second.output);
    assert.ok(!second.output.includes("pending operations"), second.output);
    assert.deepEqual(await project.resources(), ["first", "slow", "last"]);
    assert.equal(await exists(inProject("first")), false, "what was done is not done again");
  });

  it("interrupted with SIGINT: what was begun is finished and in the state", async () => {
    const interrupted = await startUp();
    interrupted.kill("SIGINT");
    await writeFile(inProject("go"), "");
    const { exitCode, output } = await interrupted.end;
    assert.equal(exitCode, 130, output);
    assert.match(output, /interrupted.*kindows up --stack dev/);
    const left = await project.resources();
    assert.equal(left.includes("last"), false, output);
    assert.deepEqual(await labProcesses(), []);
    assert.deepEqual(
      (await recover()).filter((line) => line.includes("lock")),
      [],
    );
  });

  it("still at work in another terminal: a second run is refused and disturbs nothing", async () => {
    await project.program(threeSteps);
    // As plain `pulumi up`: its processes carry no marker.
    const running = startOperation(project, ["up", "--yes", "--skip-preview"], {
      [labVariable]: undefined,
    });
    await eventually("the slow command to begin", () => exists(inProject("begun")));
    await assert.rejects(recover(), {
      name: "Failure",
      exitCode: 3,
      message: /pulumi \(process [0-9]+ of .*\) works on the stack dev since .*kill -INT/,
    });
    await writeFile(inProject("go"), "");
    const { exitCode, output } = await running.end;
    assert.equal(exitCode, 0, output);
    assert.deepEqual(await project.resources(), ["first", "slow", "last"]);
  });
});
