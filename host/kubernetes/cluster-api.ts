import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import * as z from "zod";

import { apiObject } from "./api-objects.ts";
import { programConnection, type Connection } from "./client-connection.ts";
import { credentials } from "./kubeconfig.ts";

export class ApiError extends Error {
  /**
   * @param reason machine-readable, e.g. `AlreadyExists` or `Conflict`.
   * @param kindIsUnknown whether the server lacks the whole kind that was asked for, not an object of it.
   */
  constructor(
    readonly status: number,
    message: string,
    readonly reason = "",
    private readonly kindIsUnknown = false,
  ) {
    super(message);
  }

  /** Whether every further try gets the same answer: the server refuses the request itself, or has no such kind. */
  get isFinal(): boolean {
    return this.kindIsUnknown || refusals.includes(this.status);
  }
}

/** Longest answer, and longest event of a watch, in bytes: some ten thousand pods. */
const longestAnswer = 128 * 1024 ** 2;

/** Bad request, forbidden, method not allowed, unsupported media type, and an object that is invalid. */
const refusals: readonly number[] = [400, 403, 405, 415, 422];

export interface ApiRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Aborts the request; its reason becomes the error. */
  readonly signal?: AbortSignal;
  /** Whether a 404 is an expected answer, so that its cause does not matter. */
  readonly mayLack?: boolean;
  /** Gets the API server's warnings, e.g. about deprecated fields. */
  readonly warn?: (warning: string) => void;
}

/**
 * A small client of the Kubernetes API. It does not use @kubernetes/client-node, because loading that package's 900
 * modules takes longer than everything else in an action.
 */
export class ClusterApi {
  private readonly connect: () => Promise<Connection>;
  private connected: Promise<Connection> | undefined;

  /** Address and credentials, for other protocols than plain requests. */
  connection(): Promise<Connection> {
    return (this.connected ??= this.connect());
  }

  /**
   * @param where a kubeconfig with one cluster and one user, with certificates, a token or a program that prints them;
   * or a function that connects. It is called once, because a program may take seconds and its credentials last for
   * minutes.
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

  /** Like `get`, but returns undefined if the object does not exist. */
  async find<T>(path: string, request: ApiRequest = {}): Promise<T | undefined> {
    try {
      return await this.request<T>("GET", path, { ...request, mayLack: true });
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
      await this.request("DELETE", path, { ...request, mayLack: true });
      return true;
    } catch (error) {
      if (hasStatus(error, 404)) return false;
      throw error;
    }
  }

  /**
   * Creates an object, or changes the given fields of the existing one, regardless of their field managers. Removes
   * what the same manager has applied before and does not give now.
   */
  async apply(path: string, body: object, fieldManager = "kindows"): Promise<void> {
    const query = { fieldManager, force: "true", fieldValidation: "Strict" };
    // JSON is YAML.
    await this.request("PATCH", path, { query, body, contentType: "application/apply-patch+yaml" });
  }

