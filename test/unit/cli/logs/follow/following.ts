import {
  followAll,
  type Ending,
  type LogStream,
} from "../../../../../cli/logs/follow/log-stream.ts";
import { waitUntil } from "../../../../../host/wait-until.ts";

/** Streams that are followed, and what is told of them. */
export class Following {
  readonly lines: string[] = [];
  readonly said: string[] = [];
  readonly end = new AbortController();
  readonly ending: Promise<readonly Ending[]>;

  constructor(stream: LogStream, tail: number, waitSeconds = 600) {
    this.ending = followAll({
      ...{ streams: [stream], tail, lookSeconds: 0.02, pauseSeconds: 0.02, waitSeconds },
      signal: this.end.signal,
      out: (line) => this.lines.push(line),
      say: (line) => this.said.push(line),
    });
  }

  until(what: string, holds: () => boolean): Promise<void> {
    return waitUntil({ what, timeoutSeconds: 300, pollMilliseconds: 10 }, () =>
      Promise.resolve(holds() ? undefined : JSON.stringify([this.lines, this.said])),
    );
  }

  /** Waits for so many lines. */
  untilLines(count: number): Promise<void> {
    return this.until(`line ${count}`, () => this.lines.length >= count);
  }

  /** Ends it, and returns how it ended. */
  stop(): Promise<readonly Ending[]> {
    this.end.abort();
    return this.ending;
  }
}
