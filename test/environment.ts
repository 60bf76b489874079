import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import type { Context } from "mocha";

import { stopLeftRunning } from "./left-running.ts";
import { cacheRoot } from "../toolchain/cache.ts";
import { keepCoverage } from "./script-coverage.ts";

/** Variables that the tests take from the shell they are started in; whatever else is set there has no effect. */
const taken =
  /^(PATH|CI|KINDOWS_(PLUGINS|JUDGED_PROGRAMS|SCRIPT_COVERAGE)|UPDATE_GOLDEN|GO[A-Z]+|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/;

// This process, and with it all that the tests start, has an environment and folders of its own.
const folder = mkdtempSync(path.join(os.tmpdir(), "kindows-test-"));
// Some of them go on as a user who is not root.
chmodSync(folder, 0o711);
process.on("exit", () => {
  // What the tests of Windows programs have mounted in a namespace of their own goes with that.
  if (process.env["KINDOWS_JUDGED_PROGRAMS"] !== undefined) return;
  rmSync(folder, { recursive: true, force: true });
});
const home = path.join(folder, "home");
mkdirSync(home);
const settings = process.env["XDG_CONFIG_HOME"] ?? path.join(os.homedir(), ".config");
const environment = {
  HOME: home,
  // Else the login of whoever runs the tests would count.
  PULUMI_CREDENTIALS_PATH: home,
  TMPDIR: folder,
  TZ: "UTC",
  LANG: "C.UTF-8",
  KINDOWS_CACHE: cacheRoot(),
  // Where Go's modules come from is a matter of the host.
  GOENV: process.env["GOENV"] ?? path.join(settings, "go", "env"),
};
for (const name of Object.keys(process.env)) {
  if (!taken.test(name)) {
    Reflect.deleteProperty(process.env, name);
  }
}
Object.assign(process.env, environment);
process.umask(0o022);

/** What the tests of one file must not leave otherwise than it was: the next file has it, too. */
const surroundings = (): object => ({
  environment: { ...process.env },
  folder: process.cwd(),
  umask: process.umask(),
});
const before = surroundings();

export const mochaHooks = {
  beforeAll(): void {
    // Mocha itself passes over a promise that nobody waits for. Where this throws, the test that runs fails.
    process.on("unhandledRejection", (reason) => {
      throw reason;
    });
  },

  /** Mocha copies a failure from one process to another, where values that are more than data break its report. */
  afterEach(this: Context): void {
    const failure = (this.currentTest?.err ?? {}) as { actual?: unknown; expected?: unknown };
    for (const side of ["actual", "expected"] as const) {
      if (typeof failure[side] === "object") failure[side] = inspect(failure[side], { depth: 8 });
    }
  },

  /**
   * Mocha ends when nothing runs any more. A test that hangs, or a hook that fails half way, may leave a server behind,
   * which would keep it waiting for ever.
   */
  async afterAll(): Promise<void> {
    keepCoverage();
    const left = await stopLeftRunning();
    if (left.length > 0) {
      throw new Error(`tests have left running, until it was stopped here: ${left.join(", ")}`);
    }
    assert.deepEqual(surroundings(), before, "tests have left this changed");
  },
};
