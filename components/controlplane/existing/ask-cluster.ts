import { ApiError, type ClusterApi } from "../actions/cluster-api.ts";
import { questions, type Answer, type ClusterAnswers, type Question } from "./cluster-answers.ts";
import { accessReview, flannelRights, rightsQuestions, type Right } from "./rights.ts";

/**
 * Asks a cluster all there is to know of it before nodes are joined; changes nothing.
 *
 * @throws when it does not answer at all.
 */
export async function askCluster(api: ClusterApi): Promise<ClusterAnswers> {
  // First: where nobody answers, one refusal is enough.
  const version = await ask(api, questions.version);
  const names = Object.keys(questions) as Question[];
  const [answers, rights] = await Promise.all([
    Promise.all(
      names.map(async (name) => [
        name,
        name === "version" ? version : await ask(api, questions[name]),
      ]),
    ),
    Promise.all([...rightsQuestions, ...flannelRights].map((right) => may(api, right))),
  ]);
  return { answers: Object.fromEntries(answers) as ClusterAnswers["answers"], rights };
}

async function ask(api: ClusterApi, path: string): Promise<Answer> {
  try {
    return { status: 200, body: await api.get(path) };
  } catch (error) {
    if (error instanceof ApiError) {
      return { status: error.status, message: error.message };
    }
    throw error;
  }
}

async function may(
  api: ClusterApi,
  right: Right,
): Promise<{ readonly right: Right; readonly allowed: boolean }> {
  const { status } = await api.ask<{ status?: { allowed?: boolean } }>(
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    accessReview(right),
  );
  return { right, allowed: status?.allowed === true };
}
