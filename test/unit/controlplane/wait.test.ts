import assert from "node:assert/strict";

import { waitFor } from "../../../host/wait.ts";
import type { Look } from "../../../host/wait.ts";
import { eachCase } from "../each-case.ts";

const options = { what: "the moon", timeoutSeconds: 600, pauseSeconds: 0.01 };
const short = { ...options, timeoutSeconds: 0.05 };

describe("waiting", () => {
  it("ends as soon as the thing is there", async () => {
    let looks = 0;
    const found = await waitFor(options, (): Promise<Look<string>> => {
      looks++;
      return Promise.resolve(looks < 3 ? { seen: "clouds" } : { found: "moon" });
    });
    assert.equal(found, "moon");
    assert.equal(looks, 3);
  });

  const clouds = (): Promise<Look<true>> => Promise.resolve({ seen: "clouds" });
  const ends: Readonly<
    Record<string, readonly [() => Promise<Look<true>>, RegExp, hint?: string]>
  > = {
    "with what it waited for and what it last saw": [
      clouds,
      /^Error: waited 0.05 s for the moon; last seen: clouds$/,
    ],
    "with what may help": [clouds, /last seen: clouds \(try the sun\)$/, "try the sun"],
    "with an error as something seen": [
      () => Promise.reject(new Error("rain")),
      /last seen: rain$/,
    ],
    "during a look that never ends": [
      () => new Promise(() => undefined),
      /last seen: no answer within 1 s/,
    ],
  };
  eachCase("ends in time, %s", ends, ([look, message, hint]) =>
    assert.rejects(waitFor({ ...short, ...(hint && { hint }) }, look), message),
  );

  it("tells of changes only", async () => {
    const told: string[] = [];
    const seen = ["a", "a", "b", "b", "b", "a"];
    let look = 0;
    await waitFor({ ...options, onChange: (each) => told.push(each) }, () => {
      const now = seen[look++];
      return Promise.resolve<Look<true>>(now === undefined ? { found: true } : { seen: now });
    });
    assert.deepEqual(told, ["a", "b", "a"]);
  });
});
