import type { Client } from "ssh2";
import { closeClient, dial, dialHop, type Dialling } from "../../../ssh/dial.ts";
import { say } from "../../host-action/run-action.ts";
import { type DialledHops, dialHops, patience } from "../../../ssh/dial-hops.ts";
import type { AccessKeys, MachineParameter } from "./machine-parameter.ts";

type Way = Pick<MachineParameter, "place" | "bastion" | "through">;

/**
 * Runs something on a machine, by the same way as the command plugin goes; by several bastions without the forwarded
 * port that the plugin needs, so that it works without the program too.
 *
 * @param seconds that all of it may take.
 * @throws when it cannot be reached or takes too long, saying what was last seen.
 */
export async function onMachine<T>(
  way: Way,
  keys: AccessKeys,
  seconds: number,
  run: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  const timeout = setTimeout(() => {
    timer.abort(new Error(`no end within ${seconds} s`));
  }, seconds * 1000);
  try {
    const ssh = await reached(way, keys, { signal: timer.signal, progress: say });
    try {
      return await run(ssh.client, timer.signal);
    } finally {
      ssh.close();
    }
  } finally {
    clearTimeout(timeout);
  }
}

async function reached(
  { place, bastion, through = [] }: Way,
  keys: AccessKeys,
  operation: Dialling,
): Promise<DialledHops> {
  const machine = { ...place, ...keys.machine, ...patience };
  const proxy = bastion && { ...bastion, ...keys.bastion, ...patience };
  const [first, ...others] = through.map((each, hop) => ({ ...each, ...keys.through?.[hop] }));
  if (bastion === undefined || first === undefined) {
    return dial({ ...machine, proxy }, operation);
  }
  const hops = await dialHops([first, ...others, { ...bastion, ...keys.bastion }], operation);
  try {
    const from = hops.client;
    const client = await dialHop("Dial from proxy", machine, operation, { from });
    return {
      client,
      close: () => {
        closeClient(client);
        hops.close();
      },
    };
  } catch (error) {
    hops.close();
    throw error;
  }
}

/** What a command came to. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * @param input what it gets on its standard input; may be secret. Default: nothing.
 * @throws when the connection breaks or the time is over before the command has ended.
 */
export function runOn(
  client: Client,
  command: string,
  signal: AbortSignal,
  input = "",
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const lost = (): void => {
      reject(signal.aborted ? (signal.reason as Error) : new Error("the connection was lost"));
    };
    signal.addEventListener("abort", lost, { once: true });
    client.once("close", lost);
    client.exec(command, (error, channel) => {
      if (error) {
        reject(error);
        return;
      }
      let [stdout, stderr] = ["", ""];
      let exitCode: number | undefined;
      channel.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      channel.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      channel.on("exit", (code: number | null) => (exitCode = code ?? undefined));
      channel.on("close", () => {
        if (exitCode === undefined) lost();
        else resolve({ exitCode, stdout, stderr });
      });
      channel.end(input);
    });
  });
}
