import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { chosenParts, PartResults, parts, runParts } from "../../e2e-full/parts.ts";
import { newFolder } from "../new-folder.ts";

const part = (name: string) => ({ name, args: [name] });
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

describe("make e2e-full", () => {
  let folder: string;
  beforeEach(() => (folder = newFolder()));

  /** Runs parts that print and end as they should, until one of them stops all. */
  async function run(
    results: PartResults,
    ends: Readonly<Record<string, readonly [output: string, exitCode?: number]>>,
    stoppedIn?: string,
  ) {
    const begun: string[] = [];
    const stopped = new AbortController();
    await runParts(Object.keys(ends).map(part), {
      ...{ results, commit: "abc1234", signal: stopped.signal },
      run: ({ name }) => {
        begun.push(name);
        if (name === stoppedIn) stopped.abort();
        const [output, exitCode] = ends[name] ?? assert.fail(name);
        return Promise.resolve({ output, exitCode, seconds: 75 });
      },
    });
    return { begun, ...(await results.summary(Object.keys(ends).map(part))) };
  }

  const passes = ["  2 passing (3s)\n  1 pending\n", 0] as const;

  it("tells what became of each part, with what mocha counted last", async () => {
    const { text, passed } = await run(new PartResults(folder, "now"), {
      good: passes,
      "reported-by-a-test": [
        "  9 passing\n  9 failing\n\n\u001b[92m  2 passing\u001b[0m (3s)\n",
        0,
      ],
      bad: ["  1 passing (3s)\n  2 failing\n", 2],
      "failed-outside-of-tests": ["  3 passing (3s)\n", 1],
      "without-a-test": ["  0 passing (3s)\n", 0],
      killed: [""],
    });
    assert.equal(passed, false);
    assert.deepEqual(
      text.split("\n").map((line) => line.split(/ {2,}/).join("|")),
      [
        "part|result|passed|failed|skipped|time|commit",
        "good|passed|2|0|1|1 min 15 s|abc1234",
        "reported-by-a-test|passed|2|0|0|1 min 15 s|abc1234",
        "bad|failed|1|2|0|1 min 15 s|abc1234",
        "failed-outside-of-tests|failed|3|0|0|1 min 15 s|abc1234",
        "without-a-test|failed|0|0|0|1 min 15 s|abc1234",
        "killed|failed|0|0|0|1 min 15 s|abc1234",
      ],
    );
  });

  it("goes on with what has not passed, with the same sources only", async () => {
    const results = new PartResults(folder, "now");
    const first = await run(
      results,
      { one: passes, two: ["", 1], three: passes, four: passes },
      "three",
    );
    assert.deepEqual(first.begun, ["one", "two", "three"]);
    assert.match(first.text, /^three .*\nfour +not run$/m);
    const all = { one: passes, two: passes, three: passes, four: passes };
    const second = await run(new PartResults(folder, "now"), all);
    assert.deepEqual(second.begun, ["two", "four"]);
    assert.equal(second.passed, true);
    assert.deepEqual((await run(results, all)).begun, []);
    await results.removeFiles([part("one")]);
    assert.deepEqual((await run(results, all)).begun, ["one"]);
    assert.deepEqual((await run(new PartResults(folder, "other"), all)).begun, Object.keys(all));
  });

  it("runs the parts that are asked for, all rows of a file by its name, and names them where one is not there", () => {
    const all = ["a", "b.one", "b.two", "bb"].map(part);
    for (const [asked, found] of [
      [[], ["a", "b.one", "b.two", "bb"]],
      [["b"], ["b.one", "b.two"]],
      [
        ["bb", "a"],
        ["a", "bb"],
      ],
      [["b.two"], ["b.two"]],
    ] as const) {
      assert.deepEqual(names(chosenParts(asked, all)), found);
    }
    assert.throws(() => chosenParts(["a", "x"], [part("a")]), /no part x; parts: a$/);
  });

  it("has a part for every test", () => {
    const files = ["test/e2e", "test/e2e-full"].flatMap((one) =>
      readdirSync(one).map((name) => path.join(one, name)),
    );
    assert.deepEqual(
      [...new Set(parts.map(({ args }) => args[0]))].sort(),
      files.filter((file) => file.endsWith(".test.ts")).sort(),
    );
    assert.equal(new Set(names(parts)).size, parts.length);
  });
});
