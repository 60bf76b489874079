import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { PassThrough } from "node:stream";
import { type ProgramEnd, runProgram } from "./run-program.ts";

interface SharedInputRun {
  /** SHA-256 of what was read, in lower case. */
  readonly sha256: string;
  /** How each of the programs ended, in their order. */
  readonly ends: readonly ProgramEnd[];
}

/** Runs a program several times side by side, each with the content of a file as its input. The file is read once. */
export async function runWithSharedInput(
  program: string,
  argsOfEach: readonly (readonly string[])[],
  file: string,
  timeoutSeconds: number,
): Promise<SharedInputRun> {
  const inputs = argsOfEach.map(() => new PassThrough());
  const runs = argsOfEach.map((args, index) =>
    runProgram(program, args, timeoutSeconds, { input: inputs[index] ?? "" }).finally(() =>
      inputs[index]?.destroy(),
    ),
  );
  const closed = inputs.map(
    (input) => new Promise((resolve) => input.on("error", () => undefined).once("close", resolve)),
  );
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk as Buffer);
      // The slowest one sets the pace. One that has ended takes no more.
      await Promise.all(
        inputs.map(async (input, index) => {
          if (input.destroyed || input.write(chunk)) return;
          const drained = new Promise((resolve) => input.once("drain", resolve));
          await Promise.race([drained, closed[index]]);
        }),
      );
    }
  } finally {
    inputs.forEach((input) => input.end());
  }
  return { sha256: hash.digest("hex"), ends: await Promise.all(runs) };
}
