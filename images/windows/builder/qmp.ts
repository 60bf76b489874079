import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { parseJson } from "../../../toolchain/parse-json.ts";

/** An event of QEMU, e.g. `RESET`. */
export interface QmpEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const messageSchema = z.object({
  QMP: z.unknown().optional(),
  id: z.number().optional(),
  return: z.unknown().optional(),
  error: z.object({ class: z.string(), desc: z.string() }).optional(),
  event: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Limit for an answer, which usually comes at once but may take seconds on a busy host. */
const answerSeconds = 60;

/** A connection to QEMU's monitor: https://www.qemu.org/docs/master/interop/qmp-spec.html */
export class Qmp {
  readonly #waiting = new Map<number, Waiting>();
  #greeted: Waiting | undefined;
  readonly #greeting: Promise<unknown>;
  #ended: Error | undefined;
  #lastId = 0;

  constructor(
    output: Readable,
    private readonly input: Writable,
    private readonly onEvent: (event: QmpEvent) => void,
  ) {
    this.#greeting = new Promise((resolve, reject) => (this.#greeted = { resolve, reject }));
    // `open` reports a rejection. Until it is called, this prevents an unhandled rejection.
    this.#greeting.catch(() => undefined);
    // After a failed write, QEMU's output ends too, which is handled below.
    input.on("error", () => undefined);
    const lines = createInterface({ input: output });
    lines.on("line", (line) => this.#read(line));
    lines.on("close", () => this.#end());
  }

  /** @throws if QEMU sends no greeting in time, or ends. */
  async open(): Promise<void> {
    await inTime(this.#greeting, "a greeting");
    await this.execute("qmp_capabilities");
  }

  /** @throws with QEMU's error if it refuses, ends, or does not answer in time. */
  async execute(command: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    if (this.#ended !== undefined) throw this.#ended;
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    this.input.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
    return inTime(answer, `an answer to ${command}`);
  }

  #read(line: string): void {
    const parsed = messageSchema.safeParse(parseJson(line));
    if (!parsed.success) return;
    const { QMP: greeting, id, error, event, data = {}, return: result } = parsed.data;
    if (greeting !== undefined) {
      this.#greeted?.resolve(undefined);
    } else if (event !== undefined) {
      this.onEvent({ name: event, data });
    } else if (id !== undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) {
        waiting?.resolve(result);
      } else {
        waiting?.reject(new Error(`QEMU says: ${error.desc}`));
      }
    }
  }

  #end(): void {
    this.#ended = new Error("QEMU has ended");
    this.#greeted?.reject(this.#ended);
    for (const { reject } of this.#waiting.values()) {
      reject(this.#ended);
    }
    this.#waiting.clear();
  }
}

function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  const late = sleep(answerSeconds * 1000, undefined, { ref: false }).then(() => {
    throw new Error(`waited ${answerSeconds} s for ${what} of QEMU`);
  });
  return Promise.race([work, late]);
}
