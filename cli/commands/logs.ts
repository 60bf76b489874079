import path from "node:path";

import { builtTool } from "../../toolchain/built.ts";
import type { Options } from "../command-line/options.ts";
import { stackFolder } from "../engine/folders.ts";
import { upLogFile } from "../engine/up-log.ts";
import { enginePulumi, type Pulumi } from "../engine/pulumi.ts";
import { Failure, exitCodes, messageOf } from "../../host/failure.ts";
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
  readonly sources: readonly string[];
  readonly tail: number;
  readonly wait: number;
}

/**
 * `kindows logs`: collects the logs of some Windows nodes, or of all, into `.kindows/<stack>/logs`.
 *
 * @returns exit code 1 if the logs of a machine could not be collected.
 */
export async function logs(options: LogsOptions): Promise<number> {
  if (options.follow) return followLogs(options);
  const { stack, sources: nodes } = options;
  const { names } = await labIdentity(stack);
  const { machines: sources } = await labStateOf(enginePulumi(stack, names.prefix));
  const wanted = sources.filter(({ node }) => nodes.length === 0 || nodes.includes(node));
  const unknown = nodes.filter((name) => !sources.some(({ node }) => node === name));
  if (wanted.length === 0 || unknown.length > 0) {
    const known = sources.map(({ node }) => node).join(", ") || "none";
    const what = unknown.length === 0 ? "Windows machine" : `machine ${unknown.join(", ")}`;
    const hint = unknown.some((name) => followedOnly.includes(name))
      ? `. ${followedOnly.join(" and ")} can only be followed: --follow`
      : "";
    throw new Failure(
      `stack ${stack} has no ${what} that the step scripts were copied to (those there are: ${known})${hint}`,
    );
  }
  return (await collect(stack, wanted)) ? exitCodes.ok : exitCodes.failed;
}

/**
 * Collects the logs of failed nodes, and prints a line for each with their path, or why there are none. Never fails.
 */
export async function logsOfFailed(pulumi: Pulumi, nodes: readonly string[]): Promise<void> {
  try {
    const { machines: sources } = await labStateOf(pulumi);
    await collect(
      pulumi.stack,
      sources.filter(({ node }) => nodes.includes(node)),
    );
  } catch (error) {
    say(`no logs of ${nodes.join(", ")}: ${messageOf(error).split("\n")[0] ?? ""}`);
  }
}

/** @returns whether all could be collected; which, and why not, is printed. */
async function collect(stack: string, sources: readonly NodeMachine[]): Promise<boolean> {
  const below = path.join(stackFolder(stack), "logs");
  const ends = await Promise.allSettled(sources.map((source) => collectLogs(source, below)));
  for (const [at, { node }] of sources.entries()) {
    const end = ends[at];
    if (end?.status === "fulfilled") say(`logs of ${node}: ${end.value}`);
    else say(`no logs of ${node}: ${messageOf(end?.reason).split("\n")[0] ?? ""}`);
  }
  return ends.every(({ status }) => status === "fulfilled");
}

/** Seconds between two attempts to reach a source. */
const pauseSeconds = 3;

/**
 * `kindows logs --follow`: prints new lines of the logs, without secrets, until ^C.
 *
 * @returns exit code 130 if interrupted; 1 if every source was given up.
 * @throws Failure for an unknown source.
 */
async function followLogs(options: LogsOptions): Promise<number> {
  const identity = await labIdentity(options.stack);
  const notes: string[] = [];
  const all = await streamsOf(identity, (note) => notes.push(note));
  const choice = chooseStreams(all, options.sources);
  // A missing source is reported if it, or everything, was asked for.
  if (options.sources.length === 0 || "unknown" in choice) notes.forEach(say);
  if ("unknown" in choice) {
    throw new Failure(
      `stack ${options.stack} has no ${choice.unknown.join(", ")} whose logs could be followed; ` +
        `it has ${[...all.keys()].join(", ")}`,
    );
  }
  const interruption = watchInterruption();
  try {
    await followAll({
      streams: choice.streams,
      tail: options.tail,
      waitSeconds: options.wait,
      pauseSeconds,
      signal: interruption.signal,
      out: (line) => process.stdout.write(`${line}\n`),
      say,
    });
    return interruption.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  } finally {
    interruption.stop();
  }
}

async function streamsOf(
  identity: LabIdentity,
  note: (text: string) => void,
): Promise<Map<string, readonly LogStream[]>> {
  const { stack, names } = identity;
  const lab = names.prefix;
  const streams = new Map<string, readonly LogStream[]>();
  const [nodes, machines] = await Promise.all([
    orNone("control plane", note, () => kindNodes(thisHost(identity), lab)),
    orNone(
      "Windows nodes",
      note,
      async () => (await labStateOf(enginePulumi(stack, lab))).machines,
    ),
  ]);
  const nodeName = (container: string): string => container.replace(`${lab}-`, "");
  const planes = nodes.filter(({ role }) => role === "control-plane");
  if (planes.length > 0) {
    // Rewritten for a lab that is up; during an `up` there is none yet, or the one before.
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
  ask: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  try {
    const found = await ask();
    if (found.length === 0) note(`[${what}] none yet`);
    return found;
  } catch (error) {
    note(`[${what}] not known: ${messageOf(error).split("\n")[0] ?? ""}`);
    return [];
  }
}
