import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { waitUntil } from "../../../host/wait-until.ts";
import { PartResults } from "../../e2e-full/parts.ts";
import { chosenParts, parts } from "../../e2e-full/parts.ts";
import { runMocha, runParts } from "../../e2e-full/parts.ts";
import { sourcesOf } from "../../e2e-full/parts.ts";
import { newFolder } from "../new-folder.ts";

const part = (name: string) => ({ name, args: [name] });
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
const rows = parts.filter(({ name }) => name.startsWith("killed-runs."));

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

  it("has a part that was ended run again, and takes a damaged note for none", async () => {
    const results = new PartResults(folder, "now");
    const { text } = await run(results, { one: ["", undefined] }, "one");
    assert.match(text, /^one +interrupted /m);
    await writeFile(path.join(folder, "two.json"), "{");
    assert.deepEqual((await run(results, { one: passes, two: passes })).begun, ["one", "two"]);
  });

  it("keeps a mocha's log, and ends it with all that it runs", async () => {
    const project = process.cwd();
    const test = path.join(folder, "hangs.mjs");
    await writeFile(
      test,
      `import "${project}/test/e2e/lab.ts";
       import { runAsGroup } from "${project}/test/e2e/process-group.ts";
       it("hangs", () => runAsGroup("sh", ["-c", "echo $$; exec sleep 600"], {
         logFile: "${folder}/inner/log",
         onText: (text) => console.log("runs " + text),
       }));`,
    );
    const stopped = new AbortController();
    const log = path.join(folder, "outer", "log");
    const running = runMocha([test], log, stopped.signal);
    let pid = "";
    const what = "the test to run";
    await waitUntil({ what, timeoutSeconds: 120, pollMilliseconds: 50 }, async () => {
      const text = await readFile(log, "utf8").catch(() => "");
      pid = /^runs (\d+)$/m.exec(text)?.[1] ?? "";
      return pid === "" ? text : undefined;
    });
    stopped.abort();
    assert.notEqual((await running).exitCode, 0);
    await waitUntil(
      { what: `${pid} to end`, timeoutSeconds: 60, pollMilliseconds: 50 },
      async () => {
        const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => " Z ");
        return /\) Z | Z $/.test(state) ? undefined : state;
      },
    );
  });

  it("takes sources as they lie there, and no documents, for what results hang on", async () => {
    const file = (name: string) => path.join(folder, name);
    await execa("git", ["init", "--quiet", folder]);
    await writeFile(file(".gitignore"), "ignored\n");
    await mkdir(file("src"));
    await writeFile(file("src/a.ts"), "1");
    await execa("git", ["-C", folder, "add", "."]);
    const before = await sourcesOf(folder);
    for (const [name, content, isSame] of [
      ["README.md", "words", true],
      ["ignored", "1", true],
      ["src/new.ts", "1", false],
      ["src/a.ts", "2", false],
    ] as const) {
      await writeFile(file(name), content);
      assert.equal((await sourcesOf(folder)) === before, isSame, name);
      if (name === "src/new.ts") await rm(file(name));
    }
    await rm(file("src/a.ts"));
    assert.notEqual(await sourcesOf(folder), before);
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

  it("has a part for every test, and names for all, each once", async () => {
    const files = ["test/e2e", "test/e2e-full"].flatMap((one) =>
      readdirSync(one).map((name) => path.join(one, name)),
    );
    assert.deepEqual(
      [...new Set(parts.map(({ args }) => args[0]))].sort(),
      files.filter((file) => file.endsWith(".test.ts")).sort(),
    );
    const { stdout } = await execa("node", [
      ...["--import", "tsx", "test/e2e-full/main.ts", "--list", "--json"],
    ]);
    assert.deepEqual(JSON.parse(stdout), [...new Set(names(parts))]);
    const dry = ["--dry-run", "--reporter", "json", "test/e2e-full/killed-runs.test.ts"];
    const run = JSON.parse((await execa("node_modules/.bin/mocha", dry)).stdout) as {
      tests: readonly { readonly title: string }[];
    };
    for (const { title } of run.tests) {
      const fitting = rows.filter(({ args }) => title.includes(args[2] ?? "none"));
      assert.equal(fitting.length, 1, title);
    }
    assert.ok(run.tests.length > 0);
  });
});
