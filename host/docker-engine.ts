import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import { homedir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";

/** Where Docker's engine listens unless DOCKER_HOST says otherwise. */
export const defaultDockerHost = "unix:///var/run/docker.sock";

/** Where the command `docker` finds its engine, and `kind`, which runs that command. */
export interface DockerEndpoint {
  /** `unix:///run/...`, or an address of another kind. */
  readonly host: string;
  /** Who says so: the variable DOCKER_HOST, a context of Docker's, or nobody. */
  readonly by: "DOCKER_HOST" | "context" | "default";
  /** Name of the context. */
  readonly context?: string;
}

/**
 * Finds the engine as the command does (docker/cli, resolveContextName): DOCKER_HOST, then DOCKER_CONTEXT, then the
 * current context. A context that cannot be read counts as the default, about which the command complains.
 */
export function dockerEndpoint(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): DockerEndpoint {
  const { DOCKER_HOST: host, DOCKER_CONTEXT: wanted, DOCKER_CONFIG: folder } = environment;
  if (host) return { host, by: "DOCKER_HOST" };
  const config = folder || path.join(environment["HOME"] || homedir(), ".docker");
  const current = configSchema.safeParse(jsonFile(path.join(config, "config.json"))).data;
  const context = wanted || current?.currentContext || "default";
  const byDefault = { host: defaultDockerHost, by: "default" } as const;
  if (context === "default") return byDefault;
  const id = createHash("sha256").update(context).digest("hex");
  const file = path.join(config, "contexts", "meta", id, "meta.json");
  const found = contextSchema.safeParse(jsonFile(file)).data?.Endpoints.docker.Host;
  return found ? { host: found, by: "context", context } : byDefault;
}

const configSchema = z.object({ currentContext: z.string().optional() });

const contextSchema = z.object({
  Endpoints: z.object({ docker: z.object({ Host: z.string().optional() }) }),
});

function jsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** An error that Docker's engine answered with. */
export class DockerError extends Error {
  constructor(
    /** HTTP status, e.g. 404. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface DockerRequest {
  /** Default: GET. */
  readonly method?: "POST" | "DELETE";
  readonly body?: object;
  readonly signal: AbortSignal;
}

/**
 * Sends a request to Docker's engine at `unix://...` and returns its answer; undefined if that is empty.
 *
 * @throws DockerError with the engine's message; Error if it does not answer, or not in JSON.
 */
export async function askDocker(
  host: string,
  path: string,
  { method, body, signal }: DockerRequest,
): Promise<unknown> {
  const socketPath = new URL(host).pathname;
  const headers = { host: "docker", "content-type": "application/json" };
  const [status, answered] = await new Promise<[number, string]>((resolve, reject) => {
    const request = http.request({ socketPath, path, method, signal, headers }, (response) => {
      text(response).then((all) => resolve([response.statusCode ?? 0, all]), reject);
    });
    request.on("error", (error) => reject(signal.aborted ? (signal.reason as Error) : error));
    request.end(body && JSON.stringify(body));
  });
  if (answered.trim() === "" && status < 400) return undefined;
  let answer: unknown;
  try {
    answer = JSON.parse(answered);
  } catch {
    throw new Error(`${path} at ${host} did not answer in JSON`);
  }
  if (status < 400) return answer;
  const { message } = z.object({ message: z.string().optional() }).parse(answer);
  throw new DockerError(status, `Docker at ${host}: ${message ?? `status ${status}`}`);
}
