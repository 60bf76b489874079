import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { mock } from "node:test";

import {
  renderLabels,
  renderSorted,
  renderTaints,
} from "../../../components/node/node-registration.ts";
import { below, readXml } from "../../../host/read-xml.ts";
import { runProgram } from "../../../host/run-program.ts";
import { runWithSharedInput } from "../../../host/shared-input.ts";
import { type Look, waitUntil } from "../../../host/wait-until.ts";
import { eachCase } from "../each-case.ts";

describe("what libvirt describes", () => {
  const text = `<pool type='dir'>\n  <name>a&amp;b &#x41;</name>\n</pool>\n<!-- x -->\n<pool type="rbd"/>`;

  it("is read with either quotes, references and several documents behind each other", () => {
    const pools = below(readXml(text), "pool");
    const read = pools.map((pool) => [pool.attributes["type"], below(pool, "name")[0]?.text]);
    assert.deepEqual(read.flat(), ["dir", "a&b A", "rbd", undefined]);
    assert.deepEqual(readXml("").elements, []);
  });
});

const options = { what: "the moon", timeoutSeconds: 600, pollMilliseconds: 10 };
const short = { ...options, timeoutSeconds: 0.05 };

describe("a virsh that crashes", () => {
  /** @param first what it does in the first of its runs. */
  const crashing = async (first: string, times: number) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-crashes-"));
    const virsh = path.join(folder, "virsh");
    const runs = `$(wc -l <${folder}/runs)`;
    const script = `#!/bin/sh\necho . >>${folder}/runs\n[ ${runs} -gt ${times} ] || { ${first}; kill -SEGV $$; }\necho well`;
    await writeFile(virsh, script, { mode: 0o755 });
    const { how, stdout } = await runProgram(virsh, [], 30);
    await rm(folder, { recursive: true });
    return [how, stdout];
  };

  it("is run again, twice at most", async () => {
    assert.deepEqual(await crashing(":", 2), ["well", "well"]);
    assert.deepEqual(await crashing(":", 3), ["badly", ""]);
  });

  it("has answered where it has printed something, and no error", async () => {
    assert.deepEqual(await crashing("echo answer", 1), ["well", "answer"]);
    assert.deepEqual(await crashing("echo part; echo error >&2", 3), ["badly", "part"]);
  });
});

describe("programs with one input", () => {
  const chunk = Buffer.alloc(1024 * 1024, "0123456789abcdef");
  const chunks = Array.from({ length: 5 }, () => chunk);
  const sha256 = createHash("sha256").update(Buffer.concat(chunks)).digest("hex");

  async function* read(end?: Error): AsyncGenerator<Buffer> {
    for (const each of chunks) yield await Promise.resolve(each);
    if (end !== undefined) throw end;
  }

  it("get all of it, however fast they are, and whichever has ended before", async () => {
    const programs = ["sha256sum", "sleep 0.2; sha256sum", "head -c 9; exit 3", "exit 4", "wc -c"];
    const commands = programs.map((each) => ["-c", each]);
    const ends = await runWithSharedInput("sh", commands, read(), 60);
    assert.deepEqual(
      ends.map(({ exitCode, stdout }) => [exitCode, stdout.replace(/ *-$/, "")]),
      [
        [0, sha256],
        [0, sha256],
        [3, "012345678"],
        [4, ""],
        [0, String(5 * chunk.length)],
      ],
    );
  });

  it("end where it can't be read", () =>
    assert.rejects(runWithSharedInput("cat", [[]], read(new Error("unplugged")), 60), /unplugged/));
});

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

  describe("on an error that stays", () => {
    const failing = (isFinal: boolean, recovers = Infinity) => {
      let looks = 0;
      const look = (): Promise<string | undefined> =>
        ++looks > recovers
          ? Promise.resolve(undefined)
          : Promise.reject(Object.assign(new Error("no such field"), { isFinal }));
      return { look, looks: () => looks };
    };
    let now = 0;
    // A second between two looks at the clock, and two such looks in an attempt.
    beforeEach(() => mock.method(Date, "now", () => (now += 1000)));
    afterEach(() => mock.restoreAll());
    const long = { ...options, timeoutSeconds: 600 };

    it("ends early if no attempt can change it, with the error", async () => {
      const { look, looks } = failing(true);
      await assert.rejects(waitUntil(long, look), /^Error: the moon: no such field$/);
      assert.ok(looks() > 1 && looks() < 6, String(looks()));
    });

    it("goes on if the error is not final, or does not stay", async () => {
      await assert.rejects(waitUntil(long, failing(false).look), /^Error: waited 600 s/);
      await waitUntil(long, failing(true, 2).look);
    });
  });

  it("ends before its time where nobody wants it any more", () =>
    assert.rejects(waitUntil({ ...options, signal: AbortSignal.abort() }, clouds), /aborted/));

  it("tells of changes only", async () => {
    const reported: string[] = [];
    const seen = ["a", "a", "b", "b", "b", "a"];
    await waitUntil({ ...options, onChange: (each) => reported.push(each) }, () =>
      Promise.resolve(seen.shift()),
    );
    assert.deepEqual(reported, ["a", "b", "a"]);
  });
});

describe("what a node registers with", () => {
  const labels = "a=1,b=2,example.com/a=";
  const os = { key: "os", value: "windows", effect: "NoSchedule" } as const;
  const busy = { key: "busy", value: "", effect: "NoExecute" } as const;
  const args = { v: "4", "feature-gates": "A=true,B=false", "max-pods": "60" };
  const cases: Readonly<Record<string, readonly [rendered: string, expected: string]>> = {
    labels: [renderLabels({ b: "2", "example.com/a": "", a: "1" }), labels],
    "labels in another order": [renderLabels({ a: "1", "example.com/a": "", b: "2" }), labels],
    "taints, which keep theirs": [renderTaints([os, busy]), "os=windows:NoSchedule,busy:NoExecute"],
    "arguments of kubelet, without dashes": [
      renderSorted(args, " "),
      "feature-gates=A=true,B=false max-pods=60 v=4",
    ],
    nothing: [renderSorted({}, " ") + renderLabels({}) + renderTaints([]), ""],
  };
  eachCase("%s", cases, ([rendered, expected]) => assert.equal(rendered, expected));
});
