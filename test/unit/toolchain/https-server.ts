import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

/** Certificate for 127.0.0.1 and its key; of no use but for this server. */
const certificateFile = fileURLToPath(new URL("loopback.pem", import.meta.url));

/** Answers one request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** What a request asked for. */
export interface Asked {
  readonly path: string;
  readonly range: string | undefined;
}

/** A download site on 127.0.0.1 whose certificate curl trusts while it runs. */
export class HttpsServer {
  readonly url: string;
  /** All requests so far. */
  readonly asked: Asked[] = [];
  /** How each request is answered. */
  answer: Answer = (_request, response) => response.writeHead(404).end();
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async start(): Promise<HttpsServer> {
    const pem = readFileSync(certificateFile);
    const server = createServer({ key: pem, cert: pem }, (request, response) => {
      started.asked.push({ path: request.url ?? "", range: request.headers.range });
      started.answer(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const earlier = process.env["CURL_CA_BUNDLE"];
    process.env["CURL_CA_BUNDLE"] = certificateFile;
    const started = new HttpsServer(
      `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
      async () => {
        if (earlier === undefined) {
          delete process.env["CURL_CA_BUNDLE"];
        } else {
          process.env["CURL_CA_BUNDLE"] = earlier;
        }
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      },
    );
    return started;
  }

  stop(): Promise<void> {
    return this.#close();
  }
}

/** Serves a file, the asked part of it where a part is asked for. */
export function serve(content: Buffer): Answer {
  return (request, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    if (start > 0 && start >= content.length) {
      response.writeHead(416, { "content-range": `bytes */${String(content.length)}` }).end();
      return;
    }
    const part = content.subarray(start);
    const headers = { "content-length": part.length };
    if (start > 0) {
      const range = `bytes ${String(start)}-${String(content.length - 1)}/${String(content.length)}`;
      response.writeHead(206, { ...headers, "content-range": range });
    } else {
      response.writeHead(200, headers);
    }
    response.end(part);
  };
}

/** Begins as `serve` does and cuts the connection after so many bytes. */
export function cutAfter(bytes: number, content: Buffer): Answer {
  return (request, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const length = content.length - start;
    const range = `bytes ${String(start)}-${String(content.length - 1)}/${String(content.length)}`;
    response.writeHead(start > 0 ? 206 : 200, {
      "content-length": length,
      ...(start > 0 ? { "content-range": range } : {}),
    });
    response.write(content.subarray(start, start + bytes), () => request.socket.destroy());
  };
}
