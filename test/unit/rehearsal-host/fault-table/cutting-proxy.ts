import { once } from "node:events";
import { type Server, type Socket, connect, createServer } from "node:net";

/** Which way bytes go. */
export type Direction = "toMachine" | "fromMachine";

/** A place in the stream of one connection. */
export interface Place {
  readonly direction: Direction;
  /** So many bytes pass, and not one more of either direction. */
  readonly bytes: number;
}

/** Stands before a machine's SSH port, counts what passes, and cuts where it is asked to. */
export class CuttingProxy {
  /** Bytes that have passed in the last connection. */
  passed: Record<Direction, number> = { toMachine: 0, fromMachine: 0 };
  /** Whether the place has been reached. */
  wasCut = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #place: Place | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(machinePort: number): Promise<CuttingProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new CuttingProxy(server);
    server.on("connection", (socket) => proxy.#take(socket, machinePort));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy has no port");
    return address.port;
  }

  /** The first connection that gets so far ends there; those after it are left alone. */
  cutAt(place: Place | undefined): void {
    this.#place = place;
    this.wasCut = false;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(near: Socket, machinePort: number): void {
    const far = connect({ port: machinePort, host: "127.0.0.1", noDelay: true });
    const passed = { toMachine: 0, fromMachine: 0 };
    this.passed = passed;
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on("error", end);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    const relay = (from: Socket, to: Socket, direction: Direction): void => {
      from.on("data", (chunk: Buffer) => {
        if (from.destroyed || to.destroyed) return;
        const place = this.#place;
        const left =
          place?.direction === direction
            ? Math.max(0, place.bytes - passed[direction])
            : Number.POSITIVE_INFINITY;
        const part = chunk.subarray(0, left);
        passed[direction] += part.length;
        if (left > chunk.length) {
          to.write(part);
          return;
        }
        this.wasCut = true;
        this.#place = undefined;
        to.write(part, end);
      });
    };
    relay(near, far, "toMachine");
    relay(far, near, "fromMachine");
  }
}
