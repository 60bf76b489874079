import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire, wrap } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

const program = "/opt/kindows/main.js";
const compiled = "/opt/kindows/main.compiled";

/**
 * Starts the guest's program with V8's cached code, because on an emulated CPU compiling takes a tenth of the time of the
 * steps. The cache is written at each reboot; in a baked image the last one was after all its steps. V8 rejects a cache
 * that does not match the source or the version.
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
