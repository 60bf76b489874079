import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { fixture } from "../controlplane/fixture-kubeconfig.ts";

const certificate = "../controlplane/fixtures/localhost-ec.pem";
const certificateFile = fileURLToPath(new URL(certificate, import.meta.url));

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Asked {
  readonly path: string;
  readonly range: string | undefined;
}

/** A download server on 127.0.0.1, whose certificate curl trusts while it runs. */
export class HttpsServer {
  readonly url: string;
  readonly asked: Asked[] = [];
  /** Handles each request. */
  answer: Answer = (_request, response) => response.writeHead(404).end();
  readonly #server: Server;
  readonly #trusted = process.env["CURL_CA_BUNDLE"];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    process.env["CURL_CA_BUNDLE"] = certificateFile;
  }

  static async start(): Promise<HttpsServer> {
    const identity = { key: fixture("test-only-key.pem"), cert: fixture("localhost-ec.pem") };
    const server = createServer(identity, (request, response) => {
      started.asked.push({ path: request.url ?? "", range: request.headers.range });
      started.answer(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const started = new HttpsServer(server);
    return started;
  }

  async stop(): Promise<void> {
    if (this.#trusted === undefined) delete process.env["CURL_CA_BUNDLE"];
    else process.env["CURL_CA_BUNDLE"] = this.#trusted;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Serves a file or the requested range of it. May break the connection after a number of bytes. */
export function serve(content: Buffer, cutAfterBytes?: number): Answer {
  return (request, response) => {
    const size = String(content.length);
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    if (start > 0 && start >= content.length) {
      response.writeHead(416, { "content-range": `bytes */${size}` }).end();
      return;
    }
    const part = content.subarray(start);
    const range = `bytes ${String(start)}-${String(content.length - 1)}/${size}`;
    response.writeHead(start > 0 ? 206 : 200, {
      "content-length": part.length,
      ...(start > 0 && { "content-range": range }),
    });
    if (cutAfterBytes === undefined) response.end(part);
    else response.write(part.subarray(0, cutAfterBytes), () => request.socket.destroy());
  };
}

export const cutAfter = (bytes: number, content: Buffer): Answer => serve(content, bytes);
