import assert from "node:assert/strict";
import path from "node:path";

import { engineEnvironment } from "../../../cli/engine/environment.ts";
import { previewOf } from "../../../cli/preview-diff/preview.ts";
import { check, needless, readAllowances } from "../../../policy/check.ts";
import type { Finding } from "../../../policy/check.ts";
import { builtTool } from "../../../toolchain/built.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

describe("the policies, over the stacks that come with the project", function () {
  this.timeout(300_000);

  it("are kept by each, with exceptions that each are needed", async () => {
    const allowances = await readAllowances(path.join(repository, "policy"));
    const findings: Finding[] = [];
    for (const stack of ["dev", "rehearsal", "fleet"]) {
      const preview = await previewOf(repository, stack, {
        program: builtTool("pulumi"),
        environment: { ...process.env, ...engineEnvironment(process.env) },
        signal: new AbortController().signal,
      });
      assert.ok(preview.resources.some(({ type }) => type.startsWith("command:remote:")));
      findings.push(...check(preview, allowances));
    }
    assert.deepEqual(
      findings.filter(({ accepted }) => accepted === undefined),
      [],
    );
    assert.deepEqual(needless(allowances.exceptions, findings), []);
  });
});
