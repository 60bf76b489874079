import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { localFolder, projectRoot } from "../../toolchain/project.ts";
import { readSoftwareLock, renderSoftwareLock } from "../../toolchain/software-lock.ts";
import { succeeded, tail, printSeconds } from "../e2e/lab.ts";
import type { Finished } from "../e2e/process-group.ts";
import { StandInPublishers } from "./first-run/publishers.ts";
import { hostAddress, RootFileSystem } from "./first-run/root-file-system.ts";

/** How often the user is asked to have something done by root before all is there. */
const tellings = 5;

/** The commands of the README's quick start for any machine. */
async function quickStart(): Promise<readonly string[]> {
  const readme = await readFile(path.join(projectRoot, "README.md"), "utf8");
  const [, block = ""] = /^## Quick start anywhere$.+?^```sh\n(.+?)^```$/ms.exec(readme) ?? [];
  return block.split("\n").filter((line) => line !== "");
}

/**
 * What somebody sees who has Debian and Node.js, no Go, and reads the README: in a root file system of its own, with
 * daemons of its own, as a user who is not root. root does what the messages say, and nothing else.
 */
describe("the first run in a new Debian, as a user who is not root, without Go", function () {
  this.bail(true);

  let machine: RootFileSystem;
  let publishers: StandInPublishers;
  const folder = path.join(localFolder, "first-run");
  let commands: readonly string[];

  before(async function () {
    if (process.getuid?.() !== 0) {
      throw new Error(
        "this test needs root: it makes a root file system, namespaces and a network",
      );
    }
    commands = await quickStart();
    await removeFolder();
    publishers = new StandInPublishers(path.join(folder, "publishers"));
    machine = new RootFileSystem(
      path.join(folder, "root"),
      path.join(localFolder, "e2e-logs/first-run"),
    );
    await machine.make();
    await machine.clone(projectRoot);
    await publishers.make(machine.at("/home/newcomer/kindows"), (line) =>
      console.log(`      ${line}`),
    );
    await vouchForStandIns();
    await machine.start();
    await publishers.listen(hostAddress);
    await machine.believe(publishers.hosts, await readFile(publishers.authority, "utf8"));
  });
  after(async () => {
    await machine.stop();
    await publishers.stop();
    await removeFolder();
  });

  /** Only what is on its own file system: whatever is mounted in there is this machine's. */
  const removeFolder = (): Promise<unknown> =>
    execa("rm", ["-rf", "--one-file-system", folder], { timeout: 600_000 });

  /** The clone's lock without what others have than the stand-in, and with its node image. */
  async function vouchForStandIns(): Promise<void> {
    const lock = machine.at("/home/newcomer/kindows/software.lock.json");
    const kept = Object.entries(readSoftwareLock(lock)).filter(([url]) => url.includes("golang"));
    await writeFile(lock, renderSoftwareLock(Object.fromEntries(kept)));
    const image = machine.at("/home/newcomer/kindows/stacks/node-image.ts");
    const text = await readFile(image, "utf8");
    await writeFile(image, text.replace(/sha256:[0-9a-f]{64}/, publishers.nodeImageDigest));
  }

  /** Lets root do what the command tells the user to, until it tells nothing any more. */
  async function asTold(command: string): Promise<Finished> {
    const done: string[] = [];
    for (;;) {
      const finished = await machine.run(command);
      const lines = [...finished.output.matchAll(/\bsudo (.+?)(?=[;)]|[.,] |$)/gm)].map(
        ([, line = ""]) => line,
      );
      if (finished.exitCode === 0 || lines.length === 0) return finished;
      for (const line of lines) {
        assert.ok(!done.includes(line) && done.length < tellings, tail(finished.output));
        done.push(line);
        await succeeded(machine.run(line.replace("install", "install --yes"), "root"), line);
      }
    }
  }

  it("has no Go, and no privilege", async () => {
    const { output } = await machine.run("command -v go sudo; id --user");
    assert.match(output, /^\d{4}\n$/);
  });

  it("says what root has to do, and does the rest by the README's commands", async () => {
    assert.deepEqual(commands, ["make up", "make status", "make verify", "make down"]);
    for (const command of commands) {
      const finished = await succeeded(asTold(command));
      printSeconds(command, finished);
      if (command === "make up") assert.match(finished.output, /^win-1 +windows +yes /m);
    }
  });

  it("has lacked nothing of the publishers", () => assert.deepEqual(publishers.lacking, []));
});
