import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import path from "node:path";
import type { TLSSocket } from "node:tls";
import { hostProblemsText } from "../../../config/host-problem.ts";
import { messageOf } from "../../../host/failure.ts";
import { ApiError, ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { credentials } from "../../../host/kubernetes/kubeconfig.ts";
import { inExisting } from "../../cni/pod-networks.ts";
import { chooseKubeconfig } from "./choose-kubeconfig.ts";
import { commonQuestions, type Answer, type ClusterAnswers } from "./cluster-answers.ts";
import { checkCluster, type ClusterFacts, type WantedCluster } from "./check-cluster.ts";
import { nameToResolve } from "./join-endpoint.ts";
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
  let answers: ClusterAnswers;
  try {
    const [asked, anonymous] = await Promise.all([
      askCluster(new ClusterApi(kubeconfig, answerSeconds)),
      askWithoutCredentials(kubeconfig, commonQuestions.clusterInfo),
    ]);
    answers = { ...asked, ...anonymous };
  } catch (error) {
    throw new Error(
      `the cluster of ${sourceName(source)} does not answer (${messageOf(error)}); nothing was changed`,
    );
  }
  const name = nameToResolve(answers, wanted);
  const isNameKnown = name === undefined ? undefined : await isInDns(name);
  const result = checkCluster({ ...answers, isNameKnown }, wanted);
  if ("problems" in result) throw new Error(hostProblemsText(result.problems, "in the cluster"));
  return { kubeconfig, facts: result.facts, warnings: result.warnings };
}

/**
 * What anybody gets. `kubeadm join` has no credentials yet when it reads `cluster-info`, so what the user of the
 * kubeconfig may read proves nothing about it.
 *
 * @returns nothing if there was no answer
 */
async function askWithoutCredentials(
  kubeconfig: string,
  path: string,
): Promise<Pick<ClusterAnswers, "anonymousStatus" | "certificate">> {
  const { server, serverName: servername, ca } = credentials(kubeconfig);
  const agent = new Agent({ ca, ...(servername !== undefined && { servername }) });
  const signal = AbortSignal.timeout(answerSeconds * 1000);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(path, server), { agent, signal }, resolve).on("error", reject).end();
    });
    const certificate = (answer.socket as TLSSocket).getPeerX509Certificate();
    answer.destroy();
    return { anonymousStatus: answer.statusCode, certificate };
  } catch {
    return {};
  } finally {
    agent.destroy();
  }
}

/** Longest wait for a name server, in milliseconds. */
const nameMilliseconds = 2000;

/** Whether DNS has an address for a name, whatever this host's own /etc/hosts says; undefined if DNS does not answer. */
async function isInDns(name: string): Promise<boolean | undefined> {
  const resolver = new Resolver({ timeout: nameMilliseconds, tries: 1 });
  try {
    return (await resolver.resolve4(name)).length > 0;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return ["ENOTFOUND", "ENODATA"].includes(code) ? false : undefined;
  }
}

/** The chosen context of a kubeconfig, self-contained. @throws with the setting, and everything that is wrong */
export function readKubeconfig(source: KubeconfigSource): string {
  const { file, text, context } = source;
  let content: string;
  try {
    content = text ?? decoded(readFileSync(file ?? ""));
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

/** Text in UTF-8, or as PowerShell's redirection writes it, in UTF-16 with a byte order mark. */
function decoded(file: Buffer): string {
  const mark = file.subarray(0, 2).toString("hex");
  const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(file);
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
    return { body: await api.request("GET", path, { mayLack: true }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { refusal: error.message, ...(error.status >= 500 && { isAway: true }) };
  }
}
