import type { Rule } from "../rule.ts";

/**
 * What was done inside a machine is gone with it. Without `deletedWith` a `destroy` connects to each machine to undo it
 * step by step, and fails where the machine does not answer any more.
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
