import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { started, stopped } from "../../../rehearsal/left-running.ts";

/**
 * A port in front of an SSH server that counts what goes through it. A dial that the server refuses is closed, and not
 * counted: how often a machine is dialled while it reboots is a matter of time.
 */
export class SshGate {
  /** Connections that were made to the server so far. */
  made = 0;
  /** How many were open at the same time, at most. */
  most = 0;
  #open = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number): Promise<SshGate> {
    const server = createServer({ allowHalfOpen: true });
    const gate = new SshGate(server);
    server.on("connection", (client) => {
      gate.#pass(client, port);
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    started("an SSH gate", gate);
    return gate;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    stopped(this);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  #pass(client: Socket, port: number): void {
    const server = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    const both = [client, server];
    for (const socket of both) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        for (const one of both) one.destroy();
      });
    }
    server.once("connect", () => {
      this.made += 1;
      this.#open += 1;
      this.most = Math.max(this.most, this.#open);
      // From the client's own end on it holds nothing any more, however long the server takes to notice.
      let over = false;
      const end = (): void => {
        if (!over) this.#open -= 1;
        over = true;
      };
      client.once("end", end);
      client.once("close", end);
      client.pipe(server).pipe(client);
    });
  }
}
