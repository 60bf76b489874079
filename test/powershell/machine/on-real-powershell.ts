/** `mocha --require` of this runs the modelled machines' scripts of all tests on a real PowerShell. */
import { whyNotRun } from "./not-run.ts";
import { endAll, useRealPowerShell } from "./real-machine.ts";

useRealPowerShell();
process.on("exit", endAll);

export const mochaHooks = {
  beforeEach(this: Mocha.Context): void {
    if (whyNotRun(this.currentTest?.fullTitle() ?? "")) this.skip();
  },
  /** Whoever waits sees that the tests get on. */
  afterEach(): void {
    process.stderr.write(".");
  },
};
