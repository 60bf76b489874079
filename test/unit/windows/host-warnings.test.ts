import assert from "node:assert/strict";
import { hostWarnings } from "../../../components/windows/host-warnings.ts";

const now = new Date("2026-11-21T12:00:00Z");

describe("warnings about a machine", () => {
  const cases: readonly (readonly [
    name: string,
    facts: Readonly<Record<string, unknown>>,
    warnings: readonly RegExp[],
  ])[] = [
    ["no licence that ends, no reboot", { evaluationEnds: "", rebootPending: "" }, []],
    ["a result of an older script", {}, []],
    ["180 days left", { evaluationEnds: "2027-05-20T12:00:00Z" }, []],
    ["15 days left", { evaluationEnds: "2026-12-06T12:00:01Z" }, []],
    ["14 days left", { evaluationEnds: "2026-12-05T12:00:01Z" }, [/^win-1: .* ends in 14 days/]],
    ["hours left", { evaluationEnds: "2026-11-21T20:00:00Z" }, [/ends in 0 days/]],
    ["none left", { evaluationEnds: "2026-11-21T11:59:59Z" }, [/ended on 2026-11-21T11:59:59Z/]],
    ["a reboot", { rebootPending: "Windows Update" }, [/waiting for a reboot .*Windows Update/]],
  ];
  for (const [name, facts, expected] of cases) {
    it(`${name}: ${expected.length}`, () => {
      const result = {
        step: "Test-WindowsHost",
        changed: false,
        rebootRequired: false,
        seconds: 1,
        facts,
      };
      const warnings = hostWarnings("win-1", result, now);
      assert.equal(warnings.length, expected.length, warnings.join());
      expected.forEach((pattern, index) => assert.match(warnings[index] ?? "", pattern));
    });
  }
});
