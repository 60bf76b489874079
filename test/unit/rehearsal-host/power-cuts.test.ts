import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { PowerLost } from "../../../rehearsal/host/power-lost.ts";
import { stepBehaviours } from "../../../rehearsal/host/step-behaviours.ts";
import { type StepName, stepNames } from "../../../rehearsal/host/step-names.ts";
import { differences } from "./fault-table/differences.ts";
import { listing } from "./machine-listing.ts";
import { goodArguments, joinInput, runStep, startWithSteps } from "./step-runner.ts";

/** Cells played side by side: some of their time is waiting. */
const atOnce = 6;
/** No script makes more changes. */
const most = 500;

/** Runs a step as far as the machine has power, then waits until it is up again. */
async function run(host: RehearsalHost, step: StepName): Promise<number | undefined> {
  const ended = await runStep(host, step, goodArguments(host)[step], joinInput).catch(
    (error: unknown) => {
      if (!(error instanceof PowerLost)) throw error;
    },
  );
  await host.windows.tasksEnded();
  await host.up();
  return ended?.exitCode;
}

/** What a machine is like before a step, and after it when nothing happens. */
interface Reference {
  readonly before: string;
  readonly after: Record<string, string>;
}

/** A step is cut off before its n-th change and run again; what is wrong then. Undefined: it makes fewer changes. */
async function cut(
  step: StepName,
  at: number,
  { before, after }: Reference,
): Promise<string[] | undefined> {
  const host = await startWithSteps({ drive: before, faults: [{ kind: "reboot", step, at }] });
  try {
    const first = await run(host, step);
    if (first === 0 && host.boots === 1) return undefined;
    const again = await run(host, step);
    return again === 0
      ? differences(after, await listing(host))
      : [`the next run ended with ${again}`];
  } finally {
    await host.stop();
  }
}

describe("A power cut before each change that a step makes", () => {
  let folder: string;
  const references = new Map<StepName, Reference>();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "kindows-cuts-"));
    let drive: string | undefined;
    for (const step of stepNames) {
      const host = await startWithSteps(drive === undefined ? {} : { drive });
      try {
        const before = join(folder, step);
        const filter = (path: string): boolean => !path.includes("/kindows/steps");
        await cp(host.driveC, before, { recursive: true, filter });
        assert.equal(await run(host, step), 0, step);
        references.set(step, { before, after: await listing(host) });
        drive = join(folder, `after ${step}`);
        await cp(host.driveC, drive, { recursive: true, filter });
      } finally {
        await host.stop();
      }
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const step of stepNames.filter((name) => !(name in stepBehaviours))) {
    it(step, async () => {
      const reference = references.get(step);
      assert.ok(reference);
      const problems: string[] = [];
      let next = 1;
      let places = most;
      const worker = async (): Promise<void> => {
        for (let at = next++; at < places; at = next++) {
          const found = await cut(step, at, reference);
          if (found === undefined) places = Math.min(places, at);
          else problems.push(...found.map((problem) => `before change ${at}: ${problem}`));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      assert.ok(places < most);
      assert.deepEqual(problems, []);
      console.log(`      ${places - 1} places`);
    });
  }
});
