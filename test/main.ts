/**
 * `make test`: types, style, and the tests that need no hypervisor, in parallel. Builds the engine first if it is
 * missing.
 *
 * Arguments: folders and files below test/; then only these tests run.
 */
import { mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import Mocha from "mocha";

import mocharc from "../.mocharc.json" with { type: "json" };
import { localFolder } from "../toolchain/project.ts";
import { ensureTestPackages } from "./prepare.ts";
import { type Durations, Summary } from "./reporter.ts";
import { withCoverage } from "./script-coverage.ts";

/** How long each file took the last time. The longest start first, so that none is left for the end. */
const durationsFile = path.join(localFolder, "test-durations.json");

/** Estimates in milliseconds, by the beginning of a path, for files that have not run before. */
const estimates: Durations = {
  "test/unit/rehearsal/machine/fault-table": 60_000,
  "test/engine/": 30_000,
  "test/unit/rehearsal/powershell/": 30_000,
};

/** Longer than any test takes on a busy machine. */
const hangsAfterMinutes = 20;

useMemory();
const chosen = process.argv.slice(2);
process.exitCode = (await (chosen.length === 0 ? everything() : tests(chosen))) ? 0 : 1;

/** Puts temporary files in memory, which is much faster for thousands of small ones, if there is room and no noexec. */
function useMemory(): void {
  const folder = "/dev/shm";
  const neededBytes = 2 * 1024 ** 3; // four times the most that was ever used
  try {
    const mounted = readFileSync("/proc/mounts", "utf8").split("\n");
    const isExecutable = mounted.some((line) => /^\S+ \/dev\/shm tmpfs (?!\S*noexec)/.test(line));
    const { bavail, bsize } = statfsSync(folder);
    if (isExecutable && bavail * bsize >= neededBytes) process.env["TMPDIR"] ??= folder;
  } catch {
    // Temporary files stay in the usual folder.
  }
}

async function everything(): Promise<boolean> {
  await ensureTestPackages();
  const engine = execa("make", ["engine"], {
    ...({ stdio: ["ignore", "inherit", "inherit"], reject: false } as const),
  }).then(({ failed }) => !failed);
  const checked = checks();
  const { result, problems } = await withCoverage("interpreter", async () => {
    const built = await engine;
    // In one run, because tests with the engine wait half of their time and the others do not.
    const folders = ["test/unit", ...(built ? ["test/engine"] : [])];
    return (await tests(folders, 2 * os.availableParallelism())) && built;
  });
  problems.forEach((problem) => console.log(`FAILED ${problem}`));
  return (await checked) && result && problems.length === 0;
}

/** Types and style; prints their output once they have ended. */
async function checks(): Promise<boolean> {
  const { all, failed, durationMs } = await execa("make", ["lint"], { all: true, reject: false });
  console.log(`${all}\nlint ${failed ? "FAILED" : "passed"} (${(durationMs / 1000).toFixed(0)} s)`);
  return !failed;
}

async function tests(names: readonly string[], jobs = os.availableParallelism()): Promise<boolean> {
  const known = earlierDurations();
  const expected = (file: string): number =>
    known[file] ?? Object.entries(estimates).find(([begin]) => file.startsWith(begin))?.[1] ?? 0;
  const files = names
    .flatMap((name) => (name.endsWith(".ts") ? [name] : testFiles(name)))
    .sort((one, other) => expected(other) - expected(one));
  const mocha = new Mocha({
    ...{ parallel: true, jobs, files },
    ...{ require: mocharc.require, timeout: mocharc.timeout, forbidOnly: mocharc.forbidOnly },
  });
  files.forEach((file) => mocha.addFile(file));
  let durations: Durations = {};
  mocha.reporter(
    class extends Summary {
      constructor(...args: ConstructorParameters<typeof Summary>) {
        super(...args);
        durations = this.durations;
      }
    },
  );
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    const left = new Set(files);
    const timer = setTimeout(() => {
      console.log(
        `No test has ended for ${hangsAfterMinutes} minutes. Files left: ${[...left].join(", ")}`,
      );
      process.kill(process.pid, "SIGINT"); // Mocha ends its processes first.
    }, hangsAfterMinutes * 60_000);
    runner.on(Mocha.Runner.constants.EVENT_TEST_END, ({ file = "" }) => {
      left.delete(path.relative("", file));
      timer.refresh();
    });
    runner.on(Mocha.Runner.constants.EVENT_RUN_END, () => clearTimeout(timer));
  });
  mkdirSync(localFolder, { recursive: true });
  writeFileSync(durationsFile, JSON.stringify({ ...earlierDurations(), ...durations }));
  return failures === 0;
}

function testFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join(folder, name));
}

function earlierDurations(): Durations {
  try {
    return JSON.parse(readFileSync(durationsFile, "utf8")) as Durations;
  } catch {
    return {};
  }
}
