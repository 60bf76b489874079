import * as z from "zod";
import { maxLabNameLength } from "../names.ts";
import { type Check, unless } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import { dnsLabel } from "../values/dns-name.ts";
import { text } from "../values/value.ts";

const labName = dnsLabel(maxLabNameLength);

export const lab = z.strictObject({
  name: text(labName).optional().meta({
    description: "Name of the lab; everything it creates is called `kindows-<name>`.",
    default: "the stack's name",
  }),
});

/** The lab's name, where it is the stack's, still can be one. */
export const stackAsLab: Check<NamedSettings> = {
  reads: ["lab.name"],
  run({ lab }) {
    const complaint = labName(lab.name);
    return unless(complaint === undefined, {
      path: ["lab", "name"],
      why: `is the stack's name, and as the lab's it ${complaint?.why}`,
      instead: `Set a name here. ${complaint?.instead}`,
    });
  },
};
