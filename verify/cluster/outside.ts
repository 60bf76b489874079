import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { runProgram } from "../../host/run-program.ts";

/** A temporary server on this host, as a destination outside the cluster that needs no internet. */
export interface HostServer {
  readonly url: string;
  /** Prefix of an answer, followed by the client's address. */
  readonly greeting: string;
  readonly stop: () => Promise<void>;
}

/** Serves on an address of this host, on a free port. @throws if this host does not have the address. */
export async function startHostServer(address: string): Promise<HostServer> {
  // A random greeting, to detect that another server has answered.
  const greeting = `kindows verify ${randomBytes(6).toString("hex")} sees `;
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/plain", connection: "close" });
    response.end(`${greeting}${request.socket.remoteAddress ?? ""}`);
  });
  await once(server.listen(0, address), "listening");
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${address}:${port}/`, greeting, stop };
}

/** Microsoft's page for connectivity checks, which Windows itself uses. */
export const internetPage = {
  url: "http://www.msftconnecttest.com/connecttest.txt",
  text: "Microsoft Connect Test",
} as const;

const timeoutSeconds = 5;

/** Why this host cannot load the page without a proxy; undefined if it can. */
export async function whyNoInternet(): Promise<string | undefined> {
  const { how, stdout, reason } = await runProgram(
    "curl",
    [
      ...["--silent", "--show-error", "--fail", "--noproxy", "*"],
      ...["--max-time", String(timeoutSeconds), internetPage.url],
    ],
    timeoutSeconds + 5,
  );
  if (how === "well" && stdout.includes(internetPage.text)) return undefined;
  const why = how === "well" ? "another page came back" : (reason.split("\n").at(-1) ?? reason);
  return `needs internet: this host has none (${internetPage.url}: ${why})`;
}
