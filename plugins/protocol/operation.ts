import type { EngineLog, Severity } from "./engine-log.ts";

/** What runs for one resource: create, read, update or delete. */
export interface Operation {
  readonly urn: string;
  /** Name the program gave the resource. */
  readonly name: string;
  /** Aborted, with an error that says why, when customTimeouts are exceeded or the update is cancelled. */
  readonly signal: AbortSignal;
  /** Seconds from `customTimeouts`; undefined where none is set. */
  readonly timeoutSeconds: number | undefined;
  /** A line for the engine's log that stays there. */
  log(severity: Severity, message: string): void;
  /** A line shown beside the resource while the operation runs. */
  progress(message: string): void;
}

/** Why an operation ended early: its customTimeouts. */
export class OperationTimedOut extends Error {
  constructor(what: string, seconds: number) {
    super(`${what} took longer than its customTimeouts allow (${String(seconds)} s)`);
  }
}

/** Why an operation ended early: the update was cancelled. */
export class OperationCancelled extends Error {
  constructor(what: string) {
    super(`${what} was cancelled`);
  }
}

/** Runs operations, bounds them in time and ends them all when the engine cancels. */
export class Operations {
  readonly #log: EngineLog;
  readonly #running = new Set<{ abort(reason: Error): void; what: string }>();
  #cancelled = false;

  constructor(log: EngineLog) {
    this.#log = log;
  }

  async run<Result>(
    verb: string,
    request: { readonly urn: string; readonly name: string; readonly timeoutSeconds?: number },
    body: (operation: Operation) => Promise<Result>,
  ): Promise<Result> {
    const what = `${verb} of ${request.name}`;
    if (this.#cancelled) throw new OperationCancelled(what);
    const controller = new AbortController();
    const running = {
      what,
      abort: (reason: Error): void => {
        controller.abort(reason);
      },
    };
    this.#running.add(running);
    const seconds = request.timeoutSeconds === 0 ? undefined : request.timeoutSeconds;
    const timer =
      seconds === undefined
        ? undefined
        : setTimeout(() => {
            controller.abort(new OperationTimedOut(what, seconds));
          }, seconds * 1000);
    const write = (severity: Severity, message: string, ephemeral: boolean): void => {
      this.#log.write({ severity, message, urn: request.urn, ephemeral });
    };
    try {
      return await body({
        urn: request.urn,
        name: request.name,
        signal: controller.signal,
        timeoutSeconds: seconds,
        log: (severity, message) => {
          write(severity, message, false);
        },
        progress: (message) => {
          write("info", message, true);
        },
      });
    } finally {
      clearTimeout(timer);
      this.#running.delete(running);
      await this.#log.flush();
    }
  }

  cancel(): void {
    this.#cancelled = true;
    for (const running of this.#running) running.abort(new OperationCancelled(running.what));
  }
}
