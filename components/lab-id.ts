import { local } from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";

import { labIdTriggers, labIdVariable } from "../config/names.ts";

/**
 * The random id of the stack's lab, by which everything that it makes is known. It is made once and kept in the stack's
 * state. `kindows up` gives it, because it records the id before anything is made.
 */
export function randomLabId(opts?: pulumi.CustomResourceOptions): pulumi.Output<string> {
  const random = "od -An -N8 -tx1 /dev/urandom | tr -d ' \\n'";
  return new local.Command(
    "lab-id",
    {
      triggers: [...labIdTriggers],
      create: `printf %s "\${${labIdVariable}:-$(${random})}"`,
      addPreviousOutputInEnv: false,
    },
    opts,
  ).stdout;
}
