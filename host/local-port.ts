import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface LocalPortArgs {
  /** The destination, for errors. */
  readonly what: string;
  /** What to do if another program uses the port, for errors. */
  readonly instead: string;
  readonly open: () => Promise<Duplex>;
  readonly failed: (error: unknown) => void;
}

/** A local port that forwards to a destination that only this process reaches. It does not keep the process running. */
export class LocalPort {
  readonly #args: LocalPortArgs;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(args: LocalPortArgs) {
    this.#args = args;
    this.#server = createServer((socket) => void this.#forward(socket));
  }

  /** @param port on 127.0.0.1; 0 for any free port. @throws if another program listens there. */
  async listen(port: number): Promise<void> {
    const { what, instead } = this.#args;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", ({ code, message }: NodeJS.ErrnoException) => {
        const why = code === "EADDRINUSE" ? "another program listens there" : message;
        reject(new Error(`port ${port} of this host cannot lead to ${what}: ${why}. ${instead}`));
      });
      this.#server.listen(port, "127.0.0.1", resolve);
    });
    this.#server.unref();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #forward(socket: Socket): Promise<void> {
    // A client that disconnects is not an error.
    socket.on("error", () => undefined);
    socket.unref();
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    try {
      const end = await this.#args.open();
      end.on("error", () => socket.destroy());
      end.once("close", () => socket.destroy());
      socket.once("close", () => end.destroy());
      socket.pipe(end).pipe(socket);
    } catch (error) {
      this.#args.failed(error);
      socket.destroy();
    }
  }
}
