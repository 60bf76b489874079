import { systemFolders } from "../toolchain/host-packages.ts";
import { runKindows } from "./command-line/kindows-program.ts";

// A reader that stops early (`kindows status | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// Programs are looked up on this PATH, so they have to run with it.
process.env.PATH = `${process.env.PATH ?? ""}:${systemFolders}`;

process.exitCode = await runKindows(process.argv.slice(2));
