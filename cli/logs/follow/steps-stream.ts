import { setTimeout as sleep } from "node:timers/promises";

import { FollowedFiles } from "./followed-files.ts";
import { localFiles } from "./local-files.ts";
import { stepsName } from "./names.ts";
import { patiently } from "./patience.ts";
import type { LogStream } from "./source.ts";

/**
 * What the last `up` said, and what one that runs says.
 *
 * @param file in which `up` writes it.
 */
export function stepsStream(file: string): LogStream {
  return {
    name: stepsName,
    follow: async (following) => {
      const { signal, tail, lookSeconds } = following;
      const logs = new FollowedFiles({
        patterns: [{ path: file, form: "plain", label: () => stepsName }],
        tail,
        line: following.line,
        note: (label) => following.tell(label, "a new `up` has begun"),
      });
      let told = false;
      return patiently({
        ...following,
        tell: (text) => following.tell(stepsName, text),
        follow: async (alive) => {
          while (!signal.aborted) {
            await logs.look(localFiles);
            alive();
            if (!told && logs.labels.length === 0) {
              following.tell(
                stepsName,
                "no `up` of this clone has written anything; waits for one",
              );
            }
            told = true;
            await sleep(lookSeconds * 1000, undefined, { signal }).catch(() => undefined);
          }
        },
      });
    },
  };
}
