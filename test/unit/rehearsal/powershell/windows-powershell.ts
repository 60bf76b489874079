/**
 * What Windows PowerShell 5.1 writes otherwise than PowerShell 7, of which the recordings are. It is nowhere typed into
 * them.
 */
interface Difference {
  /** The recording, or the row of a table, that it is in. Default: any. */
  readonly name?: string | RegExp;
  readonly recorded: RegExp;
  readonly instead: string;
  /** Where the difference is documented. */
  readonly source: string;
}

const differences: readonly Difference[] = [
  {
    recorded: /(?:(\bSystem\.)Text\.RegularExpressions\.)?\bRegexParseException\b/g,
    instead: "$1ArgumentException",
    source:
      "https://learn.microsoft.com/dotnet/api/system.text.regularexpressions.regexparseexception: .NET 7 and later",
  },
  {
    recorded: / \(Parameter 'input'\)/g,
    instead: " (Parameter 'version')",
    source:
      "https://learn.microsoft.com/dotnet/api/system.version.parse: the parameter of .NET Framework's constructor",
  },
  {
    recorded: / \(Parameter '(\w+)'\)/g,
    instead: "\r\nParameter name: $1",
    source:
      "https://learn.microsoft.com/dotnet/api/system.argumentexception.message: .NET Framework has the parameter on a line of its own",
  },
  {
    recorded: /\bThe input string '[^']*' was not/g,
    instead: "Input string was not",
    source:
      "https://learn.microsoft.com/dotnet/api/system.int32.parse: .NET Framework's message does not name the text",
  },
  {
    recorded:
      /as a name of a cmdlet, function, script file, or executable program\.(?:\r?\n|(?:\\r)?\\n)Check the spelling/g,
    instead:
      "as the name of a cmdlet, function, script file, or operable program. Check the spelling",
    source:
      "https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_command_precedence: 5.1's words",
  },
  {
    name: /\[guid\].*FullyQualifiedErrorId/i,
    recorded: /\bInvalidCastParseTargetInvocationWithFormatProvider\b/g,
    instead: "InvalidCastParseTargetInvocation",
    source:
      "https://learn.microsoft.com/dotnet/api/system.guid.parse: with a format provider since .NET 7",
  },
  {
    recorded: /\bJsonSerializationException\b/g,
    instead: "ArgumentException",
    source:
      "https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/convertfrom-json: 7 reads JSON with Json.NET",
  },
  {
    name: /ConvertFrom-Json/i,
    recorded: /\bInt64 (?=-?\d{1,9}\b)/g,
    instead: "Int32 ",
    source:
      "https://github.com/json-schema-org/understanding-json-schema/issues/138: 5.1 reads a small number as Int32",
  },
  ...Object.entries({ "<": "003c", ">": "003e", "&": "0026", "'": "0027" }).map(([char, code]) => ({
    name: "json/06-angle-brackets",
    recorded: new RegExp(char, "g"),
    instead: `\\u${code}`,
    source:
      "https://learn.microsoft.com/dotnet/api/system.web.script.serialization.javascriptserializer: what 5.1 writes JSON with",
  })),
  {
    name: "json/09-whole-doubles",
    recorded: /\.0\b/g,
    instead: "",
    source:
      "https://learn.microsoft.com/dotnet/api/system.web.script.serialization.javascriptserializer: what 5.1 writes JSON with",
  },
  {
    name: "json/17-from-json-dates",
    recorded: /\bDateTime\b/g,
    instead: "String",
    source:
      "https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/convertfrom-json: dates since PowerShell 6",
  },
];

/** What was recorded, as 5.1 writes it. */
export function onWindowsPowerShell(text: string, recording = ""): string {
  return differences
    .filter(({ name = recording }) =>
      typeof name === "string" ? name === recording : name.test(recording),
    )
    .reduce((changed, { recorded, instead }) => changed.replace(recorded, instead), text);
}