  /**
   * Watches a list from a resource version on, until the API server or the signal ends the watch.
   *
   * @throws ApiError, with status 410 if the version is too old.
   */
  async watch<T>(
    path: string,
    { query, signal }: Pick<ApiRequest, "query" | "signal">,
    event: (event: T) => void,
  ): Promise<void> {
    const answer = await this.#send("GET", path, { query: { ...query, watch: "true" }, signal });
    const { statusCode = 0 } = answer;
    if (statusCode !== 200) throw apiError(statusCode, await bodyOf(answer, path));
    let rest = "";
    for await (const chunk of answer.setEncoding("utf8") as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > longestAnswer) throw tooLong(path);
      for (const line of lines) event(asJson(line, path) as T);
    }
  }

  async request<T>(
    method: string,
    path: string,
    { warn, mayLack, ...rest }: ApiRequest = {},
  ): Promise<T> {
    const { server } = await this.connection();
    const limit = AbortSignal.timeout(this.timeoutSeconds * 1000);
    const signals = rest.signal === undefined ? [limit] : [limit, rest.signal];
    try {
      const answer = await this.#send(method, path, { ...rest, signal: AbortSignal.any(signals) });
      const body = await bodyOf(answer, path);
      // RFC 7234, 5.5: `299 - "text"`.
      const warnings = String(answer.headers["warning"] ?? "");
      for (const [, each = ""] of warnings.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
        warn?.(each.replaceAll(/\\(.)/g, "$1"));
      }
      const { statusCode = 0 } = answer;
      if (statusCode === 404 && mayLack !== true) throw await this.#notFound(path, body);
      if (statusCode < 200 || statusCode >= 300) throw apiError(statusCode, body);
      const parsed = asJson(body, path);
      return (method === "GET" ? apiObject(path, parsed) : parsed) as T;
    } catch (error) {
      rest.signal?.throwIfAborted();
      if (!limit.aborted) throw error;
      throw new Error(`${server} does not answer within ${this.timeoutSeconds} s`);
    }
  }

  /** The error for a path that is not there. The server itself says whether it lacks an object or the whole kind. */
  async #notFound(path: string, body: string): Promise<ApiError> {
    const error = apiError(404, body);
    const kind = namesObject(body) ? undefined : kindOf(path);
    if (kind === undefined || (await this.#lists(kind).catch(() => true))) return error;
    const message = `the API server has no ${kind.plural} in ${kind.version}`;
    return new ApiError(error.status, message, error.reason, true);
  }

  /** Whether the server lists a kind. @throws if it gives no list. */
  async #lists({ plural, group, version }: ServedKind): Promise<boolean> {
    if (group !== "") {
      const { groups } = await this.get<GroupList>("/apis");
      const versions = groups.find(({ name }) => name === group)?.versions ?? [];
      if (!versions.some(({ groupVersion }) => groupVersion === version)) return false;
    }
    const { resources } = await this.get<KindList>(`/${group === "" ? "api" : "apis"}/${version}`);
    // Some kinds are only listed with what they have below them.
    return resources.some(({ name }) => name.split("/")[0] === plural);
  }

  /** @returns the answer, whose body is still to be read. */
  async #send(
    method: string,
    path: string,
    { query = {}, body, contentType = "application/json", signal }: ApiRequest,
  ): Promise<IncomingMessage> {
    const { server, agent, auth, headers } = await this.connection();
    const url = new URL(server.replace(/\/$/, "") + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const content = body === undefined ? "" : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const options = {
        method,
        agent,
        auth,
        signal,
        headers: {
          accept: "application/json",
          "content-type": contentType,
          // Node.js omits it for DELETE, and the server would then parse the body as the next request.
          ...(content !== "" && { "content-length": Buffer.byteLength(content) }),
          ...(headers as Readonly<Record<string, string>> | undefined),
        },
      };
      request(url, options, resolve).on("error", reject).end(content);
    });
  }
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

/** An answer's text. @throws if it is longer than any API server's. */
async function bodyOf(answer: IncomingMessage, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestAnswer) {
      answer.destroy();
      throw tooLong(path);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLong(path: string): Error {
  return new Error(
    `the API server's answer to ${path} is longer than ${longestAnswer / 1024 ** 2} MiB`,
  );
}

/** @returns an object. */
function asJson(text: string, path: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not the parser's own error, which shows a part of the text.
  }
  if (typeof value === "object" && value !== null) return value;
  throw new Error(
    `the API server's answer to ${path} is no object in JSON: is something before it?`,
  );
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** The list of groups at `/apis`, as far as it is read. */
interface GroupList {
  readonly groups: readonly {
    readonly name: string;
    readonly versions: readonly { readonly groupVersion: string }[];
  }[];
}

/** The list of kinds of a group's version. */
interface KindList {
  readonly resources: readonly { readonly name: string }[];
}

interface ServedKind {
  /** Empty for Kubernetes' first kinds, e.g. pods. */
  readonly group: string;
  /** With its group, e.g. `apps/v1`. */
  readonly version: string;
  readonly plural: string;
}

/** The kind in the path of an object or a list; undefined for other paths, e.g. the list of a version's kinds. */
function kindOf(path: string): ServedKind | undefined {
  const found =
    /^\/(?:api|apis\/(?<group>[^/]+))\/(?<name>[^/]+)\/(?:namespaces\/[^/]+\/)?(?<plural>[^/?]+)/.exec(
      path,
    );
  const { group = "", name = "", plural = "" } = found?.groups ?? {};
  if (found === null) return undefined;
  return { group, version: group === "" ? name : `${group}/${name}`, plural };
}

/** Whether the answer to a request names the object that is not there. */
function namesObject(body: string): boolean {
  try {
    const { details } = JSON.parse(body) as { readonly details?: { readonly name?: string } };
    return (details?.name ?? "") !== "";
  } catch {
    return false;
  }
}

const statusSchema = z.object({
  message: z.string().regex(/\S/),
  reason: z.string().optional().catch(undefined),
});

export function apiError(status: number, body: string): ApiError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Not a Status object, e.g. a proxy's page.
  }
  const { message, reason } = statusSchema.safeParse(parsed).data ?? {};
  return message === undefined
    ? new ApiError(status, `the API server answered with HTTP status ${status}`)
    : new ApiError(status, message, reason);
}
