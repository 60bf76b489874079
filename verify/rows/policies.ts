import type { Os } from "../objects/names.ts";
import { type PolicyCaseName, policyCaseNames } from "./policy-cases.ts";
import type { PathRow } from "./row.ts";

/** Two rows for each case: the control, which tries the same path before any policy exists, and the case itself. */
export const policyRows: readonly PathRow[] = (["linux", "windows"] as const).flatMap((os) =>
  policyCaseNames.flatMap((name) => [policyRow(os, name, true), policyRow(os, name, false)]),
);

/** Whether a row needs the policies. */
export function isUnderPolicy({ target }: PathRow): boolean {
  return target.to === "policy" && !target.control;
}

/** Id of the row that tries the same path without policies. */
export function controlId(id: string): string {
  return `${id}-control`;
}

function policyRow(os: Os, name: PolicyCaseName, control: boolean): PathRow {
  const id = `${os}-policy-${name}`;
  return {
    kind: "path",
    id: control ? controlId(id) : id,
    from: { where: "pod", os },
    target: { to: "policy", os, policy: name, control },
  };
}
