import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import ssh2, { type AuthContext, type Connection, type Session } from "ssh2";

import { Drive } from "../../../../rehearsal/machine/drive.ts";
import { serveSftp } from "../../../../rehearsal/machine/ssh/sftp-server.ts";
import { RecentWrites } from "../../../../rehearsal/windows/recent-writes.ts";
import { started, stopped } from "../../../left-running.ts";
import { generateEd25519 } from "../../../../host/ssh/generate-ed25519.ts";

/** Serves this machine's files over SFTP, like a rehearsed machine its drive. */
const drive = new Drive("/");

/** A key pair in the format of SSH programs. */
interface SshKey {
  readonly privateKey: string;
  /** `ssh-... AAAA...` */
  readonly publicKey: string;
}

export function makeKey(): SshKey {
  const pair = generateEd25519();
  return { privateKey: pair.private, publicKey: pair.public.trim() };
}

/** An RSA key in PEM, encrypted with a passphrase. */
export function makeEncryptedKey(passphrase: string): SshKey {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const encrypted = { format: "pem", cipher: "aes-128-cbc", passphrase } as const;
  const pem = privateKey.export({ type: "pkcs1", ...encrypted });
  const parsed = ssh2.utils.parseKey(pem, passphrase);
  if (parsed instanceof Error) throw parsed;
  return {
    privateKey: String(pem),
    publicKey: `${parsed.type} ${parsed.getPublicSSH().toString("base64")}`,
  };
}

interface SshServerOptions {
  readonly hostKey: SshKey;
  /** Keys that may log in. */
  readonly authorizedKeys: readonly string[];
  /** Default: 127.0.0.1. */
  readonly address?: string;
  /** Default: a free one. */
  readonly port?: number;
}

/** An SSH server in this process: runs commands with /bin/sh, serves SFTP and forwards connections. */
export class SshServer {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  /** Number of connections so far. */
  accepted = 0;

  private constructor(private readonly options: SshServerOptions) {
    const ssh = new ssh2.Server({ hostKeys: [options.hostKey.privateKey] }, (connection) =>
      this.#serve(connection),
    );
    // No delay, like sshd, here and for forwarded connections. Otherwise each short answer waits 40 ms.
    this.#server = createServer({ noDelay: true }, (socket) => ssh.injectSocket(socket));
  }

  static async start(options: SshServerOptions): Promise<SshServer> {
    const server = new SshServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject);
      server.#server.listen(options.port ?? 0, options.address ?? "127.0.0.1", resolve);
    });
    started("an SSH server", server);
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Open connections. */
  get open(): number {
    return this.#connections.size;
  }

  /** Breaks all connections, like a power loss. */
  dropConnections(): void {
    for (const connection of this.#connections) connection.end();
  }

  async stop(): Promise<void> {
    stopped(this);
    this.dropConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(connection: Connection): void {
    this.accepted += 1;
    this.#connections.add(connection);
    connection.on("error", () => undefined);
    connection.on("close", () => this.#connections.delete(connection));
    connection.on("authentication", (context) => this.#authenticate(context));
    connection.on("session", (accept) => this.#session(accept()));
    connection.on("tcpip", (accept, _reject, info) => {
      const channel = accept();
      const socket = connect({ port: info.destPort, host: info.destIP, noDelay: true });
      socket.on("error", () => channel.end());
      channel.on("error", () => socket.destroy());
      channel.pipe(socket).pipe(channel);
    });
  }

  #authenticate(context: AuthContext): void {
    const { authorizedKeys } = this.options;
    if (context.method === "publickey" && isAuthorized(context, authorizedKeys)) context.accept();
    else context.reject(["publickey"]);
  }

  #session(session: Session): void {
    session.on("sftp", (accept) => {
      const recentWrites = new RecentWrites(new AbortController().signal);
      serveSftp(accept(), { drive, recentWrites }, () => undefined);
    });
    session.on("exec", (accept, _reject, { command }) => {
      const channel = accept();
      const child = spawn("/bin/sh", ["-c", command], { detached: true });
      channel.pipe(child.stdin);
      child.stdin.on("error", () => undefined);
      channel.on("error", () => undefined);
      child.stdout.on("data", (data: Buffer) => channel.write(data));
      child.stderr.on("data", (data: Buffer) => channel.stderr.write(data));
      const kill = (): void => {
        try {
          process.kill(-(child.pid ?? 0), "SIGKILL");
        } catch {
          // It has ended.
        }
      };
      channel.on("close", kill);
      child.on("close", (code) => {
        // A command that was killed has no exit status.
        if (code !== null) channel.exit(code);
        channel.end();
      });
    });
  }
}

function isAuthorized(
  context: Extract<AuthContext, { method: "publickey" }>,
  authorizedKeys: readonly string[],
): boolean {
  return authorizedKeys.some((line) => {
    const key = ssh2.utils.parseKey(line);
    if (key instanceof Error || !key.getPublicSSH().equals(context.key.data)) return false;
    if (context.signature === undefined || context.blob === undefined) return true;
    return key.verify(context.blob, context.signature, context.hashAlgo) === true;
  });
}
