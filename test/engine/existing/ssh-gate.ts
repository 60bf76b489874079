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

  private constructor(port: number) {
    this.#server = createServer({ noDelay: true }, (client) => {
      this.#pass(client, port);
    });
  }

  static async start(port: number): Promise<SshGate> {
    const gate = new SshGate(port);
    await new Promise<void>((resolve) => gate.#server.listen(0, "127.0.0.1", resolve));
    started("an SSH gate", gate);
    return gate;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    stopped(this);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(client: Socket, port: number): void {
    const server = connect({ host: "127.0.0.1", port, noDelay: true });
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    server.once("connect", () => {
      this.made += 1;
      this.#open += 1;
      this.most = Math.max(this.most, this.#open);
      client.pipe(server).pipe(client);
      // From the client's own end on it holds nothing any more, however long the server takes to notice.
      let over = false;
      const end = (): void => {
        if (!over) this.#open -= 1;
        over = true;
      };
      client.once("end", end).once("close", end);
    });
  }
}
