import assert from "node:assert/strict";

import { type Look, waitUntil } from "../../../host/wait-until.ts";
import { eachCase } from "../each-case.ts";

const options = { what: "the moon", timeoutSeconds: 600, pollMilliseconds: 10 };
const short = { ...options, timeoutSeconds: 0.05 };

describe("waiting", () => {
  it("ends as soon as the thing is there", async () => {
    let looks = 0;
    const found = await waitUntil(options, (): Promise<Look<string>> => {
      looks++;
      return Promise.resolve(looks < 3 ? "clouds" : { found: "moon" });
    });
    assert.equal(found, "moon");
    assert.equal(looks, 3);
  });

  const clouds = (): Promise<string> => Promise.resolve("clouds");
  const ends: Readonly<Record<string, readonly [() => Promise<string>, RegExp, hint?: string]>> = {
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
    assert.rejects(waitUntil({ ...short, ...(hint && { hint }) }, look), message),
  );

  it("tells of changes only", async () => {
    const reported: string[] = [];
    const seen = ["a", "a", "b", "b", "b", "a"];
    await waitUntil({ ...options, onChange: (each) => reported.push(each) }, () =>
      Promise.resolve(seen.shift()),
    );
    assert.deepEqual(reported, ["a", "b", "a"]);
  });
});
