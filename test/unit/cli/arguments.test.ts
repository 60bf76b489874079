import assert from "node:assert/strict";

import { commaList, days, port, seconds } from "../../../cli/arguments.ts";

describe("arguments of commands", () => {
  it("are days from 0, seconds from 1, ports and lists", () => {
    assert.equal(days("0"), 0);
    assert.equal(seconds("20"), 20);
    assert.equal(port("65535"), 65535);
    assert.deepEqual(commaList("a, b-*"), ["a", "b-*"]);
  });

  const wrong: readonly (readonly [(text: string) => unknown, string, RegExp])[] = [
    [days, "-1", /whole number of days/],
    [seconds, "0", /whole number of seconds, at least 1/],
    [seconds, "1.5", /whole number of seconds, at least 1/],
    [seconds, "1m", /whole number of seconds, at least 1/],
    [port, "0", /from 1 to 65535/],
    [port, "65536", /from 1 to 65535/],
    [port, "ssh", /from 1 to 65535/],
    [commaList, "a,,b", /names separated by commas/],
    [commaList, "", /names separated by commas/],
  ];
  for (const [read, text, expected] of wrong) {
    it(`do not take "${text}" for ${read.name}`, () => assert.throws(() => read(text), expected));
  }
});
