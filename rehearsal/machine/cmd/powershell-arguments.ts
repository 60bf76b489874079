/** powershell.exe's arguments, with the options that have no effect here. */
const options =
  "(?:-(?:NoProfile|NonInteractive|NoLogo|ExecutionPolicy (?:Bypass|Unrestricted|RemoteSigned)) )*";
export const startsPowerShell = new RegExp(`^${options}-(File|Command) (.+)$`, "is");
const textOfPowerShell = new RegExp(`^${options}([^-].*)$`, "is");

/** The script and the arguments of `powershell.exe ... -File script args...`, by the words behind the program. */
export function fileOfPowerShell(
  words: readonly string[],
): readonly [script: string, ...args: string[]] | undefined {
  const [, option = ""] = startsPowerShell.exec(words.join(" ")) ?? [];
  if (!/^file$/i.test(option)) return undefined;
  const [script, ...args] = words.slice(words.findIndex((word) => /^-file$/i.test(word)) + 1);
  return script === undefined ? undefined : [script, ...args];
}

/** The text of `powershell.exe ... -Command text`, or of `powershell.exe text`, by the words behind the program. */
export function commandOfPowerShell(words: readonly string[]): string | undefined {
  const [, text] = textOfPowerShell.exec(words.join(" ")) ?? [];
  if (text !== undefined) return text;
  const [, option = ""] = startsPowerShell.exec(words.join(" ")) ?? [];
  if (!/^command$/i.test(option)) return undefined;
  return words.slice(words.findIndex((word) => /^-command$/i.test(word)) + 1).join(" ");
}
