import { Command } from "commander";
import { distance } from "fastest-levenshtein";

/** A command that suggests only words that are a slip of the keys away; commander also suggests unrelated ones. */
export class KindowsCommand extends Command {
  override createCommand(name?: string): Command {
    return new KindowsCommand(name);
  }

  /** Called by commander, which does not declare it. */
  unknownCommand(): void {
    const [given = ""] = this.args;
    const names = this.createHelp()
      .visibleCommands(this)
      .map((each) => each.name());
    const near = nearWords(given, names);
    const hint = near.length === 0 ? "" : `\n(Did you mean ${near.join(" or ")}?)`;
    this.error(`error: unknown command '${given}'${hint}`, { code: "commander.unknownCommand" });
  }
}

/** Words with the same letters, or of which at most one letter in three is another, and never more than two. */
function nearWords(given: string, words: readonly string[]): readonly string[] {
  const letters = (word: string): string => [...word].sort().join("");
  const most = Math.min(2, Math.floor(given.length / 3));
  return words.filter((word) => letters(word) === letters(given) || distance(word, given) <= most);
}
