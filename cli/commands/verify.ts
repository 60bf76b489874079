import { agnhostImage } from "../../images/node/container-images.ts";
import { builtTool } from "../../toolchain/built.ts";
import { startHostServer } from "../../verify/cluster/outside.ts";
import { namespace } from "../../verify/objects/names.ts";
import { terminalText } from "../../verify/report/terminal.ts";
import { shortcoming, type Verification } from "../../verify/result.ts";
import { rowTitle } from "../../verify/rows/row.ts";
import { needsText } from "../../verify/rows/runnable.ts";
import { selectRows } from "../../verify/rows/select.ts";
import { verifyCluster } from "../../verify/verify.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import { asHolderOf } from "../engine/run-lock.ts";
import { exitCodes, Failure } from "../../host/failure.ts";
import { say } from "../progress.ts";
import { table } from "../table.ts";
import { watchInterruption } from "../../host/interruption.ts";
import { clusterOfKubeconfig, clusterOfLab } from "../verify/verified-cluster.ts";
import { access, constants, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { htmlText } from "../../verify/report/html.ts";
import { jsonText } from "../../verify/report/json.ts";
import { junitText } from "../../verify/report/junit.ts";

interface VerifyOptions extends ReportFiles, Options<"list" | "keep"> {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly rows?: readonly string[];
  /** Longest time for a row, in seconds. Default: it depends on the row. */
  readonly timeout?: number;
  readonly image?: string;
}

/** `kindows verify`: tests every path of the cluster's network. Exit code 0 if something passed and nothing failed. */
export async function verify(options: VerifyOptions): Promise<CommandResult> {
  const rows = selectRows(options.rows ?? []);
  if (options.list) {
    const lines = rows.map((row) => [row.id, rowTitle(row), needsText(row)]);
    process.stdout.write(`${table(["ROW", "WHAT", "NEEDS"], lines)}\n`);
    return undefined;
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
        ? `interrupted: removing the namespace ${namespace}; interrupt again to keep it`
        : `kept the namespace ${namespace}: remove it with \`kubectl delete namespace ${namespace}\`, or the next run does`,
    ),
  );
  try {
    const { results, leftBehind } = await asHolderOf(
      cluster.lockFile,
      `tests the network of ${cluster.name}`,
      () =>
        verifyCluster(
          {
            api,
            kubectl: builtTool("kubectl"),
            kubeconfig: cluster.kubeconfig,
            facts,
            rows,
            image: options.image ?? agnhostImage,
            signal: interruption.signal,
            say,
            host,
            timeoutSeconds: options.timeout,
          },
          options.keep,
        ),
    );
    if (results === undefined) return exitCodes.interrupted;
    const verification: Verification = {
      stack: cluster.name,
      lab: cluster.lab,
      rehearsal: facts.rehearsal,
      started,
      results,
      nodes: facts.nodes.map(({ name, os, version, system }) => ({ name, os, version, system })),
      seconds: (Date.now() - started.getTime()) / 1000,
    };
    for (const file of await writeReportFiles(options, verification)) say(`written: ${file}`);
    const wantsColour = process.stdout.isTTY && !process.env["NO_COLOR"];
    process.stdout.write(`${terminalText(verification, wantsColour)}\n`);
    if (leftBehind !== undefined) return leftBehind;
    return shortcoming(results);
  } finally {
    interruption.stop();
    await host?.stop();
    await cluster.removeFiles();
  }
}

const renderers = { json: jsonText, junit: junitText, html: htmlText } as const;

type Format = keyof typeof renderers;

type ReportFiles = Readonly<Partial<Record<Format, string>>>;

/** Checks before a long run that the reports can be written. @throws Failure with every file that cannot. */
export async function checkReportFiles(files: ReportFiles): Promise<void> {
  const problems: string[] = [];
  for (const [format, file] of requested(files)) {
    const why = await whyNotWritable(file);
    if (why !== undefined) problems.push(`--${format} ${file}: ${why}`);
  }
  if (problems.length > 0) throw new Failure(problems.join("\n"));
}

export async function writeReportFiles(
  files: ReportFiles,
  verification: Verification,
): Promise<readonly string[]> {
  const all = requested(files);
  await Promise.all(all.map(([format, file]) => writeFile(file, renderers[format](verification))));
  return all.map(([, file]) => file);
}

function requested(files: ReportFiles): readonly (readonly [Format, string])[] {
  const formats = Object.keys(renderers) as Format[];
  return formats.flatMap((each) => (files[each] ? [[each, files[each]] as const] : []));
}

async function whyNotWritable(file: string): Promise<string | undefined> {
  const folder = path.dirname(path.resolve(file));
  const parent = await stat(folder).catch(() => undefined);
  if (parent?.isDirectory() !== true) return `there is no folder ${folder}: create it first`;
  const own = await stat(file).catch(() => undefined);
  if (own?.isDirectory() === true) return "it is a folder: name a file";
  return access(own === undefined ? folder : file, constants.W_OK).then(
    () => undefined,
    () => "this user may not write it",
  );
}
