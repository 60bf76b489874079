import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of this run on this host: somewhere out of the cluster that is there without an internet. */
export interface HostServer {
  readonly url: string;
  /** What an answer begins with; after it comes the address that the request came from. */
  readonly greeting: string;
  readonly stop: () => Promise<void>;
}

/**
 * Serves on one address of this host, on a port that is free.
 *
 * @throws when this host does not have the address.
 */
export async function startHostServer(address: string): Promise<HostServer> {
  // Another server that answers in its place is seen.
  const greeting = `kindows verify ${randomBytes(6).toString("hex")} sees `;
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/plain", connection: "close" });
    response.end(`${greeting}${request.socket.remoteAddress ?? ""}`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${address}:${port}/`, greeting, stop: () => stop(server) };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
