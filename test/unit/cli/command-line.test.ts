import assert from "node:assert/strict";
import { execa } from "execa";

import { commaList, days, port, seconds } from "../../../cli/arguments.ts";
import { passSignalsOn } from "../../../cli/engine/pulumi.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { eachCase } from "../each-case.ts";

describe("a command as a process", () => {
  const cases: Readonly<Record<string, readonly [code: number, says: RegExp]>> = {
    "image prune --help": [0, /--dry-run/],
    "image prune --now": [2, /^error: unknown option '--now'/],
    "conformance --dry-run --suite all": [2, /^kindows: there is no suite "all": write one of /],
    "conformance --stack rehearsal": [1, /^kindows: conformance needs a real Windows node/],
  };
  eachCase("kindows %s", cases, async ([code, says], line) => {
    const args = ["--import", "tsx", "cli/main.ts", ...line.split(" ")];
    const options = { cwd: projectRoot, reject: false, all: true } as const;
    const { exitCode, all } = await execa(process.execPath, args, options);
    assert.equal(exitCode, code);
    assert.match(all, says);
  });
});

describe("arguments of commands", () => {
  it("are days from 0, seconds from 1, ports and lists", () => {
    assert.equal(days("0"), 0);
    assert.equal(seconds("20"), 20);
    assert.equal(port("65535"), 65535);
    assert.deepEqual(commaList("a, b-*"), ["a", "b-*"]);
  });

  for (const [read, text, expected] of [
    [days, "-1", /whole number of days/],
    [seconds, "0", /whole number of seconds, at least 1/],
    [seconds, "1.5", /whole number of seconds, at least 1/],
    [seconds, "1m", /whole number of seconds, at least 1/],
    [port, "0", /from 1 to 65535/],
    [port, "65536", /from 1 to 65535/],
    [port, "ssh", /from 1 to 65535/],
    [commaList, "a,,b", /names separated by commas/],
    [commaList, "", /names separated by commas/],
  ] as const) {
    it(`do not take "${text}" for ${read.name}`, () => assert.throws(() => read(text), expected));
  }
});

describe("signals to a kindows command", () => {
  const got: NodeJS.Signals[] = [];
  const engine = { kill: (signal: NodeJS.Signals) => got.push(signal) > 0 };
  beforeEach(() => got.splice(0));

  const cases: Readonly<Record<string, readonly NodeJS.Signals[]>> = {
    "": [],
    SIGINT: ["SIGINT"],
    SIGTERM: ["SIGTERM"],
    // The engine would die of it, and leave its lock.
    SIGHUP: ["SIGTERM"],
    "SIGINT SIGINT": ["SIGINT", "SIGINT"],
    "SIGHUP SIGTERM SIGINT SIGINT": ["SIGTERM", "SIGTERM", "SIGKILL", "SIGKILL"],
  };
  eachCase("that reach it are passed on to the engine: %s", cases, (passed, line) => {
    const sent = line.split(" ").filter((each) => each !== "") as NodeJS.Signals[];
    const signals = passSignalsOn(engine);
    for (const signal of sent) process.emit(signal);
    assert.equal(signals.stop(), sent.length > 0);
    assert.deepEqual(got, passed);
  });

  it("are no longer passed on after the engine's end", () => {
    const before = process.listenerCount("SIGTERM");
    const signals = passSignalsOn(engine);
    assert.equal(process.listenerCount("SIGTERM"), before + 1);
    signals.stop();
    assert.equal(process.listenerCount("SIGTERM"), before);
  });
});
