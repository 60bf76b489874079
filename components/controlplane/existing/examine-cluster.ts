import { readFileSync } from "node:fs";
import path from "node:path";
import { ClusterApi, messageOf } from "../actions/cluster-api.ts";
import { askCluster } from "./ask-cluster.ts";
import { chooseKubeconfig } from "./choose-kubeconfig.ts";
import { clusterProblemsText } from "./cluster-problem.ts";
import { judgeCluster, type ClusterFacts, type WantedCluster } from "./judge-cluster.ts";
import { thisHost } from "./this-host.ts";

/** Where a kubeconfig is: in a file or in the settings themselves. */
export interface KubeconfigSource {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
  readonly context?: string | undefined;
}

/** A cluster that machines can be joined to. */
export interface ExaminedCluster {
  /** With one cluster and one user; secret. */
  readonly kubeconfig: string;
  readonly facts: ClusterFacts;
  readonly warnings: readonly string[];
}

/** Longest wait for one answer, in seconds. */
const answerSeconds = 15;

/**
 * Looks at a cluster before anything is done to it; changes nothing.
 *
 * @throws with everything that stands against joining machines to it.
 */
export async function examineCluster(
  source: KubeconfigSource,
  wanted: WantedCluster,
): Promise<ExaminedCluster> {
  const kubeconfig = readKubeconfig(source);
  let answers: Awaited<ReturnType<typeof askCluster>>;
  try {
    answers = await askCluster(new ClusterApi(kubeconfig, answerSeconds));
  } catch (error) {
    throw new Error(
      `the cluster of ${sourceName(source)} does not answer (${messageOf(error)}); nothing was changed`,
    );
  }
  const judgement = judgeCluster(answers, wanted);
  if ("problems" in judgement) {
    throw new Error(clusterProblemsText(judgement.problems));
  }
  return { kubeconfig, facts: judgement.facts, warnings: judgement.warnings };
}

/**
 * The chosen context of a kubeconfig, whole.
 *
 * @throws naming the setting, and everything that is wrong.
 */
export function readKubeconfig(source: KubeconfigSource): string {
  const { file, text, context } = source;
  let content: string;
  try {
    content = text ?? readFileSync(file ?? "", "utf8");
  } catch (error) {
    throw new Error(
      `${sourceName(source)} cannot be read (${(error as NodeJS.ErrnoException).code ?? "no file"})`,
    );
  }
  const chosen = chooseKubeconfig(
    content,
    context,
    thisHost(file === undefined ? undefined : path.dirname(file)),
  );
  if ("problems" in chosen) {
    const lines = chosen.problems.map((problem) => `  - ${problem}`);
    throw new Error(`${sourceName(source)} cannot be used:\n${lines.join("\n")}`);
  }
  return chosen.kubeconfig;
}

function sourceName({ file }: KubeconfigSource): string {
  return file === undefined ? "kindows:cluster.kubeconfig.text" : `the kubeconfig ${file}`;
}
