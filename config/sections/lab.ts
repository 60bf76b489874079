import * as z from "zod";
import { maxLabNameLength } from "../names.ts";
import { type Check, unless } from "../problem.ts";
import { dnsLabel } from "../values/dns-name.ts";
import { text } from "../values/value.ts";

const labName = dnsLabel(maxLabNameLength);

export const lab = z.strictObject({
  name: text(labName).optional().meta({
    description:
      "Name of the lab. The names of its machines, containers and networks start with `kindows-<name>`.",
    default: "the stack's name",
  }),
});

/** The section as checks get it, with its defaults. */
export interface LabSection {
  readonly lab: Required<z.output<typeof lab>>;
}

/** If the lab is named after the stack, the stack's name must be a valid name for a lab. */
export const stackAsLab: Check<LabSection> = {
  reads: ["lab.name"],
  run({ lab }) {
    const complaint = labName(lab.name);
    return unless(complaint === undefined, {
      path: ["lab", "name"],
      why: `is the stack's name, and as the lab's name it ${complaint?.why}`,
      instead: `Set a name here. ${complaint?.instead}`,
    });
  },
};
