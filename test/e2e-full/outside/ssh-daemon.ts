import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { execa } from "execa";
import { generateEd25519 } from "../../../host/ssh/generate-ed25519.ts";
import { ensureHostPackages } from "../../../toolchain/host-packages.ts";
import { waitUntil } from "../../../host/wait-until.ts";

export interface KeyFile {
  readonly file: string;
  readonly publicKey: string;
}

export async function makeKeyFile(file: string): Promise<KeyFile> {
  const pair = generateEd25519();
  await writeFile(file, pair.private, { mode: 0o600 });
  return { file, publicKey: pair.public.trim() };
}

export interface SshDaemonOptions {
  readonly folder: string;
  readonly address: string;
  readonly port: number;
  readonly login: KeyFile;
  /** Network namespace that it runs in. Default: this host's own. */
  readonly namespace?: string;
  readonly prepare?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** An sshd with its own host key and settings, which reads nothing from /etc/ssh. */
export class SshDaemon {
  private constructor(
    private readonly options: SshDaemonOptions,
    readonly hostKey: KeyFile,
    private child: ChildProcess,
  ) {}

  static async start(options: SshDaemonOptions): Promise<SshDaemon> {
    await ensureHostPackages(["openssh-server"], console.log);
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    // The empty folder of Debian's sshd, which its service creates at each start.
    await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
    const hostKey = await makeKeyFile(path.join(options.folder, "host-key"));
    await writeFile(
      path.join(options.folder, "authorized_keys"),
      `${options.login.publicKey} test\n`,
      { mode: 0o600 },
    );
    await writeFile(path.join(options.folder, "sshd_config"), settings(options, hostKey));
    const daemon = new SshDaemon(options, hostKey, run(options));
    await daemon.listening();
    return daemon;
  }

  /** Number of logins so far. */
  async logins(): Promise<number> {
    const log = await readFile(logFile(this.options), "utf8");
    return log.split("\n").filter((line) => line.includes("Accepted publickey")).length;
  }

  /** Stops the server and all sessions, like a host that loses power. */
  async stop(): Promise<void> {
    const { pid } = this.child;
    if (pid === undefined || !this.isRunning) return;
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    // The server first, so that it accepts no new session.
    process.kill(pid, "SIGSTOP");
    for (const each of [...(await descendants(pid)).reverse(), pid]) {
      try {
        process.kill(each, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
    await ended;
  }

  private get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts again after `stop`, as the same host. Does nothing if it runs. */
  async startAgain(): Promise<void> {
    if (this.isRunning) return;
    this.child = run(this.options);
    await this.listening();
  }

  private async listening(): Promise<void> {
    const { address, port, namespace } = this.options;
    const what = `sshd to listen at ${address}:${port}`;
    await waitUntil({ what, timeoutSeconds: 10, pollMilliseconds: 100 }, async () => {
      const log = await readFile(logFile(this.options), "utf8").catch(() => "");
      assert.equal(this.child.exitCode, null, log);
      if (namespace !== undefined) return /Server listening/.test(log) ? undefined : log;
      return (await answers(address, port)) ? undefined : log;
    });
  }
}

function settings(options: SshDaemonOptions, hostKey: KeyFile): string {
  const { folder, address, port, environment = {} } = options;
  const set = Object.entries(environment).map((pair) => pair.join("="));
  return [
    ...(set.length === 0 ? [] : [`SetEnv ${set.join(" ")}`]),
    `ListenAddress ${address}:${port}`,
    `HostKey ${hostKey.file}`,
    `AuthorizedKeysFile ${path.join(folder, "authorized_keys")}`,
    "PermitRootLogin prohibit-password",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "UsePAM no",
    "StrictModes no",
    "PidFile none",
    "LogLevel VERBOSE",
    "Subsystem sftp internal-sftp",
    "",
  ].join("\n");
}

function logFile({ folder }: SshDaemonOptions): string {
  return path.join(folder, "sshd.log");
}

function run(options: SshDaemonOptions): ChildProcess {
  const { folder, namespace, prepare = "" } = options;
  const command = ["/usr/sbin/sshd", "-D", "-e", "-f", path.join(folder, "sshd_config")];
  const [program = "", ...args] =
    namespace === undefined
      ? command
      : ["ip", "netns", "exec", namespace, "sh", "-ec", `${prepare}\nexec "$@"`, "sh", ...command];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  child.stderr.pipe(createWriteStream(logFile(options), { flags: "a" }));
  return child;
}

async function descendants(pid: number): Promise<number[]> {
  const { stdout } = await execa("pgrep", ["-P", String(pid)], { reject: false });
  const children = stdout.split("\n").filter(Boolean).map(Number);
  return (
    await Promise.all(children.map(async (each) => [each, ...(await descendants(each))]))
  ).flat();
}

/** Whether an SSH server sends its version within a second. */
export function answers(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: address, port, timeout: 1000 });
    const end = (found: boolean): void => {
      socket.destroy();
      resolve(found);
    };
    socket.once("data", (chunk) => end(chunk.toString("latin1").startsWith("SSH-")));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
  });
}
