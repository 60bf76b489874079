/**
 * `make e2e-full`: every test that needs a hypervisor, in parts. What has passed is kept in .kindows/e2e-full, and not run
 * again while the sources are the same.
 *
 * Arguments: names of parts, for less than all; `--fresh` begins anew; `--list` names the parts, with `--json` for a
 * workflow; `--table` only tells what is known of them.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";

import { asHolderOf } from "../../cli/engine/run-lock.ts";
import { localFolder, projectRoot } from "../../toolchain/project.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { PartResults } from "./part-results.ts";
import { chosenParts } from "./parts.ts";
import { runParts } from "./run-parts.ts";

/** Only ends a hang: four nodes take their time where machines are emulated. */
const testMinutes = 60;

const flag = { type: "boolean", default: false } as const;
const { values, positionals } = parseArgs({
  options: { fresh: flag, list: flag, json: flag, table: flag },
  allowPositionals: true,
});
const chosen = chosenParts(positionals);
if (values.list) {
  const names = chosen.map(({ name }) => name);
  console.log(values.json ? JSON.stringify(names) : names.join("\n"));
} else {
  const results = new PartResults(path.join(localFolder, "e2e-full"), await sourcesHash());
  if (!values.table) {
    await asHolderOf(path.join(results.folder, "lock"), "runs e2e-full", () => run(results));
  }
  const { text, passed } = await results.summary(chosen);
  console.log(values.table ? text : `\n${text}`);
  process.exitCode = passed ? 0 : 1;
}

async function run(results: PartResults): Promise<void> {
  if (values.fresh) await results.forget(chosen);
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => stopped.abort());
  }
  await runParts(chosen, {
    results,
    commit: await git("describe", "--always", "--dirty", "--exclude", "*"),
    signal: stopped.signal,
    args: ["--require", "./test/e2e-full/left-labs.ts", "--timeout", `${testMinutes * 60_000}`],
    print: (text) => process.stdout.write(text),
  });
}

/**
 * Of what git has or would take, as it lies here: results hold across commits that change nothing, and fall with an edit
 * that is not committed. Documents change no result.
 */
async function sourcesHash(): Promise<string> {
  const listed = await git("ls-files", "--cached", "--others", "--exclude-standard", "-z");
  const files = listed.split("\0").filter((file) => file !== "" && !file.endsWith(".md"));
  const there = files
    .map((file) => path.join(projectRoot, file))
    .filter((file) => existsSync(file));
  return hashSources(projectRoot, there);
}

async function git(...args: readonly string[]): Promise<string> {
  return (await execa("git", args, { cwd: projectRoot })).stdout;
}
