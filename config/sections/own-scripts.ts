import * as z from "zod";
import { scriptName, scriptRuns, scriptTimes } from "../../components/windows/own-scripts.ts";
import { localFile } from "../named-file.ts";
import { type Check, type Complaint, repeated, unless } from "../problem.ts";
import { text } from "../values/value.ts";
import { type image, isMadeFromIso } from "./windows-image.ts";

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

function fileBesideScript(value: string): Complaint | undefined {
  if (!/^[A-Za-z0-9][-._A-Za-z0-9]{0,63}$/.test(scriptName(value))) {
    return {
      why: "has a name that can't be on the disc from which the image is built",
      instead:
        "Write the path of a file whose name has only letters, digits, . _ -, and at most 64.",
    };
  }
  return localFile(value);
}

export const script = z.strictObject({
  path: text(scriptFile).meta({
    description: "Absolute path of a PowerShell script (`.ps1`) on this host.",
    placeholder: (index: number) => `/unnamed-${String(index)}.ps1`,
  }),
  when: z.enum(scriptTimes).default("before-join").meta({
    description:
      "When it runs: `image`, while the image is built from an ISO, `before-join`, on a node with the proxy set and containerd and Kubernetes' programs installed, or `after-join`.",
  }),
  runs: z.enum(scriptRuns).default("changed").meta({
    description:
      "How often: `changed`, once with each content, or `once`, not even again if the file has changed.",
  }),
  files: z.array(text(fileBesideScript)).default([]).meta({
    description:
      "With `when: image`: absolute paths of files on this host that are beside the script (`$PSScriptRoot`) while it runs, e.g. installers.",
  }),
});

/** The user's own scripts on Windows nodes. */
export const scripts = z.array(script).default([]).meta({
  description:
    "Your own scripts, which run on each Windows node in this order (docs/own-binaries.md#scripts-and-certificates).",
});

interface ScriptsSection {
  readonly windows: {
    readonly scripts: z.output<typeof scripts>;
    /** There is none where all machines exist. */
    readonly image?: z.output<typeof image>;
  };
}

/** The record on a machine knows a script by its name. */
const scriptsOnce: Check<ScriptsSection> = {
  reads: ["windows.scripts"],
  run: ({ windows: { scripts } }) =>
    repeated(scripts, ({ path }) => scriptName(path).toLowerCase()).map(({ index }) => ({
      path: ["windows", "scripts", index, "path"],
      why: "has the name of another script in the list, by which a machine knows what has run",
      instead: "Remove one of them, or rename its file.",
    })),
};

const scriptsOfImage: Check<ScriptsSection> = {
  reads: ["windows.scripts", "windows.image", "windows.image.kind"],
  run: ({ windows: { scripts, image } }) =>
    scripts.flatMap(({ when }, index) =>
      unless(when !== "image" || (image !== undefined && isMadeFromIso(image)), {
        path: ["windows", "scripts", index, "when"],
        why: "is the building of an image, and this stack builds none from an ISO",
        instead: "Write before-join, or run the script yourself in the disk that you prepare.",
      }),
    ),
};

const filesOfScripts: Check<ScriptsSection> = {
  reads: ["windows.scripts"],
  run: ({ windows: { scripts } }) => [
    ...scripts.flatMap(({ when, files }, index) =>
      unless(when === "image" || files.length === 0, {
        path: ["windows", "scripts", index, "files"],
        why: "is for a script that runs while the image is built, and this one does not",
        instead: "Leave it out and let the script fetch them, or write when: image.",
      }),
    ),
    ...repeated(
      scripts.flatMap(({ files }, index) => files.map((file, place) => ({ file, index, place }))),
      ({ file }) => scriptName(file).toLowerCase(),
    ).map(({ entry: { index, place } }) => ({
      path: ["windows", "scripts", index, "files", place],
      why: "has the name of another file in the lists, and all are in one folder",
      instead: "Remove one of them, or rename it.",
    })),
  ],
};

export const scriptsChecks: readonly Check<ScriptsSection>[] = [
  scriptsOnce,
  scriptsOfImage,
  filesOfScripts,
];
