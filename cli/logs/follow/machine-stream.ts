import { setTimeout as sleep } from "node:timers/promises";

import type { SshSource } from "../../../ssh/run-over-ssh.ts";
import { FollowedFiles } from "./followed-files.ts";
import { expectedLogs, windowsLogs } from "./node-logs.ts";
import { patiently } from "./patience.ts";
import { withMachineFiles } from "./machine-files.ts";
import type { LogStream } from "./source.ts";

/** The logs of a Windows node, by looking at its files over SFTP; where each has got to outlives a reboot. */
export function machineStream(node: string, source: SshSource): LogStream {
  return {
    name: node,
    follow: async (following) => {
      const { signal, tail, lookSeconds } = following;
      const logs = new FollowedFiles({
        patterns: windowsLogs,
        tail,
        line: (label, text) => following.line(`${node}/${label}`, text),
        note: (label, text) => following.tell(`${node}/${label}`, text),
      });
      const missed = new Set<string>();
      return patiently({
        ...following,
        tell: (text) => following.tell(node, text),
        follow: (alive) =>
          withMachineFiles(source, signal, async (files) => {
            while (!signal.aborted) {
              await logs.look(files);
              alive();
              for (const label of expectedLogs) {
                if (logs.labels.includes(label) || missed.has(label)) continue;
                missed.add(label);
                following.tell(`${node}/${label}`, "has no log yet; waits for it");
              }
              await sleep(lookSeconds * 1000, undefined, { signal }).catch(() => undefined);
            }
          }),
      });
    },
  };
}
