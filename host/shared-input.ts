import { PassThrough } from "node:stream";
import { type ProgramEnd, runProgram } from "./run-program.ts";

/**
 * Runs a program several times side by side, each with the same input, which is read once.
 *
 * @returns how each of them ended, in their order.
 */
export async function runWithSharedInput(
  program: string,
  argsOfEach: readonly (readonly string[])[],
  input: AsyncIterable<Buffer>,
  timeoutSeconds: number,
): Promise<readonly ProgramEnd[]> {
  const inputs = argsOfEach.map(() => new PassThrough());
  const runs = argsOfEach.map((args, index) =>
    runProgram(program, args, timeoutSeconds, { input: inputs[index] ?? "" }).finally(() =>
      inputs[index]?.destroy(),
    ),
  );
  const closed = inputs.map(
    (each) => new Promise((resolve) => each.on("error", () => undefined).once("close", resolve)),
  );
  try {
    for await (const chunk of input) {
      // The slowest one sets the pace. One that has ended takes no more.
      await Promise.all(
        inputs.map(async (each, index) => {
          if (each.destroyed || each.write(chunk)) return;
          const drained = new Promise((resolve) => each.once("drain", resolve));
          await Promise.race([drained, closed[index]]);
        }),
      );
    }
  } finally {
    inputs.forEach((each) => each.end());
  }
  return Promise.all(runs);
}
