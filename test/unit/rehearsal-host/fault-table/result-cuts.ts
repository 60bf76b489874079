import { faultsPath } from "../../../../rehearsal/host/faults.ts";
import { snapshotsOfRows, withLab } from "./lab.ts";
import { codeOf } from "./play.ts";

/** Machines side by side: most of the time a line is on its way. */
const atOnce = 4;
const row = "Set-HostsEntry";

/** Cuts the line with a result after each of its characters; what was taken for a result all the same. */
export async function cutResults(): Promise<{ cuts: number; problems: string[] }> {
  const problems: string[] = [];
  let characters = 0;
  let whole = false;
  const { before } = (await snapshotsOfRows()).get(row) ?? {};
  const worker = (): Promise<void> =>
    withLab(before, async (lab) => {
      const error = await lab.run(row);
      if (error !== undefined) throw new Error(error);
      while (!whole) {
        const kept = characters++;
        const fault = { kind: "cutResult", step: row, characters: kept, times: kept + 1 };
        await lab.host.windows.drive.write(faultsPath, JSON.stringify([fault]));
        const cut = await lab.run(row);
        // All of it came; what tells that nothing more does, the exit status, did not.
        if (/"dnsServers":"[^"]*"\}\}\r?\n?$/.test(cut ?? "")) whole = true;
        if (cut === undefined || codeOf(cut) !== undefined || !cut.includes("run again")) {
          problems.push(`after ${kept} characters: ${cut ?? "it counts as a result"}`);
          whole ||= kept > 2000;
        }
      }
    });
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { cuts: characters, problems };
}
