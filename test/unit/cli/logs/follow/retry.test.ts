import assert from "node:assert/strict";

import {
  SourceRefused,
  withRetries,
  type Ending,
} from "../../../../../cli/logs/follow/log-stream.ts";
import { eachCase } from "../../../each-case.ts";

type Try = Error | "alive, then lost" | "done";

/** What each try comes to; the clock goes on by 100 s with each. */
const cases: Readonly<Record<string, readonly [readonly Try[], Ending, told: string[]]>> = {
  "one that ends by itself": [["done"], "ended", []],
  "one that comes back": [
    [new Error("no route\nmore"), "alive, then lost", "done"],
    "ended",
    [
      "does not answer (no route); waits for it, for up to 250 s",
      "answers again",
      "does not answer (lost); waits for it, for up to 250 s",
    ],
  ],
  "one that stays away": [
    ["a", "b", "c", "d", "never"].map((reason) => new Error(reason)),
    "given up",
    [
      "does not answer (a); waits for it, for up to 250 s",
      "given up after 250 s without an answer; the last try: d",
    ],
  ],
  "one that refuses": [
    [new SourceRefused("it is another one"), new Error("never")],
    "given up",
    ["given up: it is another one"],
  ],
};

describe("waiting for a source of logs", () => {
  eachCase("%s", cases, async ([tries, ending, told]) => {
    const heard: string[] = [];
    let at = 0;
    let clock = 0;
    const came = await withRetries({
      waitSeconds: 250,
      pauseSeconds: 0,
      signal: new AbortController().signal,
      tell: (text) => heard.push(text),
      now: () => clock,
      follow: (alive) => {
        const next = tries[at++];
        clock += 100_000;
        if (next === "done") return Promise.resolve();
        if (next !== "alive, then lost") return Promise.reject(next ?? new Error("too often"));
        alive();
        return Promise.reject(new Error("lost"));
      },
    });
    assert.equal(came, ending);
    assert.deepEqual(heard, told);
  });

  it("ends at once when it is told to, and says nothing of what broke then", async () => {
    const end = new AbortController();
    const heard: string[] = [];
    const waiting = withRetries({
      waitSeconds: 3600,
      pauseSeconds: 3600,
      signal: end.signal,
      tell: (text) => {
        heard.push(text);
        setImmediate(() => end.abort());
      },
      follow: () => Promise.reject(new Error("off")),
    });
    assert.equal(await waiting, "ended");
    assert.equal(heard.length, 1);
  });
});
