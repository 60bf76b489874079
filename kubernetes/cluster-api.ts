import { Agent, request } from "node:https";

import { programCredentials } from "./exec-credentials.ts";
import { credentials } from "./kubeconfig.ts";
import type { Credentials } from "./kubeconfig.ts";

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
  private readonly timeoutSeconds: number;
  private readonly login: () => Promise<Login>;

  /**
   * @param kubeconfig with one cluster and one user, certificates or token inside, or a program of this host that gives
   * them.
   * @param timeoutSeconds longest wait for an answer.
   */
  constructor(kubeconfig: string, timeoutSeconds = 15) {
    const given = credentials(kubeconfig);
    this.server = given.server;
    this.timeoutSeconds = timeoutSeconds;
    let login: Promise<Login> | undefined;
    // Once: a program may take seconds, and what it gives lasts for minutes at least.
    this.login = () => (login ??= loginOf(given, kubeconfig, timeoutSeconds));
  }

  get<T>(path: string): Promise<T> {
    return this.call("GET", path) as Promise<T>;
  }

  async post(path: string, body: object): Promise<void> {
    await this.call("POST", path, body);
  }

  /** Posts a question, e.g. a SelfSubjectAccessReview, and returns it with its answer. */
  ask<T>(path: string, body: object): Promise<T> {
    return this.call("POST", path, body) as Promise<T>;
  }

  async put(path: string, body: object): Promise<void> {
    await this.call("PUT", path, body);
  }

  async delete(path: string): Promise<void> {
    await this.call("DELETE", path);
  }

  /** Makes an object, or changes the fields given in the one that is there, whoever set them before. */
  async apply(path: string, body: object): Promise<void> {
    const query = "fieldManager=kindows&force=true&fieldValidation=Strict";
    // JSON is YAML.
    await this.call("PATCH", `${path}?${query}`, body, "application/apply-patch+yaml");
  }

  private async call(
    method: string,
    path: string,
    body?: object,
    contentType = "application/json",
  ): Promise<unknown> {
    const { agent, headers } = await this.login();
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, this.server), {
        method,
        agent,
        headers: { accept: "application/json", "content-type": contentType, ...headers },
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

/** With what every request is sent. */
interface Login {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

async function loginOf(
  { serverName, ca, certificate, key, token, exec }: Credentials,
  kubeconfig: string,
  timeoutSeconds: number,
): Promise<Login> {
  const given = exec
    ? await programCredentials(kubeconfig, timeoutSeconds)
    : { certificate, key, token };
  return {
    headers: given.token === undefined ? {} : { authorization: `Bearer ${given.token}` },
    agent: new Agent({
      keepAlive: true,
      ca,
      cert: given.certificate,
      key: given.key,
      ...(serverName && { servername: serverName }),
    }),
  };
}

/** Whether the API server answered with this HTTP status, e.g. 404 for what is gone. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
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
