import { type Server as NetServer, type Socket, createServer } from "node:net";
import ssh2, {
  type Connection,
  type ServerChannel,
  type AuthContext,
  type ParsedKey,
  type SFTPWrapper,
  type Session,
} from "ssh2";
import { rehearsalNotice } from "../windows-version.ts";

/** The console of a command. */
export interface CommandIo {
  /** Lines end with `\n` here and are sent with CRLF. */
  out(text: string): void;
  err(text: string): void;
  /** All of standard input. Undefined if it did not end within 30 s. */
  stdin(): Promise<string | undefined>;
  /** Breaks the command's connection. */
  dropConnection(): void;
}

interface SshServerOptions {
  readonly port: number;
  readonly address: string;
  readonly hostPrivateKey: string;
  readonly user: string;
  /** `ssh-ed25519 AAAA...` lines. */
  readonly authorizedKeys: readonly string[];
  readonly runCommand: (text: string, io: CommandIo) => Promise<number>;
  readonly serveSftp: (sftp: SFTPWrapper) => void;
  /** Logs an error that cannot be reported to the client. */
  readonly log: (line: string) => void;
}

/** Seconds a client has to authenticate: sshd's LoginGraceTime. */
const loginGraceSeconds = 120;

/** Plays Win32-OpenSSH's sshd: public keys, single commands and SFTP, but no forwarding and no environment. */
export class SshServer {
  readonly #ssh: ssh2.Server;
  #listener: NetServer | undefined;
  #port: number;
  readonly #sockets = new Map<string, Socket>();
  readonly #answering = new Set<ServerChannel>();

