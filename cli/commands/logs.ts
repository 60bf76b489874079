import path from "node:path";

import { stackFolder } from "../engine/folders.ts";
import { enginePulumi, type Pulumi } from "../engine/pulumi.ts";
import { Failure, exitCodes, messageOf } from "../../host/failure.ts";
import { collectLogs } from "../logs/collect.ts";
import { controlPlaneName, stepsName } from "../logs/follow/log-stream.ts";
import { say } from "../progress.ts";
import { labStateOf, type NodeMachine } from "../lab/lab-state.ts";
import { labIdentity } from "../stack-settings.ts";

/** Names that `--follow` knows besides those of nodes. */
const followedOnly: readonly string[] = [controlPlaneName, stepsName];

export interface LogsOptions {
  readonly stack: string;
  /** Nodes, with `follow` also `control-plane` and `steps`. Default: all. */
  readonly sources: readonly string[];
  /** Print new lines as they are written. */
  readonly follow: boolean;
  /** With `follow`: last lines of each log to begin with. */
  readonly tail: number;
  /** With `follow`: seconds to wait each time a source does not answer. */
  readonly wait: number;
}

/**
 * `kindows logs`: collects the logs of some Windows nodes, or of all, into `.kindows/<stack>/logs`.
 *
 * @returns exit code 1 if the logs of a machine could not be collected.
 */
export async function logs(options: LogsOptions): Promise<number> {
  if (options.follow) {
    return (await import("./logs-follow.ts")).followLogs(options);
  }
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
  const results = await Promise.all(wanted.map((source) => collected(stack, source)));
  for (const { line } of results) say(line);
  return results.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.failed;
}

/**
 * Collects the logs of failed nodes, and prints a line for each with their path, or why there are none. Never fails.
 */
export async function logsOfFailed(pulumi: Pulumi, nodes: readonly string[]): Promise<void> {
  try {
    const { machines: sources } = await labStateOf(pulumi);
    const wanted = sources.filter(({ node }) => nodes.includes(node));
    const results = await Promise.all(wanted.map((source) => collected(pulumi.stack, source)));
    for (const { line } of results) say(line);
  } catch (error) {
    say(`no logs of ${nodes.join(", ")}: ${messageOf(error).split("\n")[0] ?? ""}`);
  }
}

async function collected(
  stack: string,
  source: NodeMachine,
): Promise<{ readonly ok: boolean; readonly line: string }> {
  try {
    const folder = await collectLogs(source, path.join(stackFolder(stack), "logs"));
    return { ok: true, line: `logs of ${source.node}: ${folder}` };
  } catch (error) {
    return {
      ok: false,
      line: `no logs of ${source.node}: ${messageOf(error).split("\n")[0] ?? ""}`,
    };
  }
}
