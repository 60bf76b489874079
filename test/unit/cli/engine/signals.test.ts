import assert from "node:assert/strict";
import { passSignalsOn } from "../../../../cli/engine/signals.ts";

/** Keeps the signals it gets. */
function child(): { kill: (signal: NodeJS.Signals) => boolean; got: NodeJS.Signals[] } {
  const got: NodeJS.Signals[] = [];
  return { got, kill: (signal) => got.push(signal) > 0 };
}

describe("signals to a kindows command", () => {
  for (const [sent, passed] of [
    [[], []],
    [["SIGINT"], ["SIGINT"]],
    [["SIGTERM"], ["SIGTERM"]],
    // The engine would die of it, and leave its lock.
    [["SIGHUP"], ["SIGTERM"]],
    [
      ["SIGINT", "SIGINT"],
      ["SIGINT", "SIGINT"],
    ],
    [
      ["SIGHUP", "SIGTERM", "SIGINT", "SIGINT"],
      ["SIGTERM", "SIGTERM", "SIGKILL", "SIGKILL"],
    ],
  ] as const) {
    it(`${sent.join(", ") || "none"} reach the engine as ${passed.join(", ") || "none"}`, () => {
      const engine = child();
      const signals = passSignalsOn(engine);
      for (const signal of sent) {
        process.emit(signal);
      }
      assert.equal(signals.stop(), sent.length > 0);
      assert.deepEqual(engine.got, passed);
    });
  }

  it("are no longer passed on after the engine's end", () => {
    const engine = child();
    const before = process.listenerCount("SIGTERM");
    const signals = passSignalsOn(engine);
    assert.equal(process.listenerCount("SIGTERM"), before + 1);
    signals.stop();
    assert.equal(process.listenerCount("SIGTERM"), before);
  });
});
