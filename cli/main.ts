import { CommanderError } from "commander";

import { systemFolders } from "../toolchain/host-packages.ts";
import { kindowsProgram } from "./command-line/kindows-program.ts";
import { Failure, exitCodes, messageOf } from "../host/failure.ts";

// Whoever reads only the beginning (`kindows status | head`) has what he wants.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") {
    throw error;
  }
  process.exit(0);
});

// What looks for a program finds it there, so what runs it has to.
process.env.PATH = `${process.env.PATH ?? ""}:${systemFolders}`;

try {
  await kindowsProgram().parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

/** Prints what went wrong, and says how to exit. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has printed it; help and version count as errors there.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof Failure) {
    process.stderr.write(`kindows: ${error.message}\n`);
    return error.exitCode;
  }
  // These are mistakes in the program; everything else tells the user what to do.
  const mistake = error instanceof TypeError || error instanceof ReferenceError;
  process.stderr.write(`kindows: ${mistake ? (error.stack ?? error.message) : messageOf(error)}\n`);
  return exitCodes.failed;
}
