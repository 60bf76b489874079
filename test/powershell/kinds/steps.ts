/** The recorded steps make the calls, the output and the files that are recorded. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../../toolchain/project.ts";
import {
  layOut,
  layOutSteps,
  normalised,
  withoutChance,
} from "../../unit/rehearsal/powershell/recorded-files.ts";
import { type Kind, Judgement } from "../kind.ts";
import type { Shell } from "../shells.ts";

const script = join(import.meta.dirname, "Invoke-Trace.ps1");

/** What each trace writes on a PowerShell, and what is recorded; by name. */
export async function runSteps(
  shell: Shell,
): Promise<ReadonlyMap<string, { readonly given: string; readonly recorded: string }>> {
  const folder = await mkdtemp(join(tmpdir(), "traces-"));
  try {
    const recordings = join(folder, "traces");
    const traces = [...layOut("traces", recordings)].flatMap(([name, { stdin, out }]) =>
      out === undefined ? [] : [{ name, stdin, recorded: out }],
    );
    const steps = layOutSteps(join(projectRoot, "components/windows/steps"), recordings, folder);
    let done = 0;
    const run = async ({ name, stdin: input, recorded }: (typeof traces)[number]) => {
      const trace = shell.path(join(recordings, `${name}.ps1`));
      const ran = await shell.run({
        args: ["-File", shell.path(script), "-Path", trace, "-Steps", shell.path(steps)],
        input,
      });
      if (++done % 10 === 0) console.log(`steps, ${shell.name}: ${done} of ${traces.length}`);
      return [name, { given: withoutChance(ran.stdout), recorded }] as const;
    };
    return new Map(await Promise.all(traces.map(run)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const steps: Kind = {
  name: "steps",
  async judge(shell) {
    const judgement = new Judgement();
    if (!shell.isWine) {
      judgement.skip("all", "they empty folders of drive C:, so they run under Wine only");
      return judgement;
    }
    for (const [name, { given, recorded }] of await runSteps(shell)) {
      judgement.same(name, normalised(given), normalised(recorded));
    }
    return judgement;
  },
};
