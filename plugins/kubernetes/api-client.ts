import https from "node:https";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import pRetry from "p-retry";
import type { KubernetesObject } from "./object.ts";
import { readKubeconfig } from "./kubeconfig-file.ts";
import type { Settings } from "./settings.ts";

/** An error the API server answered with. */
export class ApiError extends Error {
  /** HTTP status, e.g. 409. */
  readonly status: number;
  /** Machine-readable reason, e.g. `AlreadyExists` or `Conflict`. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** The API server did not answer. */
export class ClusterUnreachable extends Error {}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path of the object or list. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** `application/json` where not set. */
  readonly contentType?: string;
  readonly signal: AbortSignal;
  /** Gets the warnings the API server sends along, e.g. of deprecated fields. */
  readonly warn?: (warning: string) => void;
}

interface StatusBody {
  readonly message?: string;
  readonly reason?: string;
}

/** How long the API server may take to answer one request. */
const ANSWER_SECONDS = 30;

/** A server that refuses connections may be restarting: tried again this often, one second apart. */
const CONNECT_AGAIN = { retries: 4, minTimeout: 1000, factor: 1 };

const NOT_CONNECTED: readonly unknown[] = [
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
];

/** The API server that the settings mean. */
export class ApiClient {
  readonly #config: KubeConfig;
  #options: Promise<https.RequestOptions> | undefined;

  /** @throws when the settings lead to no cluster */
  constructor(settings: Settings) {
    const text = readKubeconfig(settings);
    if (text === undefined) {
      throw new ClusterUnreachable(
        "there is no kubeconfig: set the provider's kubeconfig (content or path) or KUBECONFIG",
      );
    }
    this.#config = loadConfig(text, settings);
    if (this.#config.getCurrentCluster() === null) {
      throw new ClusterUnreachable(
        `the kubeconfig has no cluster for the context ${JSON.stringify(this.#config.getCurrentContext())}`,
      );
    }
  }

  /** @throws {ApiError | ClusterUnreachable} */
  async request(request: ApiRequest): Promise<KubernetesObject> {
    try {
      return await pRetry(() => this.#send(request), {
        ...CONNECT_AGAIN,
        signal: request.signal,
        shouldRetry: ({ error }) => "code" in error && NOT_CONNECTED.includes(error.code),
      });
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const server = this.#config.getCurrentCluster()?.server ?? "";
      const why = request.signal.aborted
        ? (request.signal.reason as Error).message
        : (error as Error).message;
      throw new ClusterUnreachable(`the API server at ${server} cannot be reached: ${why}`);
    }
  }

  async #send(request: ApiRequest): Promise<KubernetesObject> {
    this.#options ??= this.#connectionOptions();
    const connection = await this.#options;
    const url = new URL(this.#config.getCurrentCluster()?.server ?? "");
    const query = new URLSearchParams(request.query).toString();
    const body = request.body === undefined ? "" : JSON.stringify(request.body);
    const base = url.pathname.replace(/\/$/, "");
    return await new Promise((resolve, reject) => {
      const outgoing = https.request(
        {
          ...connection,
          host: url.hostname,
          port: url.port === "" ? 443 : url.port,
          path: `${base}${request.path}${query === "" ? "" : `?${query}`}`,
          method: request.method,
          signal: request.signal,
          timeout: ANSWER_SECONDS * 1000,
          headers: {
            ...connection.headers,
            accept: "application/json",
            "content-type": request.contentType ?? "application/json",
            // Node.js leaves it out of a DELETE: the body would be taken for the next request.
            "content-length": Buffer.byteLength(body),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            for (const warning of warningsOf(response.headers["warning"])) request.warn?.(warning);
            const text = Buffer.concat(chunks).toString("utf8");
            const status = response.statusCode ?? 0;
            if (status < 400) resolve(JSON.parse(text) as KubernetesObject);
            else reject(apiError(status, text));
          });
        },
      );
      outgoing.on("error", reject);
      outgoing.on("timeout", () => {
        outgoing.destroy(new Error(`no answer in ${String(ANSWER_SECONDS)} s`));
      });
      outgoing.end(body);
    });
  }

  async #connectionOptions(): Promise<https.RequestOptions> {
    const options: https.RequestOptions = {};
    await this.#config.applyToHTTPSOptions(options);
    const { ca, cert, key, rejectUnauthorized, servername } = options;
    const proxied = this.#config.getCurrentCluster()?.proxyUrl !== undefined;
    const agent = proxied
      ? options.agent
      : new https.Agent({ ca, cert, key, rejectUnauthorized, servername, keepAlive: true });
    return { agent, auth: options.auth, headers: options.headers };
  }
}

function loadConfig(text: string, settings: Settings): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(text);
  const currentContext = settings.context ?? config.getCurrentContext();
  const { clusters, users } = config;
  const contexts = config.contexts.map((context) =>
    context.name === currentContext && settings.cluster !== undefined
      ? { ...context, cluster: settings.cluster }
      : context,
  );
  config.loadFromOptions({ clusters, users, contexts, currentContext });
  return config;
}

function apiError(status: number, text: string): ApiError {
  let body: StatusBody = {};
  try {
    body = JSON.parse(text) as StatusBody;
  } catch {
    // A proxy answered, not the API server: its text is all there is.
  }
  return new ApiError(status, body.reason ?? "", body.message ?? `status ${status}: ${text}`);
}

/** Texts of a Warning header (RFC 7234, 5.5): `299 - "text"`. */
function warningsOf(header: string | string[] | undefined): string[] {
  const value = Array.isArray(header) ? header.join(",") : (header ?? "");
  return [...value.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) =>
    text.replaceAll(/\\(.)/g, "$1"),
  );
}
