import type { Os } from "../rows/row.ts";

/** Something to look at in the pod of the sample `settings`. */
export interface SettingsCheck {
  /** What it shows. */
  readonly what: string;
  readonly container: "reader" | "writer";
  readonly words: readonly string[];
  /** What must be printed. Not shown when it is not: others put real secrets there. */
  readonly expected: RegExp;
}

/** What the sample's file has; in the order in which they are done. */
export function settingsChecks(os: Os): readonly SettingsCheck[] {
  const windows = os === "windows";
  const variable = (name: string): readonly string[] =>
    windows ? ["cmd", "/c", `echo %${name}%`] : ["printenv", name];
  const file = (path: string): readonly string[] =>
    windows ? ["cmd", "/c", `type C:${path.replaceAll("/", "\\")}`] : ["cat", path];
  return [
    {
      what: "the secret in the environment",
      container: "reader",
      words: variable("SETTINGS_USERNAME"),
      expected: /^admin$/,
    },
    {
      what: "the secret as a file",
      container: "reader",
      words: file("/settings/secret/password"),
      expected: /^1f2d1e2e67df$/,
    },
    {
      what: "the config map in the environment",
      container: "reader",
      words: variable("SETTINGS_PROPERTY"),
      expected: /^hello$/,
    },
    {
      what: "the config map as a file",
      container: "reader",
      words: file("/settings/config/example.property.2"),
      expected: /^world$/,
    },
    {
      what: "writing to the emptyDir",
      container: "writer",
      words: windows
        ? ["cmd", "/c", "echo from the other container> C:\\shared\\note"]
        : ["bash", "-c", "echo from the other container > /shared/note"],
      expected: /^$/,
    },
    {
      what: "what the other container wrote into the emptyDir",
      container: "reader",
      words: file("/shared/note"),
      expected: /^from the other container$/,
    },
    {
      what: "the node's hosts file by the hostPath",
      container: "reader",
      words: file("/node/hosts"),
      expected: /localhost/,
    },
  ];
}
