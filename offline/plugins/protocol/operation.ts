import type { EngineLog, Severity } from "./engine-log.ts";

/** A running create, read, update or delete of one resource. */
export interface Operation {
  readonly name: string;
  /** Aborted, with an error as its reason, if customTimeouts are exceeded or the update is cancelled. */
  readonly signal: AbortSignal;
  /** Seconds from `customTimeouts`; undefined if none is set. */
  readonly timeoutSeconds: number | undefined;
  /** A line for the engine's log that stays there. */
  log(severity: Severity, message: string): void;
  /** A line shown beside the resource while the operation runs. */
  progress(message: string): void;
}

/** A request of the engine about one resource. */
export interface TargetedRequest {
  getType(): string;
  getUrn(): string;
  getName(): string;
  /** Seconds; 0 if no limit is set. */
  getTimeout(): number;
}

/** Runs operations with their time limits, and ends them all if the engine cancels. */
export class Operations {
  readonly #log: EngineLog;
  readonly #running = new Map<AbortController, string>();
  #cancelled = false;

  constructor(log: EngineLog) {
    this.#log = log;
  }

  async run<Result>(
    verb: string,
    request: TargetedRequest,
    body: (operation: Operation) => Promise<Result>,
  ): Promise<Result> {
    const [urn, name] = [request.getUrn(), request.getName()];
    const what = `${verb} of ${name}`;
    if (this.#cancelled) throw cancelled(what);
    const controller = new AbortController();
    this.#running.set(controller, what);
    const timeoutSeconds = request.getTimeout() || undefined;
    const late = `${what} took longer than its customTimeouts allow (${String(timeoutSeconds)} s)`;
    const timer =
      timeoutSeconds && setTimeout(() => controller.abort(new Error(late)), timeoutSeconds * 1000);
    try {
      return await body({
        name,
        timeoutSeconds,
        signal: controller.signal,
        log: (severity, message) => this.#log.write({ severity, message, urn, ephemeral: false }),
        progress: (message) => this.#log.write({ severity: "info", message, urn, ephemeral: true }),
      });
    } finally {
      clearTimeout(timer);
      this.#running.delete(controller);
      await this.#log.flush();
    }
  }

  cancel(): void {
    this.#cancelled = true;
    for (const [controller, what] of this.#running) controller.abort(cancelled(what));
  }
}

function cancelled(what: string): Error {
  return new Error(`${what} was cancelled`);
}
