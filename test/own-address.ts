import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";

/**
 * A loopback address that only this process uses. Linux answers on all of 127.0.0.0/8, and a process id has at most 22
 * bits.
 *
 * @param which 0, 1 or 2, since some tests play machines that share a port.
 */
export function ownAddress(which: 0 | 1 | 2 = 0): string {
  const { pid } = process;
  return [127, 64 * (which + 1) + (pid >> 16), (pid >> 8) & 255, pid & 255].join(".");
}

/** Below the ports of NodePort Services and below Linux's ephemeral ones, which programs get that ask for any port. */
let nextPort = 20_000;

/**
 * A port of these addresses for a server that is started later, or again. On 127.0.0.1 another process could get it
 * meanwhile, however free it was when somebody looked. Here only a server that listens on all addresses can be in the way.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    const server = createServer().listen(port, ownAddress());
    try {
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") continue;
      throw error;
    }
    await promisify(server.close.bind(server))();
    return port;
  }
}
