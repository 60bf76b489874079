/** Tables of one-line scripts, and what each gives on a real PowerShell. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Row {
  readonly topic: string;
  readonly script: string;
  /** What `frame` writes for it on PowerShell 7. */
  readonly recorded: string;
  /** What Windows PowerShell 5.1 writes: the same, unless `windowsPowerShell` has the difference. */
  readonly expected: string;
}

interface Difference {
  readonly recorded: RegExp;
  readonly instead: string;
  /** Where the difference is documented. */
  readonly source: string;
}

/** What Windows PowerShell 5.1 writes in place of what was recorded. */
export const windowsPowerShell: readonly Difference[] = [
  {
    recorded: /\bRegexParseException\b/g,
    instead: "ArgumentException",
    source:
      "https://learn.microsoft.com/dotnet/api/system.text.regularexpressions.regexparseexception: .NET 7 and later",
  },
  {
    recorded: /\bThe input string '[^']*' was not/g,
    instead: "Input string was not",
    source:
      "https://learn.microsoft.com/dotnet/api/system.int32.parse: .NET Framework's message does not name the text",
  },
  {
    recorded:
      /as a name of a cmdlet, function, script file, or executable program\.\nCheck the spelling/g,
    instead:
      "as the name of a cmdlet, function, script file, or operable program. Check the spelling",
    source:
      "https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_command_precedence: 5.1's words",
  },
];

/**
 * The script around a row, which stands between the braces: strict mode, errors stop, each value on a line as
 * "<type> <text>", an error that ends it as "error <type of the exception>". A row that breaks leaves the loop.
 */
export const frame = `
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
foreach ($__once in 1) {
    try {
        & {} | ForEach-Object { if ($null -eq $_) { 'null' } else { $_.GetType().Name + ' ' + "$_" } }
    }
    catch { 'error ' + $_.Exception.GetType().Name }
}`;

/** A script in its frame. */
export const framed = (script: string): string => frame.replace("{}", () => `{ ${script} }`);

/** All rows by topic. */
export function tables(): ReadonlyMap<string, readonly Row[]> {
  const file = join(import.meta.dirname, "recordings", "tables.jsonl");
  const topics = new Map<string, Row[]>();
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
    const [topic, recorded, scripts] = JSON.parse(line) as [string, string, string[]];
    const expected = windowsPowerShell.reduce(
      (text, difference) => text.replace(difference.recorded, difference.instead),
      recorded,
    );
    const rows = scripts.map((script) => ({ topic, script, recorded, expected }));
    topics.set(topic, [...(topics.get(topic) ?? []), ...rows]);
  }
  return topics;
}
