import { Agent, request } from "node:https";

import { programConnection, type Connection } from "./client-connection.ts";
import { credentials } from "./kubeconfig.ts";

/** An error of the API server, with its message. */
export class ApiError extends Error {
  /** @param reason machine-readable, e.g. `AlreadyExists` or `Conflict`. */
  constructor(
    readonly status: number,
    message: string,
    readonly reason = "",
  ) {
    super(message);
  }
}

/** Options of a request. */
export interface ApiRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Aborts it; its reason becomes the error. */
  readonly signal?: AbortSignal;
  /** Gets the API server's warnings, e.g. about deprecated fields. */
  readonly warn?: (warning: string) => void;
}

/**
 * The few calls of host actions and the engine's plugin, over one connection.
 *
 * Not @kubernetes/client-node, as loading its 900 modules takes longer than everything else in an action.
 */
export class ClusterApi {
  private readonly connect: () => Promise<Connection>;
  private connected: Promise<Connection> | undefined;

  /** For what is no request of this kind: another protocol over the same connection. */
  connection(): Promise<Connection> {
    return (this.connected ??= this.connect());
  }

  /**
   * @param where a kubeconfig with one cluster and one user, with certificates, token or a program that prints them; or a
   * function that connects. Called once: a program may take seconds, and its credentials last for minutes at least.
   * @param timeoutSeconds longest wait for an answer.
   */
  constructor(
    where: string | (() => Promise<Connection>),
    private readonly timeoutSeconds = 15,
  ) {
    this.connect = typeof where === "string" ? connection(where, timeoutSeconds) : where;
  }

  get<T>(path: string): Promise<T> {
    return this.request("GET", path);
  }

  /** The same; undefined if there is none. */
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

  /** Posts a review, e.g. a SelfSubjectAccessReview, and returns it with its status. */
  ask<T>(path: string, body: object): Promise<T> {
    return this.request("POST", path, { body });
  }

  async put(path: string, body: object): Promise<void> {
    await this.request("PUT", path, { body });
  }

  /** @returns whether it existed. */
  async delete(path: string, request: ApiRequest = {}): Promise<boolean> {
    try {
      await this.request("DELETE", path, request);
      return true;
    } catch (error) {
      if (hasStatus(error, 404)) return false;
      throw error;
    }
  }

  /** Creates an object, or changes the given fields of the existing one, whoever owns them. */
  async apply(path: string, body: object): Promise<void> {
    const query = { fieldManager: "kindows", force: "true", fieldValidation: "Strict" };
    // JSON is YAML.
    await this.request("PATCH", path, { query, body, contentType: "application/apply-patch+yaml" });
  }

  /**
   * Follows a list from a version on, until the API server ends that, as it does after some minutes, or the signal does.
   *
   * @throws ApiError for an unsuccessful answer: status 410 where the version is too old.
   */
  async watch<T>(
    path: string,
    { query, signal }: Pick<ApiRequest, "query" | "signal">,
    event: (event: T) => void,
  ): Promise<void> {
    const { server, agent, auth, headers } = await this.connection();
    const url = urlOf(server, path, { ...query, watch: "true" });
    return new Promise((resolve, reject) => {
      const given = headers as Readonly<Record<string, string>> | undefined;
      const outgoing = request(url, { agent, auth, headers: { ...given }, signal });
      outgoing.on("error", reject);
      outgoing.on("response", (incoming) => {
        const status = incoming.statusCode ?? 0;
        let text = "";
        incoming.setEncoding("utf8").on("error", reject);
        incoming.on("data", (chunk: string) => {
          const lines = (text + chunk).split("\n");
          text = lines.pop() ?? "";
          if (status === 200) for (const line of lines) event(JSON.parse(line) as T);
        });
        incoming.on("end", () => {
          if (status === 200) resolve();
          else reject(apiError(status, text));
        });
      });
      outgoing.end();
    });
  }

  /** @throws ApiError for an unsuccessful answer. */
  async request<T>(
    method: string,
    path: string,
    { query, body, contentType = "application/json", signal, warn }: ApiRequest = {},
  ): Promise<T> {
    const { server, agent, auth, headers } = await this.connection();
    const url = urlOf(server, path, query);
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
          // Node.js omits it for DELETE: the body would be parsed as the next request.
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

function urlOf(server: string, path: string, query: ApiRequest["query"] = {}): URL {
  const url = new URL(server.replace(/\/$/, "") + path);
  for (const [name, value] of Object.entries(query)) {
    url.searchParams.set(name, value);
  }
  return url;
}

function connection(kubeconfig: string, timeoutSeconds: number): () => Promise<Connection> {
  const { server, serverName, ca, certificate, key, token, exec } = credentials(kubeconfig);
  if (exec !== undefined) return () => programConnection(kubeconfig, exec, timeoutSeconds);
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

/** Whether the API server answered with this HTTP status, e.g. 404. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** With the message of the `Status` object in an answer's body. */
export function apiError(status: number, body: string): ApiError {
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
