import { readFile } from "node:fs/promises";
import path from "node:path";

import { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { agnhostImage } from "../../components/controlplane/node-image/container-images.ts";
import { builtTool } from "../../toolchain/built.ts";
import { readNodes } from "../../verify/cluster/snapshot.ts";
import { prepareNodes, restoreNodes } from "../../verify/conformance/nodes.ts";
import {
  conformanceImage,
  conformanceObjects,
  namespace,
  objectsText,
} from "../../verify/conformance/objects.ts";
import {
  failedTests,
  totals,
  makeResultsFolder,
  readResults,
} from "../../verify/conformance/results.ts";
import { removeRun, runJob } from "../../verify/conformance/run-job.ts";
import { checkPrograms, localCommand, runLocal } from "../../verify/conformance/run-local.ts";
import { suiteNamed, suites, readinessCases } from "../../verify/conformance/suites.ts";
import type { ConformanceRun } from "../../verify/conformance/suites.ts";
import type { Options } from "../command-line/options.ts";
import { accessFiles } from "../lab/access.ts";
import { labThatIsUp } from "../lab/outputs.ts";
import { stackFolder } from "../engine/folders.ts";
import { asHolderOf, verifyLockFile } from "../engine/run-lock.ts";
import { Failure, exitCodes, messageOf } from "../../host/failure.ts";
import { say } from "../progress.ts";
import { stackSettings } from "../stack-settings.ts";
import { table } from "../table.ts";
import { watchInterruption } from "../../host/interruption.ts";
import type { Settings } from "../../config/settings.ts";
import { nodesOf, type Facts } from "../../verify/cluster/facts.ts";

interface ConformanceOptions extends Options<"list" | "dryRun" | "keep"> {
  readonly suite: string;
  readonly focus?: string;
  readonly skip?: string;
  /** Longest run in seconds. Default: the suite's. */
  readonly timeout?: number;
  readonly image?: string;
  readonly repoList?: string;
  readonly local?: string;
  /** Default: a folder below `.kindows/<stack>/conformance`. */
  readonly output?: string;
}

/** Most names of failed tests that are printed; the rest is in the results. */
const mostNames = 20;

/**
 * `kindows conformance`: Kubernetes' own tests of Windows nodes.
 *
 * @returns exit code 0 when tests ran, and none failed.
 */
export async function conformance(options: ConformanceOptions): Promise<number> {
  if (options.list) {
    process.stdout.write(`${listText()}\n`);
    return exitCodes.ok;
  }
  const { stack } = options;
  const settings = await stackSettings(stack);
  const run = runOf(options, settings.cluster.kubernetesVersion, settings.nodes.length);
  const repositories =
    options.repoList === undefined ? undefined : await readText(options.repoList);
  const images = { tests: options.image ?? conformanceImage(run.kubernetesVersion) };
  const objects = conformanceObjects(run, { ...images, results: agnhostImage }, repositories);
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const folder = path.resolve(
    options.output ?? path.join(stackFolder(stack), "conformance", `${options.suite}-${time}`),
  );
  if (options.dryRun) {
    const { kubeconfig } = accessFiles(stack);
    const text =
      options.local === undefined
        ? objectsText(objects)
        : `${localCommand({ run, programs: options.local, kubeconfig, folder }).join("\n  ")}\n`;
    process.stdout.write(text);
    return exitCodes.ok;
  }
  const unfit = whyNoWindows(settings);
  if (unfit !== undefined) throw new Failure(unfit);
  if (options.local !== undefined) await checkPrograms(options.local);
  const { outputs, access } = await labThatIsUp(stack);
  const api = new ClusterApi(outputs.kubeconfig, 60);
  const notReady = whyNotReady(await readNodes(api));
  if (notReady !== undefined) throw new Failure(notReady);
  await makeResultsFolder(folder);
  const interruption = watchInterruption((first) =>
    say(
      first
        ? "interrupted: fetching what there is, and removing the rest; once more leaves it"
        : `left: the namespace ${namespace} and the nodes' taints; the next run puts both right`,
    ),
  );
  const { signal } = interruption;
  const inCluster = {
    ...{ api, kubectl: builtTool("kubectl"), kubeconfig: access.kubeconfig },
    ...{ run, objects, folder, signal, say },
  };
  try {
    const exitCode = await asHolderOf(
      verifyLockFile(stack),
      `tests the network of ${stack}`,
      async () => {
        const changed = await prepareNodes(api);
        say(`for the tests' time, other taints: ${changed.join(", ") || "on no node"}`);
        try {
          return options.local === undefined
            ? await runJob(inCluster)
            : await runLocal({
                ...{ run, folder, signal, kubeconfig: access.kubeconfig },
                programs: options.local,
                repositoryFile: options.repoList && path.resolve(options.repoList),
              });
        } finally {
          await restoreNodes(api);
          if (options.local === undefined && !options.keep) await removeRun(inCluster);
        }
      },
    );
    return await report(folder, exitCode);
  } catch (error) {
    say(`what there is of log and results: ${folder}`);
    if (signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    interruption.stop();
  }
}

function runOf(
  options: ConformanceOptions,
  kubernetesVersion: string,
  windowsNodes: number,
): ConformanceRun {
  const { focus, skip } = options;
  try {
    const suite = suiteNamed(options.suite);
    return {
      suite,
      kubernetesVersion,
      windowsNodes,
      timeoutSeconds: options.timeout ?? suite.timeoutSeconds,
      ...(focus !== undefined && { focus }),
      ...(skip !== undefined && { skip }),
    };
  } catch (error) {
    throw new Failure(messageOf(error), exitCodes.usage);
  }
}

function listText(): string {
  const rows = suites.map(({ id, what, parallel, timeoutSeconds }) => [
    id,
    `${String(timeoutSeconds)} s`,
    String(parallel),
    what,
  ]);
  const cases = readinessCases.map(({ category, what, focus }) => [category, what, focus]);
  return [
    table(["SUITE", "LIMIT", "AT A TIME", "WHAT"], rows),
    "",
    table(["OPERATIONAL READINESS", "WHAT", "TEST"], cases),
  ].join("\n");
}

async function report(folder: string, exitCode: number): Promise<number> {
  const texts = await readResults(folder);
  let counts;
  try {
    counts = totals(texts);
  } catch (error) {
    throw new Failure(`${messageOf(error)} (${folder}; the tests ended with ${String(exitCode)})`);
  }
  const ran = counts.tests - counts.skipped;
  const bad = counts.failures + counts.errors;
  for (const test of failedTests(texts, mostNames)) process.stdout.write(`failed: ${test}\n`);
  process.stdout.write(
    `${String(ran)} tests, ${String(bad)} failed, exit code ${String(exitCode)}; log and JUnit: ${folder}\n`,
  );
  // If the focus matches no test, the run fails.
  return exitCode === 0 && bad === 0 && ran > 0 ? exitCodes.ok : exitCodes.failed;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new Failure(`--repo-list ${file} can't be read: ${messageOf(error)}`);
  }
}

/** Why the tests prove nothing about a stack's nodes; undefined if they do. */
function whyNoWindows({ windows, nodes, cni }: Settings): string | undefined {
  const need = "conformance needs a real Windows node";
  if (windows.image.kind === "rehearsal") {
    return (
      `${need}: this stack's are rehearsed, and containers on them are modelled. ` +
      "Take a stack with real Windows (`--stack dev`); `--list` and `--dry-run` work here"
    );
  }
  if (nodes.length === 0) {
    return `${need}: this stack has none. Add one below kindows:nodes, and run \`up\``;
  }
  if (cni.kind === "kind-default") {
    return `${need} whose pods have a network: write calico or flannel for kindows:cni.kind`;
  }
  return undefined;
}

/** Why the tests cannot run in the cluster right now; undefined if they can. */
function whyNotReady(nodes: Facts["nodes"]): string | undefined {
  const windows = nodesOf({ nodes }, "windows");
  if (windows.length === 0) {
    return "conformance needs a real Windows node, and the cluster has none: run `up`";
  }
  const troubled = nodes.filter(({ trouble }) => trouble !== undefined);
  return troubled.length === 0
    ? undefined
    : `conformance needs all nodes Ready: ${troubled.map(({ name, trouble }) => `${name}: ${trouble ?? ""}`).join("; ")}`;
}
