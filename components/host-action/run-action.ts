import { endWithCaller } from "./orphan-watch.ts";

/** Runs a host action to its end: result on stdout, progress and the one error line on stderr. */
export async function runAction(action: () => Promise<void>): Promise<void> {
  endWithCaller();
  try {
    await action();
    await flushed(process.stdout);
    // Idle connections to an API server that went away would keep the process for minutes.
    process.exit(0);
  } catch (error) {
    say(`error: ${error instanceof Error ? error.message : String(error)}`);
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
