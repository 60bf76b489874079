import path from "node:path";

import { builtTool } from "../../toolchain/built.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import { stackFolder } from "../engine/folders.ts";
import { upLogFile } from "../engine/up-log.ts";
import { enginePulumi, type Pulumi } from "../engine/pulumi.ts";
import { Failure, exitCodes, firstLineOf } from "../../host/failure.ts";
import { kindNodes } from "../host-resources/containers.ts";
import { accessFiles } from "../lab/access.ts";
import { labStateOf, type NodeMachine } from "../lab/lab-state.ts";
import { labThatIsUp } from "../lab/outputs.ts";
import { thisHost } from "../../host/host.ts";
import { collectLogs } from "../logs/collect.ts";
import {
  chooseStreams,
  followAll,
  controlPlaneName,
  stepsName,
  type LogStream,
} from "../logs/follow/log-stream.ts";
import { journalStream, staticPodsStream } from "../logs/follow/process-streams.ts";
import { machineStream } from "../logs/follow/machine-stream.ts";
import { stepsStream } from "../logs/follow/followed-files.ts";
import { say } from "../progress.ts";
import { labIdentity, type LabIdentity } from "../stack-settings.ts";
import { watchInterruption } from "../../host/interruption.ts";

const followedOnly: readonly string[] = [controlPlaneName, stepsName];

interface LogsOptions extends Options<"follow"> {
  /** Names of nodes, and with `follow` of other sources. */
  readonly source: readonly string[];
  readonly tail: number;
  readonly wait: number;
}

/** `kindows logs`: collects the logs of Windows nodes. Exit code 1 if those of a machine could not be collected. */
export async function logs(options: LogsOptions): Promise<CommandResult> {
  if (options.follow) return followLogs(options);
  const { stack, source: nodes } = options;
  const { lab } = await labIdentity(stack);
  const { machines: sources, secrets } = await labStateOf(enginePulumi(stack, lab));
  const known = sources.map(({ node }) => node);
  const unknown = nodes.filter((name) => !known.includes(name));
  if (known.length === 0 || unknown.length > 0) {
    const what = unknown.length === 0 ? "Windows machine" : `machine ${unknown.join(", ")}`;
    const hint = unknown.some((name) => followedOnly.includes(name))
      ? `. ${followedOnly.join(" and ")} can only be followed: --follow`
      : "";
    throw new Failure(
      `stack ${stack} has no ${what} that the step scripts were copied to; it has ${known.join(", ") || "none"}${hint}`,
    );
  }
  const wanted = sources.filter(({ node }) => nodes.length === 0 || nodes.includes(node));
  return (await collect(stack, wanted, secrets))
    ? undefined
    : "not all logs could be collected (see above)";
}

/**
 * Collects the logs of failed nodes, and prints a line for each with their path, or why there are none. Never fails.
 */
export async function logsOfFailed(pulumi: Pulumi, nodes: readonly string[]): Promise<void> {
  try {
    const { machines, secrets } = await labStateOf(pulumi);
    const failed = machines.filter(({ node }) => nodes.includes(node));
    await collect(pulumi.stack, failed, secrets);
  } catch (error) {
    say(`no logs of ${nodes.join(", ")}: ${firstLineOf(error)}`);
  }
}

async function collect(
  stack: string,
  sources: readonly NodeMachine[],
  secrets: readonly string[],
): Promise<boolean> {
  const below = path.join(stackFolder(stack), "logs");
  const ends = await Promise.all(
    sources.map((source) =>
      collectLogs(source, below, secrets).then(
        (folder) => ({ line: `logs of ${source.node}: ${folder}`, well: true }),
        (error) => ({ line: `no logs of ${source.node}: ${firstLineOf(error)}`, well: false }),
      ),
    ),
  );
  for (const { line } of ends) say(line);
  return ends.every(({ well }) => well);
}

const pauseSeconds = 3;

/** `kindows logs --follow`: prints new lines, without secrets. Exit code 1 once no source can be followed any more. */
async function followLogs(options: LogsOptions): Promise<CommandResult> {
  const identity = await labIdentity(options.stack);
  const notes: string[] = [];
  const all = await streamsOf(identity, (note) => notes.push(note));
  const choice = chooseStreams(all, options.source);
  // Notes about missing sources matter if all sources were requested, or an unknown one.
  if (options.source.length === 0 || "unknown" in choice) notes.forEach(say);
  if ("unknown" in choice) {
    throw new Failure(
      `stack ${options.stack} has no ${choice.unknown.join(", ")} whose logs could be followed; ` +
        `it has ${[...all.keys()].join(", ")}`,
    );
  }
  const { signal, stop } = watchInterruption();
  try {
    await followAll({
      streams: choice.streams,
      tail: options.tail,
      waitSeconds: options.wait,
      pauseSeconds,
      signal,
      say,
      out: (line) => process.stdout.write(`${line}\n`),
    });
    return signal.aborted ? exitCodes.interrupted : "all sources of logs have ended";
  } finally {
    stop();
  }
}

async function streamsOf(
  identity: LabIdentity,
  note: (text: string) => void,
): Promise<Map<string, readonly LogStream[]>> {
  const { stack, lab } = identity;
  const streams = new Map<string, readonly LogStream[]>();
  const state = () => labStateOf(enginePulumi(stack, lab));
  const [nodes, machines] = await Promise.all([
    orNone("control plane", note, () => kindNodes(thisHost(identity), lab)),
    orNone("Windows nodes", note, async () => (await state()).machines),
  ]);
  const nodeName = (container: string): string => container.replace(`${lab}-`, "");
  const planes = nodes.filter(({ role }) => role === "control-plane");
  if (planes.length > 0) {
    // Rewrites the kubeconfig if the lab is up. During an `up` it is missing or outdated.
    await labThatIsUp(stack).catch(() => undefined);
    const { kubeconfig } = accessFiles(stack);
    streams.set(controlPlaneName, [
      ...planes.map(({ name }) => journalStream(nodeName(name), name)),
      staticPodsStream(controlPlaneName, builtTool("kubectl"), kubeconfig, lab),
    ]);
  }
  for (const { name } of nodes.filter(({ role }) => role === "worker")) {
    streams.set(nodeName(name), [journalStream(nodeName(name), name)]);
  }
  for (const source of machines) streams.set(source.node, [machineStream(source.node, source)]);
  streams.set(stepsName, [stepsStream(upLogFile(stack))]);
  return streams;
}

/** Reports a source that does not answer now, and follows the others. */
async function orNone<T>(
  what: string,
  note: (text: string) => void,
  find: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  try {
    const found = await find();
    if (found.length === 0) note(`[${what}] none yet`);
    return found;
  } catch (error) {
    note(`[${what}] not known: ${firstLineOf(error)}`);
    return [];
  }
}
