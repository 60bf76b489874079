import { type Server as NetServer, type Socket, createServer } from "node:net";
import ssh2, { type Connection, type ServerChannel } from "ssh2";
import { authenticate, parseAuthorizedKeys } from "./authentication.ts";
import { type SessionHandlers, serveSession } from "./session.ts";

/** Who the server is and who may come in. */
export interface SshServerOptions {
  /** OpenSSH PEM of the host key. */
  readonly hostPrivateKey: string;
  readonly user: string;
  /** `ssh-ed25519 AAAA...` lines. */
  readonly authorizedKeys: readonly string[];
  readonly handlers: Omit<SessionHandlers, "answering">;
  /** One line about what can't be told to the client. */
  readonly log: (line: string) => void;
}

/** Seconds a client has to authenticate: sshd's LoginGraceTime. */
const loginGraceSeconds = 120;

/** Win32-OpenSSH's sshd as far as it shows: public keys, single commands, SFTP; no forwarding, no environment. */
export class SshServer {
  readonly #options: SshServerOptions;
  readonly #ssh: ssh2.Server;
  #listener: NetServer | undefined;
  readonly #sockets = new Map<string, Socket>();
  readonly #answering = new Set<ServerChannel>();

  constructor(options: SshServerOptions) {
    this.#options = options;
    const keys = parseAuthorizedKeys(options.authorizedKeys);
    this.#ssh = new ssh2.Server(
      { hostKeys: [options.hostPrivateKey], ident: "OpenSSH_for_Windows_9.5 kindows-rehearsal" },
      (connection, info) => {
        const socket = this.#sockets.get(socketKey(info.ip, info.port));
        this.#serve(connection, keys, () => socket?.destroy());
      },
    );
  }

  /** Opens the port (0: any free one) and returns it; one that is open stays as it is. */
  async listen(port: number, address: string): Promise<number> {
    if (this.#listener !== undefined) return port;
    const listener = createServer((socket) => this.#take(socket));
    this.#listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      listener.listen(port, address, resolve);
    });
    const bound = listener.address();
    if (bound === null || typeof bound === "string") throw new Error("the listener has no port");
    return bound.port;
  }

  /** Closes the port at once, as stopping sshd does: connections that are open go on. */
  stopListening(): void {
    this.#listener?.close();
    this.#listener = undefined;
  }

  /** Cuts every connection without a word, as a machine does that loses its power. */
  cutConnections(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  /** Resolves when what has ended so far has told its result, as far as its connection let it. */
  async answered(): Promise<void> {
    const channels = [...this.#answering];
    await Promise.all(
      channels.map((each) => new Promise((resolve) => each.once("close", resolve))),
    );
  }

  #answer(channel: ServerChannel): void {
    this.#answering.add(channel);
    channel.once("close", () => this.#answering.delete(channel));
  }

  #take(socket: Socket): void {
    const key = socketKey(socket.remoteAddress, socket.remotePort);
    this.#sockets.set(key, socket);
    socket.once("close", () => this.#sockets.delete(key));
    socket.on("error", (error) => this.#options.log(`connection from ${key}: ${error.message}`));
    // No TCP keepalive: Node.js gives a peer ten seconds to answer, which a host that emulates several machines at
    // once may not keep. The client asks over SSH, and has more patience; sshd's own keepalive begins after two hours.
    socket.setNoDelay(true);
    this.#ssh.injectSocket(socket);
  }

  #serve(
    connection: Connection,
    keys: ReturnType<typeof parseAuthorizedKeys>,
    cut: () => void,
  ): void {
    const { user, log } = this.#options;
    const handlers: SessionHandlers = {
      ...this.#options.handlers,
      answering: (channel) => {
        this.#answer(channel);
      },
    };
    const grace = setTimeout(cut, loginGraceSeconds * 1000);
    grace.unref();
    connection.on("error", (error) => log(`ssh: ${error.message}`));
    connection.on("close", () => clearTimeout(grace));
    connection.on("authentication", (context) => authenticate(context, user, keys));
    connection.on("ready", () => {
      clearTimeout(grace);
      connection.on("session", (accept) => serveSession(accept(), handlers, cut, log));
    });
  }
}

function socketKey(address: string | undefined, port: number | undefined): string {
  return `${address} port ${port}`;
}
