import { existsSync, readFileSync } from "node:fs";
import net from "node:net";
import * as grpc from "@grpc/grpc-js";
import type { Server } from "@grpc/grpc-js";

/** The engine sends whole states in one message; its own limit is the same. */
const MAX_MESSAGE_BYTES = 400 * 1024 * 1024;

const exitTasks: (() => void)[] = [];

/** Registers what must be done before the plugin's process ends, e.g. killing children. Must be quick and synchronous. */
export function beforeExit(task: () => void): void {
  exitTasks.push(task);
}

/**
 * Address of the engine: the last argument on the plugin's command line (logging and tracing flags come before it).
 * Empty when the plugin was started by hand.
 */
export function engineAddress(): string {
  const last = process.argv.length > 2 ? process.argv.at(-1) : undefined;
  return last === undefined || last.startsWith("-") ? "" : last;
}

/**
 * Serves on a free local port and prints that port as the first line on standard output, where the engine reads it. The
 * process ends when it gets a signal, or when standard input ends because the engine is gone.
 *
 * @param options.endsWithInput false for a plugin that a language host runs and ends, because it has no standard input
 */
export async function servePlugin(
  addServices: (server: Server) => void,
  { endsWithInput = true } = {},
): Promise<void> {
  const { port } = await listen(addServices);
  process.on("SIGINT", exit);
  process.on("SIGTERM", exit);
  if (endsWithInput) {
    process.stdin.on("end", exit);
    process.stdin.on("error", exit);
    process.stdin.resume();
  }
  process.stdout.write(`${String(port)}\n`);
}

/**
 * Serves on a free local port, to this user's processes and root's only: a plugin does what it is told with the rights
 * of who runs it, and any user may connect to a port.
 */
export function listen(
  addServices: (server: Server) => void,
): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
  });
  addServices(server);
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const gate = net.createServer({ noDelay: true }, (socket) => {
    if (isOwnOrRoots(socket)) injector.injectConnection(socket);
    else socket.destroy();
  });
  return new Promise((resolve, reject) => {
    gate.once("error", reject);
    gate.listen(0, "127.0.0.1", () => {
      const close = (): void => {
        gate.close();
        server.forceShutdown();
      };
      resolve({ port: (gate.address() as net.AddressInfo).port, close });
    });
  });
}

/** Linux' table of connections, which has both ends of one on the loopback. Other systems have none, and no such check. */
const connections = "/proc/net/tcp";
const established = "01";

/** Once a socket is closed, the table no longer says whose it was. Then the answer is no. */
function isOwnOrRoots({ remotePort = 0, localPort = 0 }: net.Socket): boolean {
  if (!existsSync(connections)) return true;
  const end = (port: number): string =>
    `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const users = readFileSync(connections, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, from, to, state]) =>
        from === end(remotePort) && to === end(localPort) && state === established,
    )
    .map(([, , , , , , , uid]) => Number(uid));
  return users.length === 1 && users.every((uid) => uid === 0 || uid === process.geteuid?.());
}

function exit(): void {
  for (const task of exitTasks) task();
  process.exit(0);
}
