import type { EngineRun } from "../plugins/support/engine.ts";

/** Names of a node's resources that one of these operations was done to, in their order, without the node's own. */
export function touched(run: EngineRun, node: string, ...operations: string[]): string[] {
  return Object.entries(run.steps)
    .filter(([name]) => name.startsWith(`${node}-`))
    .filter(([, done]) => done.some((each) => operations.includes(each)))
    .map(([name]) => name.slice(node.length + 1));
}

/** All that is done to a node's resources; what is only `same` is left out, and so is what nothing is done to. */
export function planned(run: EngineRun, node: string): Readonly<Record<string, readonly string[]>> {
  const all = {
    creates: touched(run, node, "create"),
    updates: touched(run, node, "update"),
    replaces: touched(run, node, "replace", "create-replacement"),
    deletes: touched(run, node, "delete"),
  };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, names]) => names.length > 0)
      .map(([kind, names]) => [kind, names.sort()]),
  );
}
