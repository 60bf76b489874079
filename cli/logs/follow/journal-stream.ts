import { followProcess } from "./follow-process.ts";
import { LogLines } from "./log-lines.ts";
import { patiently } from "./patience.ts";
import type { LogStream } from "./source.ts";

/**
 * Arguments of `docker` that follow the journal of kubelet and containerd in a kind node.
 *
 * Docker does not end what it runs in a container when its own client ends; the closed standard input does.
 *
 * @param from lines of the end to begin with, or the time to go on from.
 */
export function journalArguments(container: string, from: { tail: number } | Date): string[] {
  const begin =
    from instanceof Date ? `--since=@${Math.floor(from.getTime() / 1000)}` : `--lines=${from.tail}`;
  const journal =
    "journalctl --follow --no-hostname --quiet --output=short-iso " +
    `${begin} --unit=kubelet --unit=containerd`;
  return [
    ...["exec", "--interactive", container, "sh", "-c"],
    `${journal} </dev/null & pid=$!; cat >/dev/null; kill $pid`,
  ];
}

/**
 * The journal of one of kind's nodes.
 *
 * @param name that stands before its lines, e.g. `control-plane`.
 */
export function journalStream(name: string, container: string): LogStream {
  return {
    name,
    follow: async (following) => {
      let from: { tail: number } | Date = { tail: following.tail };
      return patiently({
        ...following,
        tell: (text) => following.tell(name, text),
        follow: async (alive) => {
          const lines = new LogLines("plain");
          try {
            await followProcess({
              program: "docker",
              args: journalArguments(container, from),
              output: (part) => {
                for (const line of lines.push(part)) following.line(`${name}/journal`, line);
              },
              alive: () => {
                from = new Date();
                alive();
              },
              signal: following.signal,
            });
          } finally {
            for (const line of lines.end()) following.line(`${name}/journal`, line);
          }
        },
      });
    },
  };
}
