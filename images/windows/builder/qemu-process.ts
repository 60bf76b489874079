import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { diskNode } from "./qemu-command.ts";
import { Qmp, type QmpEvent } from "./qmp.ts";

const graceMilliseconds = 5000;

const blockStatsSchema = z.array(
  z.object({
    "node-name": z.string().optional(),
    stats: z.object({ wr_bytes: z.number() }),
  }),
);

const statusSchema = z.object({ status: z.string() });

interface QemuOptions {
  readonly args: readonly string[];
  readonly folder: string;
  readonly logFile: string;
  /** Default: QEMU's own name, found on the PATH. */
  readonly program?: string | undefined;
}

/** A QEMU process that ends with this process, even if this one is killed. */
export class QemuProcess {
  readonly qmp: Qmp;
  readonly events: QmpEvent[] = [];
  /** How QEMU ended; undefined while it runs. */
  ending: string | undefined;
  readonly #child: ReturnType<typeof startProcess>;
  readonly #ended: Promise<unknown>;

  constructor(options: QemuOptions) {
    this.#child = startProcess(options);
    this.qmp = new Qmp(this.#child.stdout, this.#child.stdin, (event) => this.events.push(event));
    const log = createWriteStream(options.logFile, { flags: "a" });
    log.on("error", () => undefined);
    this.#child.stderr.pipe(log);
    let failure: string | undefined;
    this.#child.on("error", (error: NodeJS.ErrnoException) => {
      failure = error.code === "ENOENT" ? "setpriv (util-linux) is not installed" : error.message;
    });
    this.#ended = once(this.#child, "close")
      .catch(() => undefined)
      .then(() => {
        const { exitCode, signalCode } = this.#child;
        this.ending = failure ?? (signalCode ? `signal ${signalCode}` : `exit code ${exitCode}`);
      });
  }

  /** Whether KVM could not run the machine any further, so that QEMU has paused it for good. */
  async isBroken(): Promise<boolean> {
    return statusSchema.parse(await this.qmp.execute("query-status")).status === "internal-error";
  }

  async writtenBytes(): Promise<number> {
    const devices = blockStatsSchema.parse(await this.qmp.execute("query-blockstats"));
    return devices.find((each) => each["node-name"] === diskNode)?.stats.wr_bytes ?? 0;
  }

  /** Port on this host's loopback that leads to the machine's SSH server. */
  async sshPort(): Promise<number> {
    const answer = await this.qmp.execute("human-monitor-command", {
      "command-line": "info usernet",
    });
    const port = /HOST_FORWARD\]\s+\S+\s+127\.0\.0\.1\s+(\d+)/.exec(String(answer))?.[1];
    if (port === undefined) {
      throw new Error(`QEMU forwards no port to the machine: ${String(answer)}`);
    }
    return Number(port);
  }

  /** Presses Enter; failures do not matter. */
  async pressEnter(): Promise<void> {
    const keys = [{ type: "qcode", data: "ret" }];
    await this.qmp.execute("send-key", { keys }).catch(() => undefined);
  }

  async end(): Promise<void> {
    if (this.ending === undefined) {
      this.#child.kill("SIGTERM");
      await Promise.race([this.#ended, sleep(graceMilliseconds, undefined, { ref: false })]);
      if (this.ending === undefined) {
        this.#child.kill("SIGKILL");
      }
    }
    await this.#ended;
  }
}

/** setpriv makes the kernel kill QEMU when this process ends. */
function startProcess({ args, folder, program = "qemu-system-x86_64" }: QemuOptions) {
  return spawn("setpriv", ["--pdeathsig", "KILL", "--", program, ...args], {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C" },
  });
}

/** Reads QEMU's growing log of the machine's serial port. */
export class SerialLines {
  #read = 0;
  /** Beginning of a line that is not complete yet. */
  #rest = "";

  constructor(private readonly file: string) {}

  /** The complete lines since the last call, without line ends and control characters. */
  async read(): Promise<string[]> {
    // Latin-1 keeps each byte as a character; a firmware's output has no encoding.
    const added = createReadStream(this.file, { encoding: "latin1", start: this.#read });
    const chunk = await text(added).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return ""; // Not created yet.
    });
    this.#read += chunk.length;
    const lines = (this.#rest + chunk).split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    return lines.map((line) => line.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ""));
  }
}

/** Number of screenshots to keep: the last half hour, at one in 30 seconds. */
const keptScreenshots = 60;

/** Takes screenshots of a machine into a private folder. */
export class Screenshots {
  #number = 0;
  newest: string | undefined;

  constructor(
    private readonly qmp: Qmp,
    private readonly folder: string,
  ) {}

  /** Takes one; failures are ignored. */
  async take(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    this.#number += 1;
    const name = String(this.#number).padStart(4, "0");
    const part = path.join(this.folder, `${name}.part`);
    const dump = (format: object): Promise<unknown> =>
      this.qmp.execute("screendump", { filename: part, ...format });
    // QEMU before 7.1 cannot write PNG.
    const format = await dump({ format: "png" })
      .then(() => "png")
      .catch(() => dump({}).then(() => "ppm"))
      .catch(() => undefined);
    if (format === undefined) return;
    this.newest = path.join(this.folder, `${name}.${format}`);
    await rename(part, this.newest);
    const old = (await readdir(this.folder)).sort().slice(0, -keptScreenshots);
    await Promise.all(old.map((each) => rm(path.join(this.folder, each), { force: true })));
  }
}
