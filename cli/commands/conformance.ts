import { readFile } from "node:fs/promises";
import path from "node:path";

import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { agnhostImage } from "../../images/node/container-images.ts";
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
import type { CommandResult, Options } from "../command-line/options.ts";
import { accessFiles } from "../lab/access.ts";
import { labThatIsUp } from "../lab/outputs.ts";
import { stackFolder } from "../engine/folders.ts";
import { asHolderOf, verifyLockFile } from "../engine/run-lock.ts";
import { Failure, exitCodes, messageOf } from "../../host/failure.ts";
import { say } from "../progress.ts";
import { stackSettings } from "../stack-settings.ts";
import { table } from "../table.ts";
import { watchInterruption } from "../../host/interruption.ts";
import { joinsWindows } from "../../components/cni/pod-network.ts";
import type { Settings } from "../../config/settings.ts";
import { nodesOf, type Facts } from "../../verify/cluster/facts.ts";
import { isRehearsed } from "../../config/image-sources.ts";

interface ConformanceOptions extends Options<"list" | "dryRun" | "keep"> {
  readonly suite: string;
  readonly focus?: string;
  readonly skip?: string;
  readonly timeout?: number;
  readonly image?: string;
  readonly repoList?: string;
  readonly local?: string;
  readonly output?: string;
}

/** Maximum number of failed tests that are listed. */
const listedFailures = 20;

/** `kindows conformance`: Kubernetes' own tests of Windows nodes. Exit code 0 when tests ran, and none failed. */
export async function conformance(options: ConformanceOptions): Promise<CommandResult> {
  if (options.list) {
    process.stdout.write(`${listText()}\n`);
    return undefined;
  }
  const { stack } = options;
  const settings = await stackSettings(stack);
  const run = runOf(
    options,
    settings.cluster.kubernetesVersion,
    settings.nodes.length + settings.ownNodes.length,
  );
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
    const local = { run, programs: options.local ?? "", kubeconfig, folder };
    const text =
      options.local === undefined ? objectsText(objects) : `${localCommand(local).join("\n  ")}\n`;
    process.stdout.write(text);
    return undefined;
  }
  requireRealWindows(settings);
  if (options.local !== undefined) await checkPrograms(options.local);
  const { outputs, access } = await labThatIsUp(stack);
  const api = new ClusterApi(outputs.kubeconfig, 60);
  requireReadyNodes(await readNodes(api));
  await makeResultsFolder(folder);
  const interruption = watchInterruption((first) =>
    say(
      first
        ? "interrupted: fetching the results so far and cleaning up; interrupt again to skip this"
        : `not cleaned up: the namespace ${namespace} and the nodes' taints; the next run does this`,
    ),
  );
  const { signal } = interruption;
  const { kubeconfig } = access;
  const common = { run, folder, signal, kubeconfig };
  const inCluster = { ...common, api, kubectl: builtTool("kubectl"), objects, say };
  const work = async (): Promise<number> => {
    const changed = await prepareNodes(api);
    say(`nodes with other taints until the tests end: ${changed.join(", ") || "none"}`);
    try {
      if (options.local === undefined) return await runJob(inCluster);
      const repositoryFile = options.repoList && path.resolve(options.repoList);
      return await runLocal({ ...common, programs: options.local, repositoryFile });
    } finally {
      await restoreNodes(api);
      if (options.local === undefined && !options.keep) await removeRun(inCluster);
    }
  };
  try {
    const holder = `tests the network of ${stack}`;
    return await report(folder, await asHolderOf(verifyLockFile(stack), holder, work));
  } catch (error) {
    say(`log and results so far: ${folder}`);
    if (signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    interruption.stop();
  }
}

function runOf(
  { suite: id, focus, skip, timeout }: ConformanceOptions,
  kubernetesVersion: string,
  windowsNodes: number,
): ConformanceRun {
  const suite = suiteNamed(id);
  const timeoutSeconds = timeout ?? suite.timeoutSeconds;
  return { suite, kubernetesVersion, windowsNodes, timeoutSeconds, focus, skip };
}

function listText(): string {
  const rows = suites.map((each) => [
    ...[each.id, `${each.timeoutSeconds} s`, String(each.parallel), each.what],
  ]);
  const cases = readinessCases.map(({ category, what, focus }) => [category, what, focus]);
  const needs = table(["OPERATIONAL READINESS", "WHAT", "TEST"], cases);
  return `${table(["SUITE", "LIMIT", "AT A TIME", "WHAT"], rows)}\n\n${needs}`;
}

async function report(folder: string, exitCode: number): Promise<CommandResult> {
  const texts = await readResults(folder);
  let counts;
  try {
    counts = totals(texts);
  } catch (error) {
    throw new Failure(`${messageOf(error)} (${folder}; the tests ended with ${String(exitCode)})`);
  }
  const ran = counts.tests - counts.skipped;
  const bad = counts.failures + counts.errors;
  for (const test of failedTests(texts, listedFailures)) process.stdout.write(`failed: ${test}\n`);
  process.stdout.write(
    `${String(ran)} tests, ${String(bad)} failed, exit code ${String(exitCode)}; log and JUnit: ${folder}\n`,
  );
  // If the focus matches no test, the run fails.
  if (exitCode === 0 && bad === 0 && ran > 0) return undefined;
  return ran === 0 ? "no test matches" : `tests failed: ${bad} of ${ran}`;
}

function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new Failure(`--repo-list ${file} can't be read: ${messageOf(error)}`);
  });
}

function requireRealWindows({ windows, nodes, ownNodes, cni }: Settings): void {
  const need = "conformance needs a real Windows node";
  if (isRehearsed({ windows })) {
    throw new Failure(
      `${need}: the Windows nodes of this stack are simulated, and so are their containers. ` +
        "Use a stack with real Windows (`--stack dev`); `--list` and `--dry-run` work here",
    );
  }
  if (!joinsWindows({ nodes, ownNodes })) {
    throw new Failure(`${need}: this stack has none. Add one below kindows:nodes, and run \`up\``);
  }
  if (cni.kind === "kind-default") {
    throw new Failure(
      `${need} whose pods have a network: write calico or flannel for kindows:cni.kind`,
    );
  }
}

function requireReadyNodes(nodes: Facts["nodes"]): void {
  if (nodesOf({ nodes }, "windows").length === 0) {
    throw new Failure("conformance needs a real Windows node, and the cluster has none: run `up`");
  }
  const troubles = nodes.flatMap(({ name, trouble }) =>
    trouble === undefined ? [] : [`${name}: ${trouble}`],
  );
  if (troubles.length > 0) {
    throw new Failure(`conformance needs all nodes Ready: ${troubles.join("; ")}`);
  }
}