  constructor(private readonly options: SshServerOptions) {
    this.#port = options.port;
    const keys = parseAuthorizedKeys(options.authorizedKeys);
    this.#ssh = new ssh2.Server(
      { hostKeys: [options.hostPrivateKey], ident: "OpenSSH_for_Windows_9.5 kindows-rehearsal" },
      (connection, info) => {
        const socket = this.#sockets.get(socketKey(info.ip, info.port));
        this.#serve(connection, keys, () => socket?.destroy());
      },
    );
  }

  /** Opens the port, unless it is open, and returns it. It is the same each time. */
  async listen(): Promise<number> {
    if (this.#listener !== undefined) return this.#port;
    const listener = createServer((socket) => this.#take(socket));
    this.#listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      listener.listen(this.#port, this.options.address, resolve);
    });
    const bound = listener.address();
    if (bound === null || typeof bound === "string") throw new Error("the listener has no port");
    this.#port = bound.port;
    return bound.port;
  }

  /** Closes the port at once. Open connections continue, as when sshd is stopped. */
  stopListening(): void {
    this.#listener?.close();
    this.#listener = undefined;
  }

  /** Cuts every connection abruptly, as a power failure does. */
  cutConnections(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  /** Resolves when the commands that have ended so far have sent their results, if their connections still exist. */
  async answered(): Promise<void> {
    const channels = [...this.#answering];
    await Promise.all(
      channels.map((each) => new Promise((resolve) => each.once("close", resolve))),
    );
  }

  #take(socket: Socket): void {
    const key = socketKey(socket.remoteAddress, socket.remotePort);
    this.#sockets.set(key, socket);
    socket.once("close", () => this.#sockets.delete(key));
    socket.on("error", (error) => this.options.log(`connection from ${key}: ${error.message}`));
    // No TCP keepalive: Node.js gives a peer ten seconds to answer, which is too short on a host that emulates several
    // machines. The client's SSH keepalive is more patient, and sshd's own TCP keepalive begins only after two hours.
    socket.setNoDelay(true);
    this.#ssh.injectSocket(socket);
  }

  #serve(
    connection: Connection,
    keys: ReturnType<typeof parseAuthorizedKeys>,
    cut: () => void,
  ): void {
    const { user, log } = this.options;
    const grace = setTimeout(cut, loginGraceSeconds * 1000);
    grace.unref();
    connection.on("error", (error) => log(`ssh: ${error.message}`));
    connection.on("close", () => clearTimeout(grace));
    connection.on("authentication", (context) => authenticate(context, user, keys));
    connection.on("ready", () => {
      clearTimeout(grace);
      connection.on("session", (accept) => this.#serveSession(accept(), cut));
    });
  }

  /** Serves one session: a command or SFTP. Environment requests are refused, as by an sshd without AcceptEnv. */
  #serveSession(session: Session, dropConnection: () => void): void {
    const { log, runCommand, serveSftp } = this.options;
    session.on("pty", (accept) => accept?.());
    session.on("sftp", (accept) => serveSftp(accept()));
    session.on("shell", (accept) => {
      const channel = accept();
      channel.on("error", (error: Error) => log(`shell: ${error.message}`));
      writeText(
        channel,
        `${rehearsalNotice}\nIt has no interactive shell: give a command to ssh.\n`,
      );
      end(channel, 1);
    });
    session.on("exec", (accept, _reject, { command }) => {
      const channel = accept();
      channel.on("error", (error: Error) => log(`command: ${error.message}`));
      const io: CommandIo = {
        out: (text) => writeText(channel, text),
        err: (text) => writeText(channel.stderr, text),
        stdin: () => readAll(channel),
        dropConnection,
      };
      runCommand(command, io).then(
        (exitCode) => {
          if (channel.writable) {
            this.#answering.add(channel);
            channel.once("close", () => this.#answering.delete(channel));
          }
          end(channel, exitCode);
        },
        (error: unknown) => {
          log(`command failed: ${error instanceof Error ? error.stack : String(error)}`);
          io.err(`The rehearsed machine failed: ${String(error)}\n`);
          end(channel, 1);
        },
      );
    });
  }
}

function socketKey(address: string | undefined, port: number | undefined): string {
  return `${address} port ${port}`;
}

/** Parses `ssh-ed25519 AAAA...` lines. The error for a bad line gives its number, not its content. */
function parseAuthorizedKeys(lines: readonly string[]): ParsedKey[] {
  return lines.map((line, index) => {
    const key = ssh2.utils.parseKey(line);
    if (key instanceof Error) {
      throw new Error(`Authorized key ${index + 1} can't be read: ${key.message}.`, { cause: key });
    }
    return key;
  });
}

/** Answers an authentication request as sshd does: accepts a listed public key of the user with a valid signature. */
function authenticate(
  context: AuthContext,
  user: string,
  authorizedKeys: readonly ParsedKey[],
): void {
  const isUser = context.username.toLowerCase() === user.toLowerCase();
  if (context.method !== "publickey" || !isUser) return context.reject(["publickey"]);
  const { key: offered, signature, blob, hashAlgo } = context;
  const key = authorizedKeys.find((candidate) => candidate.getPublicSSH().equals(offered.data));
  // Without a signature, the client only asks whether this key would be accepted.
  const isGood = key && (!signature || !blob || key.verify(blob, signature, hashAlgo) === true);
  if (isGood) context.accept();
  else context.reject(["publickey"]);
}

/** Time limit for a command's standard input to end. */
const stdinSeconds = 30;

/** Windows programs end lines with CRLF. Output is dropped if the command has outlived its connection. */
function writeText(
  stream: { writable: boolean; write(text: string): boolean },
  text: string,
): void {
  if (stream.writable) stream.write(text.replaceAll(/\r?\n/g, "\r\n"));
}

function end(channel: ServerChannel, exitCode: number): void {
  if (!channel.writable) return;
  channel.exit(exitCode);
  channel.end();
  channel.resume(); // unread input must not keep the channel open
}

async function readAll(channel: ServerChannel): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => resolve(undefined), stdinSeconds * 1000);
    const finish = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString("utf8"));
    };
    channel.on("data", (chunk: Buffer) => chunks.push(chunk));
    channel.once("end", finish);
    channel.once("close", finish);
  });
}
