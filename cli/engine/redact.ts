import list from "../../components/windows/steps/lib/SecretPatterns.json" with { type: "json" };

const mask = "[redacted]";

/**
 * What secrets look like, for those that nobody knows by value. `Hide-Secret` in components/windows/steps/lib/LogFiles.ps1
 * uses the same list on the machines. The texts come from guests, so each pattern must be linear: no two repetitions side by
 * side, or one within another, may take the same characters.
 */
export const secretPatterns: ReadonlyMap<string, RegExp> = new Map(
  list.patterns.map(({ what, keep, hide }) => {
    const source = `(${keep})${hide}`
      .replaceAll("<name>", list.name)
      .replaceAll("<sign>", list.sign);
    return [what, new RegExp(source, "gi")] as const;
  }),
);

/** Removes keys, tokens, passwords, logins and cookies from a text. */
export function redact(text: string): string {
  return [...secretPatterns.values()].reduce(
    (rest, pattern) => rest.replaceAll(pattern, `$1${mask}`),
    text,
  );
}
