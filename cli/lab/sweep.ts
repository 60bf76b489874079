import { Failure, messageOf } from "../../host/failure.ts";
import { finders } from "./finders.ts";
import type { Host } from "./host.ts";
import type { Finder, LabThing } from "./lab-thing.ts";

/** What a sweep may and may not touch. */
export interface SweepScope {
  /** Prefix of the lab; things of any other lab are left alone. */
  readonly lab: string;
  /** Identities that the stack's state owns. */
  readonly owned: ReadonlySet<string>;
}

/** The things of one lab that nothing in the stack's state owns. */
export function leftoversOf(things: readonly LabThing[], scope: SweepScope): readonly LabThing[] {
  return things.filter(
    (thing) =>
      thing.lab === scope.lab && (thing.identity === undefined || !scope.owned.has(thing.identity)),
  );
}

/**
 * Removes a lab's leftovers, kind after kind: machines before the disks and networks they use. Each kind is looked for
 * anew, since things go with what they are part of.
 *
 * @param say Gets one line for each thing that was removed.
 * @throws when something could not be found out or removed, after everything else was.
 */
export async function sweepLeftovers(
  scope: SweepScope,
  host: Host,
  say: (line: string) => void,
  all: readonly Finder[] = finders,
): Promise<number> {
  const troubles: string[] = [];
  let removed = 0;
  for (const finder of all) {
    let left: readonly LabThing[];
    try {
      left = leftoversOf(await finder.find(host), scope);
    } catch (error) {
      troubles.push(`cannot look for ${finder.kind}s: ${messageOf(error)}`);
      continue;
    }
    await Promise.all(
      left.map(async (thing) => {
        try {
          await finder.remove(thing, host);
          removed += 1;
          say(`removed ${thing.kind} ${thing.name}`);
        } catch (error) {
          troubles.push(`cannot remove ${thing.kind} ${thing.name}: ${messageOf(error)}`);
        }
      }),
    );
  }
  if (troubles.length > 0) {
    throw new Failure(
      `leftovers of the lab ${scope.lab} remain:\n${troubles.map((line) => `  - ${line}`).join("\n")}`,
    );
  }
  return removed;
}
