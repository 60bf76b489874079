import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import type { Context } from "mocha";

import "../toolchain/program/before-sdk.js";
import { stopLeftRunning } from "./left-running.ts";
import { keepCoverage } from "./script-coverage.ts";
import { cacheRoot } from "../toolchain/own-cache.ts";

/** Variables that the tests inherit from the shell; all others are removed. */
const inherited =
  /^(PATH|CI|KINDOWS_(PLUGINS|HOSTILE_RUNS|HOSTILE_SEED|JUDGED_PROGRAMS|SCRIPT_COVERAGE|WINE_PREFIX)|UPDATE_GOLDEN|GO[A-Z]+|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/;

// This process and all that the tests start have their own environment and folders.
const folder = mkdtempSync(path.join(os.tmpdir(), "kindows-test-"));
// Some tests run programs as a user other than root.
chmodSync(folder, 0o711);
process.on("exit", () => {
  // What the tests of Windows programs have mounted goes with their mount namespace.
  if (process.env["KINDOWS_JUDGED_PROGRAMS"] !== undefined) return;
  rmSync(folder, { recursive: true, force: true });
});
const home = path.join(folder, "home");
mkdirSync(home);
const settings = process.env["XDG_CONFIG_HOME"] ?? path.join(os.homedir(), ".config");
const environment = {
  HOME: home,
  // Otherwise the tests would use the Pulumi login of the user who runs them.
  PULUMI_CREDENTIALS_PATH: home,
  TMPDIR: folder,
  TZ: "UTC",
  LANG: "C.UTF-8",
  KINDOWS_CACHE: cacheRoot(),
  // What V8 has compiled is found by the path from it, so that copies of the project share it.
  NODE_COMPILE_CACHE_PORTABLE: "1",
  // The engine and API servers live for seconds, so that memory costs less here than collecting it.
  GOGC: "300",
  // The host's settings decide where Go's modules come from.
  GOENV: process.env["GOENV"] ?? path.join(settings, "go", "env"),
};
for (const name of Object.keys(process.env)) {
  if (!inherited.test(name)) {
    Reflect.deleteProperty(process.env, name);
  }
}
Object.assign(process.env, environment);
process.umask(0o022);

/** State of the process that the tests of one file must not change, because the next file runs in it too. */
const processState = (): object => ({
  environment: { ...process.env },
  folder: process.cwd(),
  umask: process.umask(),
});
const before = processState();

export const mochaHooks = {
  beforeAll(): void {
    // Mocha itself ignores a rejected promise that nothing awaits. Throwing fails the running test.
    process.on("unhandledRejection", (reason) => {
      throw reason;
    });
  },

  /** Mocha copies failures between processes, and values that are not plain data break its report. */
  afterEach(this: Context): void {
    const failure = (this.currentTest?.err ?? {}) as { actual?: unknown; expected?: unknown };
    for (const side of ["actual", "expected"] as const) {
      if (typeof failure[side] === "object") failure[side] = inspect(failure[side], { depth: 8 });
    }
  },

  /**
   * Mocha ends when nothing is running. A test that hangs, or a hook that fails halfway, may leave a server running,
   * for which Mocha would wait forever.
   */
  async afterAll(): Promise<void> {
    keepCoverage();
    const left = await stopLeftRunning();
    if (left.length > 0) {
      throw new Error(`tests have left these running: ${left.join(", ")}`);
    }
    assert.deepEqual(processState(), before, "tests have left this changed");
  },
};
