import type { ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";
import { flannelRights, rightText } from "./rights.ts";

/** One problem that lists every right that is needed and missing. */
export function judgeRights({ rights }: ClusterAnswers, flannel: boolean): ClusterProblem[] {
  const lacking = rights
    .filter(
      ({ right, allowed }) =>
        !allowed && (flannel || !flannelRights.some((one) => one.resource === right.resource)),
    )
    .map(({ right }) => `      ${rightText(right)}`);
  return lacking.length === 0
    ? []
    : [
        {
          subject: "The kubeconfig's user",
          why: `may not, by kubectl auth can-i:\n${[...new Set(lacking)].join("\n")}\n   `,
          instead: "Have these allowed, or use another context or kubeconfig.",
        },
      ];
}
