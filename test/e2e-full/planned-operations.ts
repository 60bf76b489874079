import * as z from "zod";

import type { Planned } from "../unit/stacks/planned.ts";
import { named } from "../unit/stacks/planned.ts";

const state = z.object({ type: z.string(), custom: z.boolean() });
const previewSchema = z.object({
  steps: z.array(
    z.object({
      op: z.string(),
      urn: z.string(),
      newState: state.optional(),
      oldState: state.optional(),
    }),
  ),
});

/** What a preview with a state plans, as in the tables of test/unit/stacks; components do nothing of their own. */
export function plannedOperations(preview: string): Required<Planned> {
  const { steps } = previewSchema.parse(JSON.parse(preview));
  const of = (...operations: readonly string[]): readonly string[] => {
    const names = steps.flatMap(({ op, urn, newState, oldState }) => {
      const resource = newState ?? oldState;
      return operations.includes(op) && resource?.custom === true
        ? [named({ type: resource.type, name: urn.slice(urn.lastIndexOf("::") + 2) })]
        : [];
    });
    return [...new Set(names)].sort();
  };
  return {
    created: of("create"),
    anew: of("replace", "create-replacement"),
    changed: of("update"),
    deleted: of("delete"),
  };
}
