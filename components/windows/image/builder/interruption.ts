import { exitCodes, Failure } from "../../../../host/failure.ts";

/** A build was interrupted; nothing failed. */
export class Interrupted extends Failure {
  override readonly name = "Interrupted";

  constructor() {
    super("interrupted; nothing half-made is left", exitCodes.interrupted);
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs `work` so that the first ^C (or SIGTERM) lets it clean up. The second ends this process at once, as usual.
 *
 * @param work gets an AbortSignal; when it is aborted, it must throw Interrupted.
 */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => {
    end();
    controller.abort();
  };
  const end = (): void => {
    signals.forEach((name) => process.off(name, stop));
  };
  signals.forEach((name) => process.on(name, stop));
  try {
    return await work(controller.signal);
  } finally {
    end();
  }
}
