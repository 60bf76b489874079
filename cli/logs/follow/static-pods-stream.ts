import { followProcess } from "./follow-process.ts";
import { LogLines } from "./log-lines.ts";
import { patiently } from "./patience.ts";
import type { LogStream } from "./source.ts";

/** Label that kubeadm gives to the pods of a control plane. */
const selector = "tier=control-plane";
/** The most logs at a time: four pods on each of three control planes, and room. */
const mostLogs = 20;

/**
 * Arguments of `kubectl` that follow the pods of the control planes.
 *
 * @param from lines of each one's end to begin with, or the time to go on from.
 */
export function staticPodArguments(kubeconfig: string, from: { tail: number } | Date): string[] {
  const begin =
    from instanceof Date
      ? [`--since-time=${from.toISOString().slice(0, 19)}Z`, "--tail=-1"]
      : [`--tail=${from.tail}`];
  return [
    ...["--kubeconfig", kubeconfig, "--namespace", "kube-system", "logs"],
    ...["--selector", selector, "--follow", "--prefix", `--max-log-requests=${mostLogs}`],
    ...begin,
  ];
}

/** A line of `kubectl logs --prefix` as the pod's name and the line itself. */
export function podLine(line: string): { readonly pod: string; readonly text: string } {
  const [, pod, text] = /^\[pod\/([^/\]]+)\/[^\]]*\] ?(.*)$/s.exec(line) ?? [];
  return pod === undefined || text === undefined
    ? { pod: "static pods", text: line }
    : { pod, text };
}

/**
 * The logs of API server, etcd, controller manager and scheduler, by way of the API server. They break off with it: the
 * journal then says why.
 *
 * @param name that stands before its lines.
 * @param kubectl the program.
 * @param lab prefix of the nodes' names, which is left out.
 */
export function staticPodsStream(
  name: string,
  kubectl: string,
  kubeconfig: string,
  lab: string,
): LogStream {
  return {
    name,
    follow: async (following) => {
      let from: { tail: number } | Date = { tail: following.tail };
      const show = (line: string): void => {
        const { pod, text } = podLine(line);
        following.line(`${name}/${pod.replace(`-${lab}-`, "-")}`, text);
      };
      return patiently({
        ...following,
        tell: (text) => following.tell(`${name}/static pods`, text),
        follow: async (alive) => {
          const lines = new LogLines("plain");
          try {
            await followProcess({
              program: kubectl,
              args: staticPodArguments(kubeconfig, from),
              output: (part) => lines.push(part).forEach(show),
              alive: () => {
                from = new Date();
                alive();
              },
              signal: following.signal,
            });
          } finally {
            lines.end().forEach(show);
          }
        },
      });
    },
  };
}
