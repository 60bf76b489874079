import { CommanderError } from "commander";

import { systemFolders } from "../toolchain/host-packages.ts";
import { kindowsProgram } from "./command-line/kindows-program.ts";
import { Failure, exitCodes, messageOf } from "../host/failure.ts";

// A reader that stops early (`kindows status | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// Programs are looked up on this PATH, so they have to run with it.
process.env.PATH = `${process.env.PATH ?? ""}:${systemFolders}`;

try {
  await kindowsProgram().parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has printed it; it treats help and version as errors.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof Failure) {
    process.stderr.write(`kindows: ${error.message}\n`);
    return error.exitCode;
  }
  // These are bugs in the program; all other errors tell the user what to do.
  const mistake = error instanceof TypeError || error instanceof ReferenceError;
  process.stderr.write(`kindows: ${mistake ? (error.stack ?? error.message) : messageOf(error)}\n`);
  return exitCodes.failed;
}
