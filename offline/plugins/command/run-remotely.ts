import type { Client } from "ssh2";
import type { Operation } from "../protocol/operation.ts";
import { isMap, scalarText, type PropertyMap } from "../protocol/property-value.ts";
import { captured } from "./captured-output.ts";
import type { RunCommand } from "./command-type.ts";
import { ConnectionLost, dial, type RoutedEndpoint } from "../../../host/ssh/dial.ts";
import { execute } from "../../../host/ssh/run-over-ssh.ts";
import type { SshEndpoint } from "../../../host/ssh/endpoint.ts";

/**
 * Runs a command over SSH. The session ends with the operation's time limit. A broken connection is an error, because
 * the command may or may not have run to its end.
 */
export const runRemotely: RunCommand = async (run, operation) => {
  const { connection } = run.inputs;
  if (!isMap(connection)) throw new Error("connection is missing in the state of this resource");
  return connected(connection, operation, run.redact, (client) =>
    captured(run, operation, async (add) => {
      try {
        const { exitCode, killedBy } = await execute(client, run.script, {
          input: scalarText(run.inputs["stdin"]) ?? "",
          signal: operation.signal,
          stdout: (chunk) => add("stdout", chunk),
          stderr: (chunk) => add("stderr", chunk),
        });
        if (exitCode === 0) return undefined;
        return exitCode === undefined
          ? `Process exited from signal ${killedBy}`
          : `Process exited with status ${exitCode}`;
      } catch (error) {
        return error instanceof ConnectionLost
          ? `the connection was lost before the command's exit status came (it may still be running there: run again)${error.why}`
          : (error as Error).message;
      }
    }),
  );
};

/** Opens a connection, runs `work` and closes the connection. Errors contain no secrets. */
export async function connected<Result>(
  connection: PropertyMap,
  operation: Operation,
  redact: (text: string) => string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  try {
    const ssh = await dial(parseConnection(connection), operation);
    try {
      return await work(ssh.client);
    } finally {
      ssh.close();
    }
  } catch (error) {
    throw new Error(redact((error as Error).message));
  }
}

/** Reads a checked `connection` input without secret marks. */
function parseConnection(connection: PropertyMap): RoutedEndpoint {
  const { proxy } = connection;
  return { ...parseEndpoint(connection), ...(isMap(proxy) && { via: [parseEndpoint(proxy)] }) };
}

function parseEndpoint(connection: PropertyMap): SshEndpoint {
  const text = (name: string): string | undefined => {
    const value = connection[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return {
    host: text("host") ?? "",
    port: Number(connection["port"]),
    user: text("user") ?? "root",
    privateKey: text("privateKey"),
    privateKeyPassword: text("privateKeyPassword"),
    hostKey: text("hostKey") ?? "",
    dialErrorLimit: Number(connection["dialErrorLimit"]),
    perDialTimeout: Number(connection["perDialTimeout"]),
  };
}
