import { ClusterApi } from "../../components/controlplane/actions/cluster-api.ts";
import { agnhostImage } from "../../components/controlplane/node-image/agnhost-image.ts";
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
import { verifyLockFile } from "../engine/folders.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { exitCodes } from "../failure.ts";
import { labThatIsUp } from "../lab/lab-that-is-up.ts";
import { say } from "../progress.ts";
import { stackSettings } from "../stack-settings.ts";
import { table } from "../table.ts";
import { watchInterruption } from "../verify/interruption.ts";
import { hostAddress, labFacts } from "../verify/lab-facts.ts";
import { checkReportFiles, writeReportFiles } from "../verify/report-files.ts";
import type { ReportFiles } from "../verify/report-files.ts";

export interface VerifyOptions extends ReportFiles {
  readonly stack: string;
  /** Ids of rows, or patterns with `*`; all where there are none. */
  readonly rows?: readonly string[];
  /** Only print the rows. */
  readonly list: boolean;
  /** Leave namespace and pods in place. */
  readonly keep: boolean;
  /** Longest time for a row, in seconds. Default: it depends on the row. */
  readonly timeout?: number;
  /** Image that takes agnhost's place. */
  readonly image?: string;
}

/**
 * `kindows verify`: tries every path of the cluster's network, and shows them as a table.
 *
 * @returns exit code 0 when something passed and nothing failed.
 */
export async function verify(options: VerifyOptions): Promise<number> {
  const rows = selectRows(options.rows ?? []);
  if (options.list) {
    const lines = rows.map((row) => [row.id, rowTitle(row), needsText(row)]);
    process.stdout.write(`${table(["ROW", "WHAT", "NEEDS"], lines)}\n`);
    return exitCodes.ok;
  }
  const { stack } = options;
  const [settings] = await Promise.all([stackSettings(stack), checkReportFiles(options)]);
  const { lab, outputs, access } = await labThatIsUp(stack);
  const started = new Date();
  const api = new ClusterApi(outputs.kubeconfig);
  const facts = await labFacts(settings, api, rows);
  const host =
    facts.noHost === undefined ? await startHostServer(hostAddress(settings)) : undefined;
  const interruption = watchInterruption((first) =>
    say(
      first
        ? `interrupted: removing the namespace ${namespace}; once more leaves it`
        : `left: the namespace ${namespace}; \`kubectl delete namespace ${namespace}\` removes it, and the next run does`,
    ),
  );
  try {
    const { results, leftBehind } = await asOnlyRun(
      stack,
      () =>
        verifyCluster(
          {
            api,
            kubectl: builtTool("kubectl"),
            kubeconfig: access.kubeconfig,
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
      verifyLockFile(stack),
    );
    if (results === undefined) {
      return exitCodes.interrupted;
    }
    const verification: Verification = {
      stack,
      lab,
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
  }
}

/** Colours for people: on a terminal, unless they said no. */
function wantsColour(): boolean {
  return process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";
}
