import { open } from "node:fs/promises";

/** Reads QEMU's growing log of the machine's serial port. */
export class SerialLines {
  readonly #file: string;
  #offset = 0;
  #rest = "";

  constructor(file: string) {
    this.#file = file;
  }

  /** Complete new lines since the last call, without line ends and control characters. */
  async read(): Promise<string[]> {
    await using file = await open(this.#file).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return undefined; // Not created yet.
      }
      throw error;
    });
    if (file === undefined) {
      return [];
    }
    const chunk = Buffer.alloc(64 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, this.#offset);
      if (bytesRead === 0) {
        break;
      }
      this.#offset += bytesRead;
      // Single bytes: a firmware's output has no encoding, and nothing may be lost.
      this.#rest += chunk.toString("latin1", 0, bytesRead);
    }
    const lines = this.#rest.split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    return lines.map((line) => line.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ""));
  }
}
