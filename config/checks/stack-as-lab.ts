import { labName } from "../values/dns-name.ts";
import type { Check } from "./check.ts";

/** The lab's name, where it is the stack's, still can be one. */
export const stackAsLab: Check = {
  reads: ["lab.name"],
  run({ lab }) {
    const complaint = labName(lab.name);
    return complaint === undefined
      ? []
      : [
          {
            path: ["lab", "name"],
            value: lab.name,
            why: `is the stack's name, and as the lab's it ${complaint.why}`,
            instead: `Set a name here. ${complaint.instead}`,
          },
        ];
  },
};
