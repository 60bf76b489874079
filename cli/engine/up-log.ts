import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { once } from "node:events";

import { withoutControls } from "../../host/without-controls.ts";
import { stackFolder } from "./folders.ts";

export function upLogFile(stack: string): string {
  return path.join(stackFolder(stack), "up.log");
}

export interface UpLog {
  write(line: string): void;
  close(): Promise<void>;
}

/** Starts the log of an `up`, which replaces the previous one; only its owner may read it. */
export async function beginUpLog(file: string, now: () => Date = () => new Date()): Promise<UpLog> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // A new file, as an existing one would keep its mode.
  await rm(file, { force: true });
  const stream = createWriteStream(file, { mode: 0o600, flags: "wx" });
  let failed: Error | undefined;
  stream.on("error", (error) => (failed = error));
  await Promise.race([once(stream, "open"), once(stream, "error")]);
  return {
    write: (line) => {
      const text = withoutControls(line);
      if (text.trim() !== "") stream.write(`${now().toISOString()} ${text}\n`);
    },
    // A full disk must not make `up` fail.
    close: async () => {
      if (failed === undefined) await new Promise<void>((resolve) => stream.end(() => resolve()));
    },
  };
}
