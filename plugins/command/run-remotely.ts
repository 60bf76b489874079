import type { Client, SFTPWrapper } from "ssh2";
import type { Operation } from "../protocol/operation.ts";
import { isMap, scalarText, type PropertyMap } from "../protocol/property-value.ts";
import { CapturedOutput, commandError } from "./captured-output.ts";
import type { CommandRun, RunCommand } from "./command-type.ts";
import { ConnectionLost, dial, type RoutedEndpoint } from "../../ssh/dial.ts";
import { execute } from "../../ssh/run-over-ssh.ts";
import type { SshEndpoint } from "../../ssh/endpoint.ts";

/**
 * Runs a command over SSH. The session ends with the operation's time limit; a connection that breaks is an error,
 * since nobody knows whether the command ran to its end. The connection is closed afterwards.
 */
export const runRemotely: RunCommand = async (run, operation) => {
  const { connection } = run.inputs;
  if (!isMap(connection)) throw new Error("connection is missing in the state of this resource");
  const ssh = await dial(parseConnection(connection), operation).catch((error: unknown) => {
    throw new Error(run.redact((error as Error).message));
  });
  const output = new CapturedOutput(run, (line) => {
    operation.progress(line);
  });
  try {
    const environment = await acceptedEnvironment(ssh.client, run, operation);
    const failure = await failureOf(ssh.client, run, environment, output, operation.signal);
    output.end();
    if (failure !== undefined) throw commandError(failure, run, output);
    return output.result();
  } finally {
    ssh.close();
  }
};

/** Resolves to why it failed, or undefined. */
async function failureOf(
  client: Client,
  run: CommandRun,
  env: Record<string, string>,
  output: CapturedOutput,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { exitCode, killedBy } = await execute(client, run.script, {
      input: scalarText(run.inputs["stdin"]) ?? "",
      env,
      signal,
      stdout: (chunk) => {
        output.add("stdout", chunk);
      },
      stderr: (chunk) => {
        output.add("stderr", chunk);
      },
    });
    if (exitCode === 0) return undefined;
    return exitCode === undefined
      ? `Process exited from signal ${killedBy}`
      : `Process exited with status ${exitCode}`;
  } catch (error) {
    return error instanceof ConnectionLost
      ? `the connection was lost before the command's exit status came (it may go on over there: run again)${error.why}`
      : (error as Error).message;
  }
}

const HOW_TO_SET =
  "the SSH server must accept it with AcceptEnv; where a shell runs the command, write VAR=value before it instead";

/**
 * The variables to send. `environment` must be accepted by the server; the previous output need not be. A request to
 * run a command does not tell whether its variables were accepted, so each is tried on a session of its own first.
 */
async function acceptedEnvironment(
  client: Client,
  run: CommandRun,
  operation: Operation,
): Promise<Record<string, string>> {
  const accepted: Record<string, string> = {};
  const wanted = isMap(run.inputs["environment"]) ? run.inputs["environment"] : {};
  for (const [name, value] of Object.entries(wanted)) {
    const text = scalarText(value) ?? "";
    if (!(await accepts(client, name, text))) {
      throw new Error(`could not set environment variable ${name}: ${HOW_TO_SET}`);
    }
    accepted[name] = text;
  }
  if (run.inputs["addPreviousOutputInEnv"] !== false) {
    const previous = {
      PULUMI_COMMAND_STDOUT: run.previous.stdout,
      PULUMI_COMMAND_STDERR: run.previous.stderr,
    };
    for (const [name, text] of Object.entries(previous)) {
      if (text === "") continue;
      if (await accepts(client, name, text)) accepted[name] = text;
      else operation.log("warning", `Unable to set ${name}: ${HOW_TO_SET}`);
    }
  }
  return accepted;
}

/** `Client.sftp` takes variables for its session and reports their refusal (ssh2, lib/client.js); its types do not say so. */
type SftpWithEnvironment = (
  environment: Record<string, string>,
  callback: (error: Error | undefined, sftp: SFTPWrapper) => void,
) => void;

function accepts(client: Client, name: string, value: string): Promise<boolean> {
  const openSftp = client.sftp.bind(client) as unknown as SftpWithEnvironment;
  return new Promise((resolve, reject) => {
    openSftp({ [name]: value }, (error, sftp) => {
      if (error === undefined) {
        sftp.end();
        resolve(true);
      } else if (error.message.includes("environment")) resolve(false);
      else if (error.message.includes("subsystem")) resolve(true);
      else reject(error);
    });
  });
}

/** Reads a checked `connection` input without secret marks. */
export function parseConnection(connection: PropertyMap): RoutedEndpoint {
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
    password: text("password"),
    privateKey: text("privateKey"),
    privateKeyPassword: text("privateKeyPassword"),
    agentSocketPath: text("agentSocketPath"),
    hostKey: text("hostKey"),
    dialErrorLimit: Number(connection["dialErrorLimit"]),
    perDialTimeout: Number(connection["perDialTimeout"]),
  };
}
