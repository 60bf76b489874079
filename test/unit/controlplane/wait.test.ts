import assert from "node:assert/strict";

import { waitFor } from "../../../components/controlplane/actions/wait.ts";
import type { Look } from "../../../components/controlplane/actions/wait.ts";

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

  it("ends in time, with what it waited for and what it last saw", async () => {
    await assert.rejects(
      waitFor(short, () => Promise.resolve({ seen: "clouds" })),
      /^Error: waited 0.05 s for the moon; last seen: clouds$/,
    );
  });

  it("says what may help when it ends", async () => {
    await assert.rejects(
      waitFor({ ...short, hint: "try the sun" }, () => Promise.resolve({ seen: "clouds" })),
      /last seen: clouds \(try the sun\)$/,
    );
  });

  it("takes an error for something seen", async () => {
    await assert.rejects(
      waitFor(short, () => Promise.reject(new Error("rain"))),
      /last seen: rain$/,
    );
  });

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

  it("does not wait for a look that never ends", async () => {
    await assert.rejects(
      waitFor(short, () => new Promise<Look<true>>(() => undefined)),
      /last seen: no answer within 1 s/,
    );
  });
});
