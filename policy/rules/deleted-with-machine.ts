import type { Rule } from "../rule.ts";

/**
 * Changes inside a machine are gone with it. Without `deletedWith`, a `destroy` connects to each machine to undo them step by
 * step, and fails if the machine does not answer.
 */
export const deletedWithMachine: Rule = {
  name: "deleted-with-machine",
  description: "what lives in a machine has deletedWith: destroy works when the machine is gone",
  check: ({ resources }) =>
    resources
      .filter(({ type, deletedWith }) => type.startsWith("command:remote:") && !deletedWith)
      .map(({ name }) => ({
        resource: name,
        message: `it is done in a machine and has no deletedWith: give it { deletedWith: machine.resource }`,
      })),
};
