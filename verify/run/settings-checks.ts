import type { Os } from "../rows/row.ts";

/** A check in the pod of the sample `settings`. */
export interface SettingsCheck {
  /** What it shows. */
  readonly what: string;
  readonly container: "reader" | "writer";
  readonly words: readonly string[];
  /** Expected output. Other output is not shown, as others may use real secrets there. */
  readonly expected: RegExp;
}

/** The sample's checks, in order. */
export function settingsChecks(os: Os): readonly SettingsCheck[] {
  const windows = os === "windows";
  const variable = (name: string): readonly string[] =>
    windows ? ["cmd", "/c", `echo %${name}%`] : ["printenv", name];
  const file = (path: string): readonly string[] =>
    windows ? ["cmd", "/c", `type C:${path.replaceAll("/", "\\")}`] : ["cat", path];
  const check = (
    what: string,
    container: SettingsCheck["container"],
    words: readonly string[],
    expected: RegExp,
  ): SettingsCheck => ({ what, container, words, expected });
  const write = windows
    ? ["cmd", "/c", "echo from the other container> C:\\shared\\note"]
    : ["bash", "-c", "echo from the other container > /shared/note"];
  const other = /^from the other container$/;
  return [
    check("the secret in the environment", "reader", variable("SETTINGS_USERNAME"), /^admin$/),
    check("the secret as a file", "reader", file("/settings/secret/password"), /^1f2d1e2e67df$/),
    check("the config map in the environment", "reader", variable("SETTINGS_PROPERTY"), /^hello$/),
    check(
      "the config map as a file",
      "reader",
      file("/settings/config/example.property.2"),
      /^world$/,
    ),
    check("writing to the emptyDir", "writer", write, /^$/),
    check(
      "what the other container wrote into the emptyDir",
      "reader",
      file("/shared/note"),
      other,
    ),
    check("the node's hosts file by the hostPath", "reader", file("/node/hosts"), /localhost/),
  ];
}
