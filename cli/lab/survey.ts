import { messageOf } from "../../host/failure.ts";
import type { Host } from "./host.ts";
import { finders } from "./finders.ts";
import type { Finder, LabThing } from "./lab-thing.ts";

/** What was found on the host, and where could not be looked. */
export interface Survey {
  readonly things: readonly LabThing[];
  /** Kinds that could not be looked for, with the reason. */
  readonly blind: readonly { readonly kind: string; readonly reason: string }[];
}

/** Looks for everything that belongs to any kindows lab; one kind that can't be seen does not hide the others. */
export async function surveyHost(host: Host, all: readonly Finder[] = finders): Promise<Survey> {
  const results = await Promise.all(
    all.map(async (finder) => {
      try {
        return { things: await finder.find(host), blind: [] };
      } catch (error) {
        return { things: [], blind: [{ kind: finder.kind, reason: messageOf(error) }] };
      }
    }),
  );
  return {
    things: results.flatMap((result) => result.things),
    blind: results.flatMap((result) => result.blind),
  };
}
