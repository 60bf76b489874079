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

/** Serves on a free local port. */
export function listen(
  addServices: (server: Server) => void,
): Promise<{ readonly port: number; readonly server: Server }> {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
  });
  addServices(server);
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve({ port: bound, server });
    });
  });
}

function exit(): void {
  for (const task of exitTasks) task();
  process.exit(0);
}
