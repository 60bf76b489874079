import assert from "node:assert/strict";
import { ianaTimeZone, windowsTimeZone } from "../../../config/time-zones.ts";

describe("Windows' names of time zones", () => {
  it("are known for every zone of IANA's that Windows has, by its old names too", () => {
    const without = Intl.supportedValuesOf("timeZone").filter((zone) => !windowsTimeZone(zone));
    assert.deepEqual(without, ["Antarctica/Troll"]);
    const named = ["UTC", "Europe/Berlin", "Europe/Kyiv", "Europe/Kiev"].map(windowsTimeZone);
    const kyiv = "FLE Standard Time";
    assert.deepEqual(named, ["UTC", "W. Europe Standard Time", kyiv, kyiv]);
    assert.deepEqual(["Berlin", ""].map(windowsTimeZone), [undefined, undefined]);
  });

  it("lead back to a zone of IANA's", () =>
    assert.deepEqual(["W. Europe Standard Time", "Europe/Berlin"].map(ianaTimeZone), [
      "Europe/Berlin",
      undefined,
    ]));
});
