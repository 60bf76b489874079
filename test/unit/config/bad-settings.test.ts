import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { problemText, SettingsError } from "../../../config/problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";

interface BadCase {
  readonly case: string;
  readonly stack?: string;
  readonly settings: Record<string, unknown>;
  readonly problems: readonly string[];
}

const cases = parse(
  readFileSync(new URL("bad-settings.yaml", import.meta.url), "utf8"),
) as readonly BadCase[];

/** The error of settings that have one. */
function errorOf({ settings, stack = "dev" }: BadCase): SettingsError {
  try {
    resolveSettings(settings, { stack, file: `Pulumi.${stack}.yaml` });
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error;
  }
  return assert.fail("these settings were taken");
}

describe("bad settings", () => {
  for (const one of cases) {
    it(one.case, () => {
      assert.ok(one.problems.length > 0, "a case without an expected problem proves nothing");
      assert.deepEqual(errorOf(one).problems.map(problemText), one.problems);
    });
  }

  it("all of them at once are one error that names the file and every problem", () => {
    const all = cases.at(-1) ?? assert.fail("no cases");
    const lines = errorOf(all).message.split("\n");
    assert.equal(
      lines[0],
      `${all.problems.length} mistakes in the settings (Pulumi.dev.yaml); nothing was changed:`,
    );
    assert.deepEqual(
      lines.slice(1),
      all.problems.map((problem) => `  - ${problem}`),
    );
  });

  it("names every case once", () => {
    const names = cases.map((one) => one.case);
    assert.equal(new Set(names).size, names.length);
  });
});
