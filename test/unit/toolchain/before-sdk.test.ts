import assert from "node:assert/strict";
import { Session } from "node:inspector";
import { promisify } from "node:util";
import { runInThisContext } from "node:vm";
import * as pulumi from "@pulumi/pulumi";

/** These tests' own process has loaded it, as a program has (Pulumi.yaml). */
describe("what Pulumi's SDK does not do for a program", () => {
  it("asks for no trace of where a resource is created", () => {
    const { callsites } = pulumi.Resource as unknown as { callsites: () => readonly object[] };
    assert.deepEqual(callsites.call(pulumi.Resource), []);
  });

  it("leaves every other trace as it is, and a library's own way to read one", () => {
    assert.match(new Error("mine").stack ?? "", /Error: mine\n +at .*before-sdk\.test\.ts:/);
    const before: unknown = Reflect.get(Error, "prepareStackTrace");
    try {
      Error.prepareStackTrace = (_, frames) => frames;
      const frames = new Error("read").stack as unknown as readonly NodeJS.CallSite[];
      assert.match(String(frames[0]?.getFileName()), /before-sdk\.test\.ts$/);
    } finally {
      Reflect.set(Error, "prepareStackTrace", before);
    }
    assert.equal(Reflect.get(Error, "prepareStackTrace"), before);
  });

  it("debugs no script; an inspector answers everything else", async () => {
    const session = new Session();
    session.connect();
    try {
      const post = promisify(session.post.bind(session)) as (
        method: string,
        parameters?: object,
      ) => Promise<{ result?: { value?: unknown } } | undefined>;
      const parsed: unknown[] = [];
      session.on("Debugger.scriptParsed", (script) => parsed.push(script));
      await post("Debugger.enable");
      runInThisContext("1 + 1");
      assert.deepEqual(parsed, []);
      const { result } = (await post("Runtime.evaluate", { expression: "2 + 2" })) ?? {};
      assert.equal(result?.value, 4);
    } finally {
      session.disconnect();
    }
  });
});
