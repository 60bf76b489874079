import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { diskNode } from "./builder-machine.ts";
import { emulator } from "./qemu-command.ts";
import { Qmp } from "./qmp.ts";
import type { QmpEvent } from "./qmp.ts";

/** How long QEMU may take to end. */
const graceMilliseconds = 5000;

const blockStatsSchema = z.array(
  z.object({
    "node-name": z.string().optional(),
    stats: z.object({ wr_bytes: z.number() }),
  }),
);

export interface QemuOptions {
  readonly args: readonly string[];
  /** Working directory, private. */
  readonly folder: string;
  /** File to which QEMU's errors are appended. */
  readonly logFile: string;
  /** Default: QEMU's own name, found on the PATH. */
  readonly program?: string | undefined;
}

/** A QEMU that ends with this process, however that ends. */
export class QemuProcess {
  readonly qmp: Qmp;
  /** Unhandled events of QEMU, oldest first. */
  readonly events: QmpEvent[] = [];
  /** How it ended; undefined while it runs. */
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

  /** Bytes written to the disk since the machine was switched on. */
  async writtenBytes(): Promise<number> {
    const devices = blockStatsSchema.parse(await this.qmp.execute("query-blockstats"));
    return devices.find((each) => each["node-name"] === diskNode)?.stats.wr_bytes ?? 0;
  }

  /**
   * Port on this host's loopback that leads to the machine's SSH server.
   *
   * @throws if QEMU does not say.
   */
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

  /** Ends it, if it still runs, and leaves nothing behind. */
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

/** Makes the kernel kill it with this process, even if that is killed. */
function startProcess({ args, folder, program = emulator }: QemuOptions) {
  return spawn("setpriv", ["--pdeathsig", "KILL", "--", program, ...args], {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C" },
  });
}
