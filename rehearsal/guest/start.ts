import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire, wrap } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

const program = "/opt/kindows/main.js";
const compiled = "/opt/kindows/main.compiled";

/**
 * Starts the guest's program with its functions as V8 compiled them before: on an emulated CPU, compiling takes a tenth of
 * what the steps take. They are kept at each reboot, of which a baked image has the last one behind all its steps. V8
 * recompiles what does not match.
 */
const script = new Script(wrap(readFileSync(program, "utf8")), {
  filename: program,
  cachedData: existsSync(compiled) ? readFileSync(compiled) : undefined,
});
process.once("SIGTERM", () => {
  writeFileSync(`${compiled}.new`, script.createCachedData());
  renameSync(`${compiled}.new`, compiled);
  process.exit();
});
const run = script.runInThisContext() as (...ofModule: readonly unknown[]) => void;
run({}, createRequire(program), {}, program, dirname(program));
