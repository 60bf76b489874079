import assert from "node:assert/strict";
import { MediaError } from "../../../components/machine/disk/media-program.ts";
import { hostProblemText } from "../../../config/host-problem.ts";

/** All that an examination finds wrong, with files' paths below the test's folder. Fails where it finds nothing. */
export async function mediaProblems(
  examination: Promise<unknown>,
  folder: string,
): Promise<string[]> {
  try {
    await examination;
  } catch (error) {
    assert.ok(error instanceof MediaError, String(error));
    return error.problems.map((problem) => hostProblemText(problem).replaceAll(`${folder}/`, ""));
  }
  return assert.fail("nothing was found wrong");
}
