import { readFileSync } from "node:fs";
import { messageOf } from "../../host/failure.ts";

/** Time between two looks, in milliseconds. */
const interval = 1000;

/** Runs a host action to its end: result on stdout, progress and the one error line on stderr. */
export async function runAction(action: () => Promise<void>): Promise<void> {
  endWithCaller();
  try {
    await action();
    await flushed(process.stdout);
    // Idle connections to an API server that went away would keep the process for minutes.
    process.exit(0);
  } catch (error) {
    say(`error: ${messageOf(error)}`);
    await flushed(process.stderr);
    process.exit(1);
  }
}

/** One progress line, with the seconds since the action started. */
export function say(line: string): void {
  process.stderr.write(`[${process.uptime().toFixed(1)} s] ${line}\n`);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}

/**
 * Ends this process when who started it is killed: an action that lives on would work against the next run, which
 * does not know of it. Who started it is the parent and, as that is a shell, its parent.
 */
function endWithCaller(): void {
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  setInterval(() => {
    if (process.ppid !== parent || parentOf(parent) !== grandparent) {
      process.stderr.write("error: the run that this belongs to is gone\n");
      process.exit(1);
    }
  }, interval).unref();
}

/** Parent of a process; nothing when it is gone. Undefined where there is no /proc: then nothing is ever noticed. */
function parentOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, the program's name in brackets, may itself hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  } catch {
    return undefined;
  }
}
