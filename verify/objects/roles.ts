import type { PathRow, Row, Target } from "../rows/row.ts";
import { roleName, type Part, type Role } from "./names.ts";
import type { Os } from "./names.ts";
import { policyCases } from "../rows/policy-cases.ts";

export function rolesOf({ from, target }: PathRow): readonly Role[] {
  if (target.to === "policy") {
    const { from: origin, to } = policyCases[target.policy];
    return [origin, to].map((part) => ({ os: target.os, part }));
  }
  const roles: Role[] = [];
  if (from.where !== "outside") {
    roles.push({ os: from.os, part: from.where === "pod" ? "client" : "node" });
  }
  if ("os" in target) {
    roles.push({ os: target.os, part: serverPart(target) });
  }
  return roles;
}

export function serverPart(target: Target & { readonly os: Os }): Part {
  if (target.to === "host-port") return "host-port";
  if (target.to === "policy") return policyCases[target.policy].to;
  const onHost = target.to === "host-pod" || ("network" in target && target.network === "host");
  return onHost ? "host-server" : "server";
}

/** The roles of all pods that the rows need, each once. */
export function allRoles(rows: readonly Row[]): readonly Role[] {
  const roles = rows.flatMap((row) => (row.kind === "path" ? rolesOf(row) : []));
  return [...new Map(roles.map((role) => [roleName(role), role])).values()];
}
