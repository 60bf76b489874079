import assert from "node:assert/strict";
import { VirtualTime } from "../../../rehearsal/host/machine-time.ts";

describe("The virtual time of a machine", () => {
  const time = new VirtualTime();
  const order: (string | number)[] = [];
  const sleeper = (name: string, milliseconds: number): Promise<void> =>
    time.busy(async () => {
      await time.sleep(milliseconds);
      order.push(name, time.elapsed());
    });

  it("passes where all wait, from one end of a wait to the next, however long", async () => {
    await Promise.all([sleeper("day", 86_400_000), sleeper("second", 1000), sleeper("now", 0)]);
    assert.deepEqual(order.splice(0), ["now", 0, "second", 1000, "day", 86_400_000]);
  });

  it("stands while anything is under way, and a wait ends early where it is asked to", async () => {
    const since = time.elapsed();
    const end = new AbortController();
    const limit = time.busy(async () => {
      await time.sleep(Infinity, end.signal);
      order.push("ended");
    });
    const other = sleeper("other", 1000);
    await time.busy(async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(time.elapsed(), since);
      end.abort();
    });
    await Promise.all([limit, other]);
    assert.deepEqual(order, ["ended", "other", since + 1000]);
    await time.busy(() => time.sleep(Infinity, end.signal));
  });

  it("knows no wait of nobody", () =>
    assert.rejects(time.sleep(1), /a wait is not part of anything busy/));
});
