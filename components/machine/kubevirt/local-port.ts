import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { messageOf } from "../../../host/failure.ts";

/** Where connections to a port of this host end. */
export interface LocalPortArgs {
  /** On 127.0.0.1; 0: any that is free. */
  readonly port: number;
  /** As errors name it. */
  readonly what: string;
  /** What to do where the port is somebody else's, as a full sentence. */
  readonly instead: string;
  /** Opens one connection to the end. */
  readonly open: () => Promise<Duplex>;
  /** Is told why nobody is led on, once for the same reason. */
  readonly tell: (line: string) => void;
}

/**
 * Listens on a port of this host whose connections end somewhere that only this process reaches. It keeps no process
 * running, and ends with it.
 *
 * @throws where the port is somebody else's.
 */
export async function openLocalPort(args: LocalPortArgs): Promise<Server> {
  const { port, what, instead } = args;
  let last = "";
  const tell = (why: string): void => {
    if (why !== last) args.tell(`${what}: ${why}`);
    last = why;
  };
  const server = createServer((socket) => void lead(socket, args.open, tell));
  await new Promise<void>((resolve, reject) => {
    server.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      const why = code === "EADDRINUSE" ? "somebody else listens there" : message;
      reject(new Error(`port ${port} of this host cannot lead to ${what}: ${why}. ${instead}`));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  return server.unref();
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function lead(
  socket: Socket,
  open: () => Promise<Duplex>,
  tell: (why: string) => void,
): Promise<void> {
  // Whoever connected notices by itself when it goes away.
  socket.on("error", () => undefined).setNoDelay(true);
  try {
    const end = await open();
    end.on("error", () => socket.destroy());
    end.once("close", () => socket.destroy());
    socket.once("close", () => end.destroy());
    socket.pipe(end).pipe(socket);
  } catch (error) {
    tell(messageOf(error));
    socket.destroy();
  }
}
