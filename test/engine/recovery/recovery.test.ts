import assert from "node:assert/strict";
import { on } from "node:events";
import { existsSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { execa } from "execa";

import { type Extent, resourcesOf } from "../../../cli/engine/deployment.ts";
import { Pulumi } from "../../../cli/engine/pulumi.ts";
import { processes } from "../../../cli/host-resources/processes.ts";
import { labVariable } from "../../../config/names.ts";
import type { HostResource } from "../../../components/host-resource.ts";
import type { Host } from "../../../host/host.ts";
import { recoverState } from "../../../cli/recovery/recover.ts";
import { repairState } from "../../../cli/recovery/repair.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { EngineProject, findTool } from "../plugins/support/engine.ts";

/** Lab whose marker the engine's processes carry. */
const marker = `kindows-engine-test-${process.pid}`;

/** A host without libvirt and Docker: nothing of a lab can be on it. */
const bareHost: Host = { libvirtUri: "test:///default", run: () => Promise.resolve(undefined) };

/**
 * A cluster as the state knows one (by its component), something in it, something built on it, and neither. Then one
 * whose command waits for a file `go`, and one that needs it.
 */
const lab = `
const made = (name) => "touch " + file(name);
const gone = (name) => "rm -f " + file(name);
const component = new pulumi.ComponentResource("kindows:controlplane:KindCluster", "cluster");
const cluster = new Command("cluster", {
  create: made("cluster"),
  delete: gone("cluster"),
  environment: { CLUSTER: JSON.stringify({ name: "kindows-t", controlPlanes: 1 }) },
}, { parent: component });
const token = new Command("token", { create: made("token"), delete: gone("token"), triggers: [cluster.stdout] }, { deletedWith: cluster });
const join = new Command("join", { create: made("join"), delete: gone("join") }, { dependsOn: cluster });
const key = new Command("key", { create: made("key"), delete: gone("key") });
const slow = new Command("slow", {
  create: made("begun") + "; while [ ! -e " + file("go") + " ]; do sleep 0.1; done",
}, { dependsOn: [token, join, key] });
const last = new Command("last", { create: made("last") }, { dependsOn: slow });
`;

const container: HostResource = {
  kind: "docker container",
  name: "kindows-t-control-plane",
  lab: "kindows-t",
  identity: "docker container kindows-t-control-plane",
};

/** Waits until a program has printed something. */
async function said(output: Readable, what: RegExp): Promise<void> {
  let text = "";
  for await (const [chunk] of on(output, "data", { close: ["end"] }) as AsyncIterable<[Buffer]>) {
    text += String(chunk);
    if (what.test(text)) return;
  }
  assert.match(text, what);
}

/** One stack, whose runs are killed, disturbed and interrupted, and whose cluster vanishes in between. */
describe("a run of the engine that does not get to its end", () => {
  let project: EngineProject;
  let pulumi: Pulumi;
  before(async () => {
    project = await EngineProject.create();
    const { folder, environment, stateFolder } = project;
    const lockFolder = path.join(stateFolder, ".pulumi", "locks", "organization", "test", "dev");
    const program = findTool("pulumi");
    pulumi = new Pulumi("dev", { project: folder, program, environment, lockFolder });
    await makeProgram(lab);
  });
  after(async () => {
    for (const thing of await labProcesses()) await processes.remove(thing, bareHost);
    await project.dispose();
  });

  /** Replaces the program: the body of an ES module that has `Command`, `pulumi` and `file(name)`. */
  const makeProgram = (body: string): Promise<void> =>
    project.program(
      `import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
const { Command } = local;
const file = (name) => ${JSON.stringify(project.folder)} + "/" + name;
${body}`,
    );

  /** Names of the resources in the state, sorted; the stack, components and providers left out. */
  const resources = async (): Promise<string[]> =>
    resourcesOf(await pulumi.exportState())
      .filter(({ type, custom }) => custom === true && !type.startsWith("pulumi:"))
      .map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2))
      .sort();

  /**
   * Starts an operation the way `kindows` does.
   *
   * @param marked whether its processes carry the lab's marker; those of plain `pulumi` do not.
   */
  const start = (operation: string, marked = true) => {
    const { stack, workplace } = pulumi;
    const environment = { ...workplace.environment, ...(marked && { [labVariable]: marker }) };
    const args = [operation, "--yes", "--skip-preview"];
    const child = execa(
      process.execPath,
      ["--import", "tsx", path.join(import.meta.dirname, "run-operation.ts")],
      {
        input: JSON.stringify({ stack, workplace: { ...workplace, environment }, args }),
        ...({ all: true, reject: false, timeout: 300_000 } as const),
      },
    );
    return {
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      says: (what: RegExp) => said(child.all, what),
      end: child.then(({ exitCode, all }) => ({ exitCode, output: all })),
    };
  };

  const inProject = (name: string): string => path.join(project.folder, name);
  const vanish = (...names: string[]): Promise<unknown> =>
    Promise.all(names.map((name) => rm(inProject(name))));
  const present = (...names: string[]): string[] =>
    names.filter((name) => existsSync(inProject(name)));
  const labProcesses = async () =>
    (await processes.find(bareHost)).filter((thing) => thing.lab === marker);

  const recover = (say: (line: string) => void = () => undefined): Promise<unknown> =>
    recoverState({ pulumi, host: bareHost, lab: marker, extent: "built-on", say });
  const repair = async (things: readonly HostResource[], extent: Extent) => {
    const observed = { things, unlisted: [] };
    const { deployment, notes } = repairState(await pulumi.exportState(), observed, extent);
    await pulumi.importState(deployment);
    return notes;
  };

  /** An `up` that has come as far as a command that waits. */
  const startUp = async (begun: string, marked = true): Promise<ReturnType<typeof start>> => {
    const running = start("up", marked);
    const options = { what: begun, timeoutSeconds: 300, pollMilliseconds: 100 };
    await Promise.race([
      waitUntil(options, () => Promise.resolve(present(begun)[0] ? undefined : "")),
      running.end.then(({ output }) => assert.fail(output)),
    ]);
    return running;
  };

  it("killed with SIGKILL: the engine goes too, and its state fits what is there after recovery", async () => {
    const killed = await startUp("begun");
    killed.kill("SIGKILL");
    assert.equal((await killed.end).exitCode, undefined);
    // Files of attributes are written in place: one cut short failed every later command, "failed to load checkpoint".
    const files = await readdir(project.stateFolder, { recursive: true });
    assert.ok(
      files.some((name) => name.endsWith("dev.json")),
      files.join(" "),
    );
    const attributes = files.filter((name) => name.endsWith(".attrs"));
    assert.deepEqual(attributes, []);

    const said: string[] = [];
    await recover((line) => said.push(line));
    assert.deepEqual(await labProcesses(), [], "nothing of the killed run works on");
    for (const line of [
      "removed the lock of a run that was killed",
      "creating Command slow was interrupted",
      "gone from this host: Command cluster (docker container kindows-t-control-plane)",
    ]) {
      assert.ok(said.includes(line), said.join("\n"));
    }
    assert.deepEqual(await resources(), ["key"]);
  });

  it("is finished by the next run; while that works in another terminal nobody disturbs it", async () => {
    await vanish("begun", "cluster", "token", "join", "key");
    // As plain `pulumi up`: its processes carry no marker.
    const running = await startUp("begun", false);
    await assert.rejects(recover(), {
      name: "Failure",
      exitCode: 3,
      message: /pulumi \(process [0-9]+ of .*\) works on the stack dev since .*kill -INT/,
    });
    await writeFile(inProject("go"), "");
    const { exitCode, output } = await running.end;
    assert.equal(exitCode, 0, output);
    assert.ok(!output.includes("pending operations"), output);
    assert.deepEqual(await resources(), [...["cluster", "join", "key", "last", "slow", "token"]]);
    assert.deepEqual(
      present("cluster", "token", "join", "key"),
      ["cluster", "token", "join"],
      "what vanished is recreated, and what was done is not done again",
    );
  });

  it("interrupted with SIGINT: nothing is begun any more, and nothing works on", async () => {
    // Its cluster is there: nothing is made again.
    assert.deepEqual(await repair([container], "built-on"), []);
    await vanish("cluster", "token", "last");
    await makeProgram(`${lab}
const more = new Command("more", {
  create: made("more") + "; while [ ! -e " + file("go-on") + " ]; do sleep 0.1; done",
}, { dependsOn: last });
new Command("end", { create: made("end") }, { dependsOn: more });
`);
    const interrupted = await startUp("more");
    interrupted.kill("SIGINT");
    // What is running may end once the engine has heard of it: before that, the next thing would be begun.
    await interrupted.says(/\^C received; cancelling/);
    await writeFile(inProject("go-on"), "");
    const { exitCode, output } = await interrupted.end;
    assert.equal(exitCode, 130, output);
    assert.match(output, /interrupted.*kindows up --stack dev/);
    assert.equal((await resources()).includes("end"), false, output);
    assert.deepEqual(await labProcesses(), []);
    assert.deepEqual(present("cluster", "token", "last"), []);
  });

  it("is destroyed round a cluster that vanished: what does not go with that is taken away", async () => {
    // The interrupted run has left no lock: else this would be refused.
    await repair([], "deleted-with");
    const left = await resources();
    const found = left.filter((name) => ["cluster", "token", "join", "key"].includes(name));
    assert.deepEqual(found, ["join", "key"]);
    const { exitCode, output } = await start("destroy").end;
    assert.equal(exitCode, 0, output);
    assert.deepEqual(await resources(), []);
    assert.deepEqual(present("cluster", "token", "join", "key"), []);
  });
});
