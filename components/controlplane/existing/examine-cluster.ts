import { readFileSync } from "node:fs";
import path from "node:path";
import { hostProblemsText } from "../../../config/host-problem.ts";
import { messageOf } from "../../../host/failure.ts";
import { ApiError, ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { inExisting } from "../../cni/registry.ts";
import { chooseKubeconfig } from "./choose-kubeconfig.ts";
import { commonQuestions, type Answer, type ClusterAnswers } from "./cluster-answers.ts";
import { checkCluster, type ClusterFacts, type WantedCluster } from "./check-cluster.ts";
import { isAllowed, joiningRights, type Right } from "./rights.ts";

export interface KubeconfigSource {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
  readonly context?: string | undefined;
}

export interface ExaminedCluster {
  /** The chosen context, self-contained; secret. */
  readonly kubeconfig: string;
  readonly facts: ClusterFacts;
  readonly warnings: readonly string[];
}

const answerSeconds = 15;

/** Examines a cluster and changes nothing. @throws with everything that prevents machines from joining it */
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
  const result = checkCluster(answers, wanted);
  if ("problems" in result) throw new Error(hostProblemsText(result.problems, "in the cluster"));
  return { kubeconfig, facts: result.facts, warnings: result.warnings };
}

/** The chosen context of a kubeconfig, self-contained. @throws with the setting, and everything that is wrong */
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
  const folder = file === undefined ? undefined : path.dirname(file);
  const chosen = chooseKubeconfig(content, context, folder);
  if ("problems" in chosen) {
    const lines = chosen.problems.map((problem) => `  - ${problem}`);
    throw new Error(`${sourceName(source)} cannot be used:\n${lines.join("\n")}`);
  }
  return chosen.kubeconfig;
}

function sourceName({ file }: KubeconfigSource): string {
  return file === undefined ? "kindows:cluster.kubeconfig.text" : `the kubeconfig ${file}`;
}

const networks = [...inExisting.values()];

export const questions: Readonly<Record<string, string>> = Object.fromEntries(
  [commonQuestions, ...networks.map((network) => network.questions)].flatMap((each) =>
    Object.entries(each),
  ),
);

export const allRights: readonly Right[] = [
  ...joiningRights,
  ...networks.flatMap(({ rights }) => rights),
];

/** Requests everything that is needed to check a cluster; changes nothing. @throws if the cluster does not answer */
export async function askCluster(api: ClusterApi): Promise<ClusterAnswers> {
  // First and alone, so that a cluster that does not answer causes only one error.
  const version = await ask(api, commonQuestions.version);
  const [answers, denied] = await Promise.all([
    Promise.all(
      Object.entries(questions).map(async ([name, path]) => [
        name,
        name === "version" ? version : await ask(api, path),
      ]),
    ),
    Promise.all(allRights.map(async (right) => ((await isAllowed(api, right)) ? [] : [right]))),
  ]);
  return {
    answers: Object.fromEntries(answers) as ClusterAnswers["answers"],
    denied: denied.flat(),
  };
}

async function ask(api: ClusterApi, path: string): Promise<Answer> {
  try {
    return { body: await api.get(path) };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.message };
    throw error;
  }
}
