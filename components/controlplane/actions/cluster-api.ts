import { Agent, request } from "node:https";

import { credentials } from "../kubeconfig.ts";

/** An answer of the API server other than success; its message is the server's own. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The few calls host actions make, over one kept connection.
 *
 * Not @kubernetes/client-node: loading its 900 modules takes longer than all that an action does with them.
 */
export class ClusterApi {
  private readonly server: string;
  private readonly agent: Agent;
  private readonly timeoutSeconds: number;

  /**
   * @param kubeconfig with one cluster and one user, certificates inside.
   * @param timeoutSeconds longest wait for an answer.
   */
  constructor(kubeconfig: string, timeoutSeconds = 15) {
    const { server, serverName, ca, certificate, key } = credentials(kubeconfig);
    this.server = server;
    this.timeoutSeconds = timeoutSeconds;
    this.agent = new Agent({
      keepAlive: true,
      ca,
      cert: certificate,
      key,
      ...(serverName && { servername: serverName }),
    });
  }

  get<T>(path: string): Promise<T> {
    return this.call("GET", path) as Promise<T>;
  }

  async post(path: string, body: object): Promise<void> {
    await this.call("POST", path, body);
  }

  async put(path: string, body: object): Promise<void> {
    await this.call("PUT", path, body);
  }

  async delete(path: string): Promise<void> {
    await this.call("DELETE", path);
  }

  private call(method: string, path: string, body?: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, this.server), {
        method,
        agent: this.agent,
        headers: { accept: "application/json", "content-type": "application/json" },
        signal: AbortSignal.timeout(this.timeoutSeconds * 1000),
      });
      outgoing.on("error", (error) => {
        reject(
          error.name === "AbortError"
            ? new Error(`${this.server} does not answer within ${this.timeoutSeconds} s`)
            : error,
        );
      });
      outgoing.on("response", (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const status = incoming.statusCode ?? 0;
          if (status >= 200 && status < 300) {
            resolve(JSON.parse(text));
          } else {
            reject(new ApiError(status, serverMessage(status, text)));
          }
        });
      });
      outgoing.end(body && JSON.stringify(body));
    });
  }
}

/** Whether the API server answered with this HTTP status, e.g. 404 for what is gone. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Message of the `Status` object in an answer's body. */
function serverMessage(status: number, body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === "string") {
      return message;
    }
  } catch {
    // Not a Status object: a proxy's page, for example.
  }
  return `the API server answered with HTTP status ${status}`;
}
