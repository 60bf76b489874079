import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { nodeScripts } from "../../../components/windows/steps.ts";
import { goodArguments, joinInput, runStep, startWithSteps, stepNames } from "./step-runner.ts";

const read = (file: string): string =>
  readFileSync(new URL(`../../../components/windows/steps/${file}`, import.meta.url), "utf8");

/** What a script's help says behind "Facts:". */
function documentedFacts(step: string): string {
  return /Facts: ([^]*?)\n\n/.exec(read(`${step}.ps1`))?.[1] ?? "";
}

describe("The facts of each step's result are those that its help names", () => {
  let host: RehearsalHost;
  before(async () => {
    host = await startWithSteps();
  });
  after(() => host.stop());

  it("are looked at of each step there is", () =>
    assert.deepEqual([...stepNames].sort(), [...nodeScripts.keys()].sort()));

  for (const step of stepNames) {
    it(step, async () => {
      const result = await runStep(host, step, goodArguments(host)[step], joinInput);
      assert.equal(result.exitCode, 0, result.stderr);
      await host.up();
      const facts = Object.keys(result.facts);
      const documented = documentedFacts(step);
      assert.notEqual(documented, "");
      for (const name of facts) assert.match(documented, new RegExp(`\\b${name}\\b`));
      const names = documented.replace(/\([^)]*\)|\b(and|after|a|reboot)\b/g, "").match(/\w+/g);
      assert.deepEqual(facts.sort(), names?.sort());
    });
  }
});
