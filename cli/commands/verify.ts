import { agnhostImage } from "../../components/controlplane/node-image/container-images.ts";
import { builtTool } from "../../toolchain/built.ts";
import { startHostServer } from "../../verify/cluster/host-server.ts";
import { namespace } from "../../verify/objects/names.ts";
import { terminalText } from "../../verify/report/terminal.ts";
import { isGood } from "../../verify/result.ts";
import type { Verification } from "../../verify/result.ts";
import { rowTitle } from "../../verify/rows/row.ts";
import { needsText } from "../../verify/rows/runnable.ts";
import { selectRows } from "../../verify/rows/select.ts";
import { verifyCluster } from "../../verify/verify.ts";
import { asHolderOf } from "../engine/run-lock.ts";
import { exitCodes, Failure } from "../../host/failure.ts";
import { say } from "../progress.ts";
import { table } from "../table.ts";
import { watchInterruption } from "../verify/interruption.ts";
import { checkReportFiles, writeReportFiles } from "../verify/report-files.ts";
import type { ReportFiles } from "../verify/report-files.ts";
import { clusterOfKubeconfig, clusterOfLab } from "../verify/verified-cluster.ts";

export interface VerifyOptions extends ReportFiles {
  readonly stack: string;
  /** A kubeconfig, whose cluster is verified instead of the stack's. */
  readonly kubeconfig?: string;
  /** Its context. Default: the current one, or the only one. */
  readonly context?: string;
  /** Ids of rows, or patterns with `*`. Default: all. */
  readonly rows?: readonly string[];
  /** Only print the rows. */
  readonly list: boolean;
  /** Leave namespace and pods in place. */
  readonly keep: boolean;
  /** Longest time for a row, in seconds. Default: it depends on the row. */
  readonly timeout?: number;
  /** Image to use instead of agnhost. */
  readonly image?: string;
}

/**
 * `kindows verify`: tries every path of the cluster's network, and prints a table.
 *
 * @returns exit code 0 if something passed and nothing failed.
 */
export async function verify(options: VerifyOptions): Promise<number> {
  const rows = selectRows(options.rows ?? []);
  if (options.list) {
    const lines = rows.map((row) => [row.id, rowTitle(row), needsText(row)]);
    process.stdout.write(`${table(["ROW", "WHAT", "NEEDS"], lines)}\n`);
    return exitCodes.ok;
  }
  const { kubeconfig, context, stack } = options;
  if (kubeconfig === undefined && context !== undefined) {
    throw new Failure("--context belongs to --kubeconfig: name the file as well");
  }
  await checkReportFiles(options);
  const cluster =
    kubeconfig === undefined
      ? await clusterOfLab(stack, rows)
      : await clusterOfKubeconfig(kubeconfig, context, rows);
  const started = new Date();
  const { api, facts, hostAddress } = cluster;
  const host = hostAddress === undefined ? undefined : await startHostServer(hostAddress);
  const interruption = watchInterruption((first) =>
    say(
      first
        ? `interrupted: removing the namespace ${namespace}; once more leaves it`
        : `left: the namespace ${namespace}; \`kubectl delete namespace ${namespace}\` removes it, and the next run does`,
    ),
  );
  try {
    const { results, leftBehind } = await asHolderOf(
      cluster.lockFile,
      `tries the network of ${cluster.name}`,
      () =>
        verifyCluster(
          {
            api,
            kubectl: builtTool("kubectl"),
            kubeconfig: cluster.kubeconfig,
            facts,
            ...(host && { host }),
            rows,
            image: options.image ?? agnhostImage,
            ...(options.timeout !== undefined && { timeoutSeconds: options.timeout }),
            signal: interruption.signal,
            say,
          },
          options.keep,
        ),
    );
    if (results === undefined) {
      return exitCodes.interrupted;
    }
    const verification: Verification = {
      stack: cluster.name,
      lab: cluster.lab,
      rehearsal: facts.rehearsal,
      nodes: facts.nodes.map(({ name, os, version, system }) => ({ name, os, version, system })),
      started,
      seconds: (Date.now() - started.getTime()) / 1000,
      results,
    };
    for (const file of await writeReportFiles(options, verification)) say(`written: ${file}`);
    process.stdout.write(`${terminalText(verification, wantsColour())}\n`);
    return isGood(results) && leftBehind === undefined ? exitCodes.ok : exitCodes.failed;
  } finally {
    interruption.stop();
    await host?.stop();
    await cluster.removeFiles();
  }
}

/** Whether to use colours: on a terminal, unless turned off. */
function wantsColour(): boolean {
  return process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";
}
