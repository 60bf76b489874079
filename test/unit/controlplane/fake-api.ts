import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { mock } from "node:test";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { fixture, kubeconfig } from "./fixture-kubeconfig.ts";

/** `METHOD /path`, the path without its query, in order of arrival. */
export type Requests = string[];

export type Answer = readonly [status: number, body: object];

/** Makes waits of 600 s end after their first check, until mocks are restored. */
export function hastenClock(): void {
  let now = Date.now();
  mock.method(Date, "now", () => (now += 400_000));
}

/** A small API server with real TLS and HTTP, and the test's answers. */
export async function withFakeApi<T>(
  answer: (request: string, body: unknown, headers: IncomingHttpHeaders) => Answer,
  test: (api: ClusterApi, requests: Requests, server: string) => Promise<T>,
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void = () => undefined,
): Promise<T> {
  const requests: Requests = [];
  const server = createServer(
    { key: fixture("test-only-key.pem"), cert: fixture("localhost-ec.pem") },
    (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const request = `${incoming.method} ${new URL(incoming.url ?? "/", "https://x").pathname}`;
        requests.push(request);
        const text = Buffer.concat(chunks).toString();
        const sent: unknown = text === "" ? undefined : JSON.parse(text);
        const [status, body] = answer(request, sent, incoming.headers);
        outgoing.writeHead(status, { "content-type": "application/json" });
        outgoing.end(JSON.stringify(body));
      });
    },
  );
  server.on("upgrade", upgrade);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  try {
    const { port } = server.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}`;
    return await test(new ClusterApi(kubeconfig(url), 600), requests, url);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
}

/** A client of an API server that has stopped. */
export async function goneApi(): Promise<ClusterApi> {
  const gone = await withFakeApi(
    () => [404, {}],
    (_api, _requests, server) => Promise.resolve(server),
  );
  return new ClusterApi(kubeconfig(gone));
}
