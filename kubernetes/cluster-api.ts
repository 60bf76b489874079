import { Agent, request } from "node:https";

import { programConnection, type Connection } from "./client-connection.ts";
import { credentials } from "./kubeconfig.ts";

/** An answer of the API server other than success; its message is the server's own. */
export class ApiError extends Error {
  readonly status: number;
  /** Machine-readable reason, e.g. `AlreadyExists` or `Conflict`. */
  readonly reason: string;

  constructor(status: number, message: string, reason = "") {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** What a request has besides its method and path. */
export interface ApiRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Ends it; its reason is the error then. */
  readonly signal?: AbortSignal;
  /** Gets the warnings the API server sends along, e.g. of deprecated fields. */
  readonly warn?: (warning: string) => void;
}

/**
 * The few calls host actions and the engine's plugin make, over one kept connection.
 *
 * Not @kubernetes/client-node: loading its 900 modules takes longer than all that an action does with them.
 */
export class ClusterApi {
  private readonly timeoutSeconds: number;
  private readonly connect: () => Promise<Connection>;
  private connected: Promise<Connection> | undefined;

  /**
   * @param where a kubeconfig with one cluster and one user, certificates or token inside, or a program of this host that
   * gives them; or who connects otherwise. Either is asked once: a program may take seconds, and what it gives lasts for
   * minutes at least.
   * @param timeoutSeconds longest wait for an answer.
   */
  constructor(where: string | (() => Promise<Connection>), timeoutSeconds = 15) {
    this.timeoutSeconds = timeoutSeconds;
    this.connect = typeof where === "string" ? connection(where, timeoutSeconds) : where;
  }

  get<T>(path: string): Promise<T> {
    return this.request("GET", path);
  }

  /** The same; undefined where there is nothing. */
  async find<T>(path: string, request: ApiRequest = {}): Promise<T | undefined> {
    try {
      return await this.request<T>("GET", path, request);
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  }

  async post(path: string, body: object): Promise<void> {
    await this.request("POST", path, { body });
  }

  /** Posts a question, e.g. a SelfSubjectAccessReview, and returns it with its answer. */
  ask<T>(path: string, body: object): Promise<T> {
    return this.request("POST", path, { body });
  }

  async put(path: string, body: object): Promise<void> {
    await this.request("PUT", path, { body });
  }

  /** @returns whether there was anything. */
  async delete(path: string, request: ApiRequest = {}): Promise<boolean> {
    try {
      await this.request("DELETE", path, request);
      return true;
    } catch (error) {
      if (hasStatus(error, 404)) return false;
      throw error;
    }
  }

  /** Makes an object, or changes the fields given in the one that is there, whoever set them before. */
  async apply(path: string, body: object): Promise<void> {
    const query = { fieldManager: "kindows", force: "true", fieldValidation: "Strict" };
    // JSON is YAML.
    await this.request("PATCH", path, { query, body, contentType: "application/apply-patch+yaml" });
  }

  /** @throws ApiError for an answer that is none of success. */
  async request<T>(
    method: string,
    path: string,
    { query, body, contentType = "application/json", signal, warn }: ApiRequest = {},
  ): Promise<T> {
    this.connected ??= this.connect();
    const { server, agent, auth, headers } = await this.connected;
    const url = new URL(server.replace(/\/$/, "") + path);
    for (const [name, value] of Object.entries(query ?? {})) {
      url.searchParams.set(name, value);
    }
    const text = body === undefined ? "" : JSON.stringify(body);
    const limit = AbortSignal.timeout(this.timeoutSeconds * 1000);
    return new Promise((resolve, reject) => {
      const outgoing = request(url, {
        method,
        agent,
        auth,
        headers: {
          accept: "application/json",
          "content-type": contentType,
          // Node.js leaves it out of a DELETE: the body would be taken for the next request.
          ...(text !== "" && { "content-length": Buffer.byteLength(text) }),
          ...(headers as Readonly<Record<string, string>> | undefined),
        },
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
      outgoing.on("error", (error) => {
        reject(
          signal?.aborted === true
            ? (signal.reason as Error)
            : error.name === "AbortError"
              ? new Error(`${server} does not answer within ${this.timeoutSeconds} s`)
              : error,
        );
      });
      outgoing.on("response", (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const warnings = String(incoming.headers["warning"] ?? "");
          // RFC 7234, 5.5: `299 - "text"`.
          for (const [, each = ""] of warnings.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
            warn?.(each.replaceAll(/\\(.)/g, "$1"));
          }
          const answer = Buffer.concat(chunks).toString("utf8");
          const status = incoming.statusCode ?? 0;
          if (status >= 200 && status < 300) {
            resolve(JSON.parse(answer) as T);
          } else {
            reject(apiError(status, answer));
          }
        });
      });
      outgoing.end(text);
    });
  }
}

function connection(kubeconfig: string, timeoutSeconds: number): () => Promise<Connection> {
  const { server, serverName, ca, certificate, key, token, exec } = credentials(kubeconfig);
  if (exec !== undefined) {
    return () => programConnection(kubeconfig, exec, timeoutSeconds);
  }
  const agent = new Agent({
    keepAlive: true,
    ca,
    cert: certificate,
    key,
    ...(serverName && { servername: serverName }),
  });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return () => Promise.resolve({ server, agent, headers });
}

/** Whether the API server answered with this HTTP status, e.g. 404 for what is gone. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** With the message of the `Status` object in an answer's body. */
function apiError(status: number, body: string): ApiError {
  let said: { readonly message?: unknown; readonly reason?: string } = {};
  try {
    said = JSON.parse(body) as typeof said;
  } catch {
    // Not a Status object: a proxy's page, for example.
  }
  const { message, reason } = said;
  return typeof message === "string"
    ? new ApiError(status, message, reason)
    : new ApiError(status, `the API server answered with HTTP status ${status}`);
}
