import * as z from "zod";
import { scriptName, scriptRuns, scriptTimes } from "../../components/windows/own-scripts.ts";
import { localFile } from "../named-file.ts";
import { type Check, type Complaint, repeated } from "../problem.ts";
import { text } from "../values/value.ts";

function scriptFile(value: string): Complaint | undefined {
  if (!/^[A-Za-z0-9][-._A-Za-z0-9]*\.ps1$/i.test(scriptName(value))) {
    return {
      why: "is not the file of a PowerShell script",
      instead:
        "Write the path of a file whose name has only letters, digits, . _ -, and ends with .ps1.",
    };
  }
  return localFile(value);
}

export const script = z.strictObject({
  path: text(scriptFile).meta({
    description: "Absolute path of a PowerShell script (`.ps1`) on this host.",
    placeholder: (place: number) => `/unnamed-${String(place)}.ps1`,
  }),
  when: z.enum(scriptTimes).default("before-join").meta({
    description:
      "When it runs: `before-join`, with the proxy set and containerd and Kubernetes' programs installed, or `after-join`.",
  }),
  runs: z.enum(scriptRuns).default("changed").meta({
    description:
      "How often: `changed`, once with each content, or `once`, not even again if the file has changed.",
  }),
});

/** The user's own scripts on Windows nodes. */
export const scripts = z.array(script).default([]).meta({
  description:
    "Your own scripts, which run on each Windows node in this order (docs/own-binaries.md#scripts-and-certificates).",
});

interface ScriptsSection {
  readonly windows: { readonly scripts: z.output<typeof scripts> };
}

/** The record on a machine knows a script by its name. */
export const scriptsOnce: Check<ScriptsSection> = {
  reads: ["windows.scripts"],
  run: ({ windows: { scripts } }) =>
    repeated(scripts, ({ path }) => scriptName(path).toLowerCase()).map(({ index }) => ({
      path: ["windows", "scripts", index, "path"],
      why: "has the name of another script in the list, by which a machine knows what has run",
      instead: "Remove one of them, or rename its file.",
    })),
};
