import http from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";

/** Where Docker's engine listens unless DOCKER_HOST says otherwise. */
export const defaultDockerHost = "unix:///var/run/docker.sock";

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
