import { exitCodes } from "./failure.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

interface Interruption {
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

/** Watches for signals: each is reported; the first aborts, and the second ends the process at once. */
export function watchInterruption(
  report: (first: boolean) => void = () => undefined,
): Interruption {
  const aborter = new AbortController();
  const handler = (): void => {
    const first = !aborter.signal.aborted;
    report(first);
    if (!first) {
      process.exit(exitCodes.interrupted);
    }
    aborter.abort();
  };
  for (const name of signals) process.on(name, handler);
  return {
    signal: aborter.signal,
    stop: () => {
      for (const name of signals) process.off(name, handler);
    },
  };
}
