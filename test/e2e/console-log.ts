import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

/** How often is looked for machines that have started, in milliseconds. */
const pollMilliseconds = 2000;

/**
 * What a lab's machines write to their serial consoles while a command runs. libvirt gives each a terminal, which keeps
 * nothing; a rehearsal guest says there why it ended a connection, or itself.
 */
export class ConsoleLog {
  /** By machine. One ends with its terminal; a machine that is restarted has another. */
  readonly #readers = new Map<string, ChildProcess>();
  readonly #files = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** @param prefix of the names of the lab's machines; @param folder gets a file for each machine, which grows. */
  constructor(
    private readonly prefix: string,
    private readonly folder: string,
  ) {}

  start(): void {
    this.#timer = setInterval(() => {
      // No libvirt yet, or a machine that has just ended: there is another look.
      this.#look().catch(() => undefined);
    }, pollMilliseconds);
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
    for (const reader of this.#readers.values()) reader.kill();
    this.#readers.clear();
  }

  /** The last lines of each console. */
  async lastLines(count: number): Promise<string> {
    const ends = [...this.#files].map(async (file) => {
      const lines = (await readFile(file, "utf8")).trimEnd().split(/\r?\n/);
      return `${path.basename(file)}:\n  ${lines.slice(-count).join("\n  ")}`;
    });
    return (await Promise.all(ends)).join("\n");
  }

  async #look(): Promise<void> {
    const { stdout } = await execa("virsh", ["--quiet", "list", "--name"], { timeout: 10_000 });
    const own = stdout.split("\n").map((name) => name.trim());
    for (const domain of own.filter((name) => name.startsWith(this.prefix))) {
      if (this.#readers.has(domain)) continue;
      const { stdout: terminal } = await execa("virsh", ["--quiet", "ttyconsole", domain], {
        timeout: 10_000,
      });
      if (terminal !== "") await this.#keep(domain, terminal);
    }
  }

  async #keep(domain: string, terminal: string): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const file = path.join(this.folder, `${domain}.console`);
    if (this.#stopped || this.#readers.has(domain)) return;
    const log = openSync(file, "a", 0o600);
    // A process of its own: reading a terminal would hold one of this one's few threads for good.
    const reader = spawn("cat", [terminal], { stdio: ["ignore", log, "ignore"] });
    closeSync(log);
    this.#files.add(file);
    this.#readers.set(domain, reader);
    reader.once("exit", () => this.#readers.delete(domain));
    reader.once("error", () => this.#readers.delete(domain));
  }
}
