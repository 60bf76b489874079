import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Qmp } from "./qmp.ts";

/** Number of screenshots to keep: an hour of an installation that hangs. */
const kept = 60;

/** Takes screenshots of a machine into a private folder. */
export class Screenshots {
  readonly #qmp: Qmp;
  readonly #folder: string;
  #number = 0;
  #newest: string | undefined;
  /** QEMU before 7.1 cannot write PNG. */
  #format: "png" | "ppm" = "png";

  constructor(qmp: Qmp, folder: string) {
    this.#qmp = qmp;
    this.#folder = folder;
  }

  /** File of the newest one. */
  get newest(): string | undefined {
    return this.#newest;
  }

  /** Takes one; failures are ignored. */
  async take(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#number += 1;
    const name = String(this.#number).padStart(4, "0");
    const part = path.join(this.#folder, `${name}.part`);
    if (!(await this.#dump(part))) {
      return;
    }
    this.#newest = path.join(this.#folder, `${name}.${this.#format}`);
    await rename(part, this.#newest);
    const old = (await readdir(this.#folder)).sort().slice(0, -kept);
    await Promise.all(old.map((each) => rm(path.join(this.#folder, each), { force: true })));
  }

  async #dump(file: string): Promise<boolean> {
    const dump = (format: object): Promise<boolean> =>
      this.#qmp.execute("screendump", { filename: file, ...format }).then(
        () => true,
        () => false,
      );
    if (this.#format === "png" && (await dump({ format: "png" }))) {
      return true;
    }
    const done = await dump({});
    this.#format = done ? "ppm" : this.#format;
    return done;
  }
}
