import http from "node:http";

/** An error the Docker engine answered with. */
export class DockerError extends Error {
  /** HTTP status, e.g. 404. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** How long the Docker engine may take to answer. */
const ANSWER_SECONDS = 60;

/** The Docker engine's API at a `host` like `unix:///var/run/docker.sock` or `tcp://127.0.0.1:2375`. */
export class DockerEngine {
  readonly #host: string;
  readonly #where: http.RequestOptions;
  readonly #explain: (why: string) => string;

  /**
   * @param explain adds a remedy to the error of an engine that does not answer.
   * @throws for a kind of host that is not covered, e.g. ssh://
   */
  constructor(host: string, explain = (why: string): string => why) {
    this.#host = host;
    this.#explain = explain;
    const url = new URL(host);
    if (url.protocol === "unix:") this.#where = { socketPath: url.pathname };
    else if (url.protocol === "tcp:" || url.protocol === "http:") {
      this.#where = { host: url.hostname, port: url.port === "" ? 2375 : Number(url.port) };
    } else {
      throw new Error(
        `docker host ${host} is not covered by the bundled docker plugin (covered: unix:// and tcp:// without TLS); install the official pulumi-resource-docker to use it`,
      );
    }
  }

  /** @returns the JSON answer, if there is one. @throws {DockerError} */
  async request(
    method: "GET" | "POST" | "DELETE",
    path: string,
    options: { readonly body?: unknown; readonly signal?: AbortSignal } = {},
  ): Promise<unknown> {
    const { status, text } = await this.#send(method, path, options.body, options.signal);
    let answer: unknown;
    try {
      answer = text.trim() === "" ? undefined : JSON.parse(text);
    } catch {
      throw new Error(`${path} at ${this.#host} did not answer in JSON`);
    }
    if (status >= 400) {
      const { message } = (answer ?? {}) as { readonly message?: string };
      throw new DockerError(status, `Docker at ${this.#host}: ${message ?? `status ${status}`}`);
    }
    return answer;
  }

  #send(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal | undefined,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        const reason = signal?.aborted === true ? (signal.reason as Error) : error;
        reject(new Error(this.#explain(reason.message)));
      };
      const request = http.request(
        {
          ...this.#where,
          method,
          path,
          ...(signal && { signal }),
          timeout: ANSWER_SECONDS * 1000,
          headers: { "content-type": "application/json", host: "docker" },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", fail);
          response.on("end", () => {
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(chunks).toString("utf8"),
            });
          });
        },
      );
      request.on("error", fail);
      request.on("timeout", () => {
        request.destroy(new Error(`no answer in ${String(ANSWER_SECONDS)} s`));
      });
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
