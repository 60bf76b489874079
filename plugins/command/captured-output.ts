import { StringDecoder } from "node:string_decoder";
import type { CommandOutput, CommandRun } from "./command-type.ts";

type Stream = "stdout" | "stderr";

/** Collects a command's output and passes complete lines on as progress, according to `logging`. */
export class CapturedOutput {
  readonly #chunks: Record<Stream, Buffer[]> = { stdout: [], stderr: [] };
  readonly #both: Buffer[] = [];
  readonly #lines: Record<Stream, LineSplitter>;

  /** @param progress gets every line that is to be logged, without secrets */
  constructor(run: CommandRun, progress: (line: string) => void) {
    const logging = run.inputs["logging"] ?? "stdoutAndStderr";
    const splitter = (stream: Stream): LineSplitter =>
      new LineSplitter((line) => {
        if (logging === stream || logging === "stdoutAndStderr") progress(run.redact(line));
      });
    this.#lines = { stdout: splitter("stdout"), stderr: splitter("stderr") };
  }

  add(stream: Stream, chunk: Buffer): void {
    this.#chunks[stream].push(chunk);
    this.#both.push(chunk);
    this.#lines[stream].add(chunk);
  }

  /** Logs the last lines, complete or not. */
  end(): void {
    this.#lines.stdout.end();
    this.#lines.stderr.end();
  }

  /** The output for the state, without one newline at the end, as in the official plugin. */
  result(): CommandOutput {
    return { stdout: trimmed(this.#chunks.stdout), stderr: trimmed(this.#chunks.stderr) };
  }

  /** Both streams in order, for the text of an error. */
  interleaved(): string {
    return Buffer.concat(this.#both).toString("utf8");
  }
}

function trimmed(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8").replace(/\n$/, "");
}

class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  constructor(private readonly emit: (line: string) => void) {}

  add(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.emit(line);
  }

  end(): void {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = "";
    if (rest !== "") this.emit(rest);
  }
}

/** The error of a failed command: why, what was run and what it wrote, without secrets. */
export function commandError(why: string, run: CommandRun, output: CapturedOutput): Error {
  // Redacted before it is quoted, as a secret with quotes in it would not be found afterwards.
  const script = JSON.stringify(run.redact(run.script));
  return new Error(`${why}: running ${script}:\n${run.redact(output.interleaved())}`);
}
