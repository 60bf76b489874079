import { StringDecoder } from "node:string_decoder";
import { withoutControls } from "../../../host/without-controls.ts";
import type { Operation } from "../protocol/operation.ts";
import type { CommandOutput, CommandRun } from "./command-type.ts";

type Stream = "stdout" | "stderr";

/**
 * Runs a command and returns its output. Reports its lines as progress, according to `logging`.
 *
 * @param execute passes on the command's output; resolves to why it failed, or undefined
 * @throws if it fails: the reason, the script and its output, without secrets
 */
export async function captured(
  run: CommandRun,
  operation: Operation,
  execute: (add: (stream: Stream, chunk: Buffer) => void) => Promise<string | undefined>,
): Promise<CommandOutput> {
  const logging = run.inputs["logging"] ?? "stdoutAndStderr";
  const shown = (text: string): string => withoutControls(run.redact(text));
  const captureOf = (stream: Stream): Capture =>
    new Capture((line) => {
      if (logging === stream || logging === "stdoutAndStderr") operation.progress(shown(line));
    });
  const captures = { stdout: captureOf("stdout"), stderr: captureOf("stderr") };
  const both: Buffer[] = [];
  const failure = await execute((stream, chunk) => {
    both.push(chunk);
    captures[stream].add(chunk);
  });
  const output = { stdout: captures.stdout.end(), stderr: captures.stderr.end() };
  if (failure === undefined) return output;
  // Redacted before it is quoted, because a secret with quotes in it would not be found afterwards.
  const script = JSON.stringify(run.redact(run.script));
  const written = shown(Buffer.concat(both).toString("utf8"));
  throw new Error(`${failure}: running ${script}:\n${written}`);
}

/** Collects one stream and emits its lines. */
class Capture {
  readonly #chunks: Buffer[] = [];
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  constructor(private readonly emit: (line: string) => void) {}

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    const lines = (this.#rest + this.#decoder.write(chunk)).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.emit(line);
  }

  /** Emits the last line, complete or not. @returns everything but one newline at the end, as in the official plugin */
  end(): string {
    const rest = this.#rest + this.#decoder.end();
    if (rest !== "") this.emit(rest);
    return Buffer.concat(this.#chunks).toString("utf8").replace(/\n$/, "");
  }
}
