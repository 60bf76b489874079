/**
 * How Windows takes a command line apart, for checking what was quoted: cmd.exe first, then the program itself.
 * Written from their documentation and independent of how the command was made.
 */

/** What `cmd.exe /c` hands on of one command: variables replaced, carets outside quotes taken off. */
export function throughCmd(command: string, variables: Readonly<Record<string, string>>): string {
  const expanded = command.replace(/%([^%]*)%/g, (match, name: string) => variables[name] ?? match);
  let quoted = false;
  let result = "";
  for (let index = 0; index < expanded.length; index++) {
    const character = expanded.charAt(index);
    if (character === '"') quoted = !quoted;
    if (!quoted && "&|<>()".includes(character)) {
      throw new Error(`cmd.exe would take '${character}' for an operator`);
    }
    result += !quoted && character === "^" ? expanded.charAt(++index) : character;
  }
  return result;
}

/** CommandLineToArgvW: blanks part arguments outside quotes; backslashes count only before a quote. */
export function toArgv(commandLine: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  for (let index = 0; index < commandLine.length;) {
    const slashes = /^\\*/.exec(commandLine.slice(index))?.[0].length ?? 0;
    const next = commandLine.charAt(index + slashes);
    if (slashes > 0) {
      word = (word ?? "") + "\\".repeat(next === '"' ? Math.floor(slashes / 2) : slashes);
      index += slashes;
      if (next === '"' && slashes % 2 === 1) {
        word += '"';
        index++;
      }
    } else if (next === '"') {
      word ??= "";
      quoted = !quoted;
      index++;
    } else if (!quoted && next === " ") {
      if (word !== undefined) words.push(word);
      word = undefined;
      index++;
    } else {
      word = (word ?? "") + next;
      index++;
    }
  }
  return word === undefined ? words : [...words, word];
}
