import { spawn } from "node:child_process";
import { once } from "node:events";

import { LogLines } from "./log-lines.ts";
import { withRetries, SourceRefused, type LogStream } from "./log-stream.ts";

/** Where to start: with the last lines, or at a time. */
type Begin = { readonly tail: number } | Date;

interface ProcessStream {
  readonly name: string;
  readonly label: string;
  readonly program: string;
  readonly args: (from: Begin) => readonly string[];
  readonly read: (line: string) => { readonly log: string; readonly text: string };
}

function processStream({ name, label, program, args, read }: ProcessStream): LogStream {
  return {
    name,
    follow: async (following) => {
      let from: Begin = { tail: following.tail };
      const show = (line: string): void => {
        const { log, text } = read(line);
        following.line(`${name}/${log}`, text);
      };
      const note = (text: string): void => following.note(label, text);
      return withRetries(following, note, async (alive) => {
        const lines = new LogLines("plain");
        const output = (part: Buffer): void => lines.push(part).forEach(show);
        const answers = (): void => {
          from = new Date();
          alive();
        };
        await followProcess(program, args(from), output, answers, following.signal).finally(() =>
          lines.end().forEach(show),
        );
      });
    },
  };
}

/** The journal of one of kind's nodes. @param name prefix of its lines, e.g. `control-plane`. */
export function journalStream(name: string, container: string): LogStream {
  return processStream({
    name,
    label: name,
    program: "docker",
    args: (from) => journalArguments(container, from),
    read: (text) => ({ log: "journal", text }),
  });
}

/**
 * Arguments of `docker` that follow the journal of kubelet and containerd in a kind node.
 *
 * Docker does not end a program in a container when its client ends, but closing the program's standard input does.
 */
export function journalArguments(container: string, from: Begin): string[] {
  const begin =
    from instanceof Date ? `--since=@${Math.floor(from.getTime() / 1000)}` : `--lines=${from.tail}`;
  const options = `--no-hostname --quiet --output=short-iso ${begin} --unit=kubelet --unit=containerd`;
  const script = `journalctl --follow ${options} </dev/null & pid=$!; cat >/dev/null; kill $pid`;
  return ["exec", "--interactive", container, "sh", "-c", script];
}

/** Maximum number of logs: four pods on each of three control planes, with some reserve. */
const mostLogs = 20;

/**
 * The logs of API server, etcd, controller manager and scheduler, through the API server. If that is down, the journal
 * says why.
 *
 * @param name prefix of its lines.
 * @param kubectl the program.
 * @param lab prefix of the nodes' names, which is removed.
 */
export function staticPodsStream(
  name: string,
  kubectl: string,
  kubeconfig: string,
  lab: string,
): LogStream {
  return processStream({
    name,
    label: `${name}/static pods`,
    program: kubectl,
    args: (from) => staticPodArguments(kubeconfig, from),
    // `kubectl logs --prefix` begins it with the pod's name.
    read: (line) => {
      const [, pod = "static pods", text = line] =
        /^\[pod\/([^/\]]+)\/[^\]]*\] ?(.*)$/s.exec(line) ?? [];
      return { log: pod.replace(`-${lab}-`, "-"), text };
    },
  });
}

export function staticPodArguments(kubeconfig: string, from: Begin): string[] {
  const begin =
    from instanceof Date
      ? [`--since-time=${from.toISOString().slice(0, 19)}Z`, "--tail=-1"]
      : [`--tail=${from.tail}`];
  return [
    ...["--kubeconfig", kubeconfig, "--namespace", "kube-system", "logs", "--follow", "--prefix"],
    ...["--selector", "tier=control-plane", `--max-log-requests=${mostLogs}`, ...begin],
  ];
}

/** A program that is silent for so many seconds counts as connected. */
const settledSeconds = 5;

/**
 * Runs a program that follows a log, until it is stopped.
 * Its standard input stays open as long as this process lives, so that remote programs end with it.
 *
 * @throws SourceRefused if there is no such program.
 * @throws if it ends by itself, with its last lines.
 */
async function followProcess(
  program: string,
  args: readonly string[],
  output: (part: Buffer) => void,
  alive: () => void,
  signal: AbortSignal,
): Promise<void> {
  // Its own process group: a ^C at the terminal is meant for this process.
  const child = spawn(program, [...args], { stdio: "pipe", detached: true });
  const settled = setTimeout(alive, settledSeconds * 1000);
  const stop = (): void => {
    child.stdin.end();
    child.kill("SIGTERM");
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let errorText = "";
  child.stdin.on("error", () => undefined);
  child.stdout.on("data", (part: Buffer) => {
    alive();
    output(part);
  });
  child.stderr.on(
    "data",
    (part: Buffer) => (errorText = (errorText + part.toString()).slice(-2000)),
  );
  try {
    const [code] = (await once(child, "close")) as [number | null];
    if (signal.aborted) return;
    const last = errorText.trim().split("\n").at(-1) ?? "";
    throw new Error(last === "" ? `${program} ended with exit code ${code ?? "none"}` : last);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw isMissing ? new SourceRefused(`there is no ${program} on this host`) : error;
  } finally {
    clearTimeout(settled);
    signal.removeEventListener("abort", stop);
  }
}
