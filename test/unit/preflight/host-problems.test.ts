import assert from "node:assert/strict";
import { parse } from "yaml";
import { hostProblemsText, hostProblemText } from "../../../config/host-problem.ts";
import { judge } from "../../../preflight/judge.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import type { Settings } from "../../../config/settings.ts";
import { conflictCases } from "./conflict-cases.ts";
import { goodHost } from "./good-host.ts";
import { rehearsal, windows } from "./host-case.ts";
import { hypervisorCases } from "./hypervisor-cases.ts";
import { linuxImageCases } from "./linux-image-cases.ts";
import { missingCases } from "./missing-cases.ts";
import { roomCases } from "./room-cases.ts";

/** Settings of the lab "x". */
function settingsOf(yaml: string): Settings {
  return resolveSettings(parse(yaml) as Record<string, unknown>, {
    stack: "x",
    file: "Pulumi.x.yaml",
  });
}

describe("preflight", () => {
  for (const settings of [rehearsal, windows]) {
    it(`has nothing against a good host for ${settings}`, () => {
      assert.deepEqual(judge(settingsOf(settings), goodHost), []);
    });
  }

  for (const { name, settings, host, problems } of [
    ...missingCases,
    ...conflictCases,
    ...roomCases,
    ...hypervisorCases,
    ...linuxImageCases,
  ]) {
    it(name, () => {
      const found = judge(settingsOf(settings), { ...goodHost, ...host });
      assert.deepEqual(found.map(hostProblemText), problems);
    });
  }

  it("puts everything into one message", () => {
    const found = judge(settingsOf(windows), { ...goodHost, kvm: "absent", image: "missing" });
    const lines = hostProblemsText(found).split("\n");
    assert.equal(lines[0], "2 things are in the way on this host; nothing was changed:");
    assert.deepEqual(
      lines.slice(1),
      found.map((problem) => `  - ${hostProblemText(problem)}`),
    );
  });
});
