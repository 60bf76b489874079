/**
 * `make e2e-full`: every test that needs a hypervisor, in parts. What has passed is kept in .kindows/e2e-full, and not run
 * again while the sources are the same.
 *
 * Arguments: names of parts, for less than all; `--fresh` starts over; `--list` names the parts, with `--json` for a
 * workflow; `--table` only tells what is known of them.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../../host/failure.ts";
import { asHolderOf } from "../../cli/engine/run-lock.ts";
import { localFolder, projectRoot } from "../../toolchain/project.ts";
import { PartResults } from "./parts.ts";
import { chosenParts, type Part } from "./parts.ts";
import { runMocha, runParts } from "./parts.ts";
import { commitOf, sourcesOf } from "./parts.ts";

/** Only ends a hang: four nodes take their time where machines are emulated. */
const testMinutes = 60;

const leftLabs = "./test/e2e-full/left-labs.ts";

const flag = { type: "boolean", default: false } as const;
const { values, positionals } = parseArgs({
  options: { fresh: flag, list: flag, json: flag, table: flag },
  allowPositionals: true,
});

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}

async function main(): Promise<boolean> {
  const chosen = chosenParts(positionals);
  if (values.list) {
    const names = chosen.map(({ name }) => name);
    console.log(values.json ? JSON.stringify(names) : names.join("\n"));
    return true;
  }
  const results = new PartResults(path.join(localFolder, "e2e-full"), await sourcesOf(projectRoot));
  if (!values.table) {
    const work = (): Promise<void> => run(chosen, results);
    await asHolderOf(path.join(results.folder, "lock"), "runs `make e2e-full`", work);
  }
  const { text, passed } = await results.summary(chosen);
  console.log(`\n${text}`);
  return passed;
}

async function run(chosen: readonly Part[], results: PartResults): Promise<void> {
  if (values.fresh) await results.removeFiles(chosen);
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => stopped.abort());
  }
  const { signal } = stopped;
  const args = ["--require", leftLabs, "--timeout", `${testMinutes * 60_000}`];
  await runParts(chosen, {
    results,
    commit: await commitOf(projectRoot),
    signal,
    run: (part) => {
      console.log(`=== ${part.name}`);
      return runMocha([...args, ...part.args], results.logFile(part), signal);
    },
  });
}
