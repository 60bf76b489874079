/**
 * Rows composed of what the interpreter declares: values of each kind, operators, members, casts and cmdlets, with arguments
 * that suit a parameter's type, or do not.
 */
import { objectCmdlets } from "../../rehearsal/powershell/cmdlets/objects.ts";
import type { ParameterDefinition } from "../../rehearsal/powershell/commands.ts";
import type { NetType, Overload } from "../../rehearsal/powershell/values.ts";
import { grammarRow } from "./grammar-rows.ts";
import { rowMachine } from "../unit/rehearsal/powershell/interpreted-row.ts";

/** Values by the short name of their type in .NET. Not one contains a statement. */
const values: Readonly<Record<string, readonly string[]>> = {
  String: [
    ...[
      "''",
      "'a'",
      "'Abc'",
      "' a b '",
      "'b,a,,c'",
      "'10'",
      "'-1.5'",
      "'0x1f'",
      "'1e3'",
      "'1,000'",
    ],
    ...[
      "'True'",
      "'null'",
      "'a.b-c'",
      "'C:\\a\\b.txt'",
      "'/a/b.txt'",
      "'^a.*$'",
      "'[a-c]+'",
      "'*b*'",
    ],
    ...['"a`nb"', '"x`r`ny`t"', "'{0}|{1:x4}'", "'\u00e9\u00c9'", "'YWJj'", "'1.2.3.4'", "'{a}'"],
    ...["'2020-01-02'", "'00000000-0000-0000-0000-000000000001'", "'System.Int32'", "'name'"],
  ],
  Int32: ["0", "1", "-1", "2", "3", "10", "255", "-2147483648", "2147483647", "1kb", "0x1f"],
  Int64: ["5L", "-7L", "4294967296", "9223372036854775807", "2gb"],
  Double: ["1.5", "-0.5", "2.0", "0.1", "1e10", "1e-3", "2.5"],
  Byte: ["[byte] 7", "[byte] 255"],
  UInt32: ["[uint32] 7", "[uint32] 4294967295"],
  UInt64: ["[uint64] 7"],
  Char: ["[char] 'a'", "[char] 65", "'Abc'[1]"],
  Boolean: ["$true", "$false"],
  Null: ["$null", "(& { })"],
  "Object[]": [
    "@()",
    "@(1)",
    "(1, 2, 3)",
    "('b', 'a', 'C')",
    "@($null)",
    "(1, '2', $null)",
    "(, (1, 2))",
  ],
  "String[]": ["[string[]] ('a', 'b')", "('a b c' -split ' ')", "[string[]] @()"],
  "Byte[]": ["[byte[]] (1, 2, 255)", "[byte[]] @()"],
  "Char[]": ["'cab'.ToCharArray()", "[char[]] 'a,'"],
  "Int32[]": ["[int[]] (3, 1, 2)"],
  Hashtable: ["@{}", "@{ a = 1 }", "@{ a = $null }", "@{ 1 = 'x' }"],
  OrderedDictionary: ["[ordered] @{ b = 2; a = 'x' }"],
  PSObject: [
    ...["[pscustomobject] @{ a = 1; b = 'x' }", "[pscustomobject] @{ a = $null }"],
    "([pscustomobject] @{ a = 2; b = 'y' }, [pscustomobject] @{ a = 1; b = 'x' })",
  ],
  DateTime: ["[datetime]::new(2020, 1, 2)", "[datetime]::Parse('2021-03-04T05:06:07Z')"],
  TimeSpan: ["[timespan]::FromSeconds(90)", "[timespan]::FromSeconds(0.5)"],
  Version: ["[version] '1.2.3'", "[version] '10.0.20348.1'"],
  Guid: ["[guid] '00000000-0000-0000-0000-000000000001'"],
  ScriptBlock: ["{ 1 }", "{ $_ }", "{ $args[0] }", "{ $_.a }", "{ -not $_ }"],
  RuntimeType: ["[int]", "[string]", "[object[]]"],
};
export const anyValues = Object.values(values).flat();

/** Those of a parameter's type, by its name in the interpreter. */
const aliases: Readonly<Record<string, string>> = {
  int: "Int32",
  long: "Int64",
  bool: "Boolean",
  object: "Object",
  scriptblock: "ScriptBlock",
  "object[]": "Object[]",
  "string[]": "String[]",
  "byte[]": "Byte[]",
  "char[]": "Char[]",
  string: "String",
  double: "Double",
  char: "Char",
  timespan: "TimeSpan",
};

const operators = (
  "-eq -ne -gt -ge -lt -le -ceq -cne -like -notlike -clike -match -notmatch -cmatch -replace -creplace -split -csplit -join " +
  "-contains -notcontains -in -notin -ccontains -is -isnot -as -and -or -xor -band -bor -f + - * / % .."
).split(" ");
const casts = (
  "string int long double bool char byte uint32 string[] int[] object[] char[] byte[] object array hashtable version " +
  "datetime timespan guid pscustomobject switch scriptblock regex type void psobject ordered"
).split(" ");
const memberNames = "a b Count Length Keys Values Name Value Ticks Major Message".split(" ");

/** What a row may use of a machine: nothing that lasts. */
const isHarmless = ({ name }: NetType): boolean =>
  /^System\.(Object|String|Array|Math|Convert|Version|Guid|DateTime|TimeSpan|Int32|Int64|Double|Char|Boolean|Byte|BitConverter|Exception|DateTimeOffset)$/.test(
    name,
  ) ||
  /^System\.(Text\.(Encoding|UTF8Encoding|RegularExpressions\.\w+)|Globalization\.\w+|Collections\.\w+(\.\w+)?|IO\.Path|Security\.Cryptography\.SHA256)$/.test(
    name,
  ) ||
  /^System\.(IO\.IO|Argument|Format|Management\.Automation\.Runtime)Exception$/.test(name);

/** Different each time, or in 5.1. */
const isOther = /^(UtcNow|Now|NewGuid|GetTempPath|GetHashCode|Default)$/i;

interface Member {
  /** E.g. `[math]::Abs`. Undefined for a member of a value. */
  readonly of?: string;
  readonly name: string;
  readonly parameters: readonly string[];
  /** Whether it is no method. */
  readonly isProperty?: boolean;
  /** The value's type, by its short name. */
  readonly self: string;
}

function declared(): readonly Member[] {
  const { types } = rowMachine();
  return types
    .all()
    .filter(isHarmless)
    .flatMap((type) => {
      const { name, shortName: self } = type;
      const of = `[${name}]`;
      const calls = (all: ReadonlyMap<string, readonly Overload[]>, of?: string): Member[] =>
        [...all.values()].flat().map(({ name, parameters }) => ({ of, name, parameters, self }));
      const reads = (all: ReadonlyMap<string, { readonly name: string }>, of?: string): Member[] =>
        [...all.values()].map(({ name }) => ({ of, name, parameters: [], isProperty: true, self }));
      return [
        ...calls(type.methods),
        ...calls(type.staticMethods, of),
        ...reads(type.properties),
        ...reads(type.staticProperties, of),
        ...type.constructors.map(({ parameters }) => ({ of, name: "new", parameters, self })),
      ].filter((each) => !isOther.test(each.name));
    });
}

export class ComposedRows {
  readonly #members = declared();
  readonly #types = [...new Set(this.#members.map(({ self }) => self))];
  readonly #cmdlets = objectCmdlets.filter(({ name }) =>
    /^(Where|ForEach|Select|Sort)-/.test(name),
  );

  constructor(private readonly random: () => number) {}

  next(): string {
    if (this.#chance(0.4)) return grammarRow((from) => this.#pick(from));
    return this.#statement(this.#value(3));
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  #chance(of: number): boolean {
    return this.random() < of;
  }

  /** An expression, of at most so many others within each other. */
  #value(depth: number): string {
    if (depth === 0 || this.#chance(0.15)) return this.#pick(anyValues);
    return this.#pick([
      () => this.#member(depth),
      () => this.#member(depth),
      () => this.#member(depth),
      () => `${this.#operand(depth)} ${this.#pick(operators)} ${this.#operand(depth)}`,
      () => `${this.#operand(depth)} ${this.#pick(operators)} ${this.#operand(depth)}`,
      () => `[${this.#pick(casts)}] ${this.#operand(depth)}`,
      () =>
        `${this.#pick(["-not", "-", ",", "!", "-split", "-join", "+"])} ${this.#operand(depth)}`,
      () => `${this.#operand(depth)}[${this.#value(depth - 1)}]`,
      () => `@(${this.#pipeline(depth)})`,
      () => `(${this.#pipeline(depth)})`,
      () => `"<$(${this.#pipeline(depth)})>"`,
      () => `${this.#operand(depth)}, ${this.#operand(depth)}`,
    ])();
  }

  #operand(depth: number): string {
    return `(${this.#value(depth - 1)})`;
  }

  /** Each type as often as every other. */
  #anyMember(): Member {
    const type = this.#pick(this.#types);
    return this.#pick(this.#members.filter(({ self }) => self === type));
  }

  #member(depth: number): string {
    const { of, name, parameters, isProperty, self } = this.#anyMember();
    if (of === undefined && this.#chance(0.2))
      return `${this.#operand(depth)}.${this.#pick(memberNames)}`;
    const on = of ?? `(${this.#chance(0.85) ? this.#ofType(self, depth) : this.#value(depth - 1)})`;
    const access = `${on}${of === undefined ? "." : "::"}${name}`;
    if (isProperty) return access;
    const given = parameters.map((each) =>
      this.#chance(0.85) ? this.#ofType(each, depth) : this.#value(depth - 1),
    );
    if (this.#chance(0.05)) given.pop();
    // A list must not become several arguments.
    return `${access}(${given.map((each) => `(${each})`).join(", ")})`;
  }

  /** A value of a type, by its name in .NET or in the interpreter. */
  #ofType(name: string, depth: number): string {
    const short = name.replace(/^.*\./, "");
    const known = values[aliases[name] ?? short] ?? values[short];
    if (known) return this.#pick(known);
    const makers = this.#members.filter((each) => each.of !== undefined && each.self === short);
    const maker = depth > 0 && makers.length > 0 ? this.#pick(makers) : undefined;
    if (!maker) return this.#pick(anyValues);
    const given = maker.parameters.map((each) => `(${this.#ofType(each, depth - 1)})`);
    const access = `${maker.of ?? ""}::${maker.name}`;
    return maker.isProperty === true ? access : `${access}(${given.join(", ")})`;
  }

  #pipeline(depth: number): string {
    const stages = [this.#value(depth - 1)];
    while (stages.length < 3 && this.#chance(0.6)) stages.push(this.#command());
    return stages.join(" | ");
  }

  #command(): string {
    const { name, parameters } = this.#pick(this.#cmdlets);
    const given = parameters.filter(
      (each) => each.name !== "InputObject" && (each.mandatory || this.#chance(0.35)),
    );
    return [name, ...given.map((each) => this.#argument(name, each))].join(" ");
  }

  #argument(cmdlet: string, { name, type, position }: ParameterDefinition): string {
    if (type === "switch") return `-${name}`;
    const isBlock = /^(FilterScript|Process|Property)$/.test(name) && this.#chance(0.8);
    const value = isBlock ? this.#block(cmdlet) : `(${this.#ofType(type, 0)})`;
    return position !== undefined && this.#chance(0.5) ? value : `-${name} ${value}`;
  }

  #block(cmdlet: string): string {
    if (cmdlet === "Select-Object" || this.#chance(0.3)) return this.#pick(memberNames);
    return this.#pick([
      () => `{ $_ ${this.#pick(operators)} (${this.#pick(anyValues)}) }`,
      () => `{ $_.${this.#pick(memberNames)} }`,
      () => "{ $_ }",
      () => `{ ${this.#pick(anyValues)}; $_ }`,
      () => `{ "<$_>" }`,
    ])();
  }

  #statement(value: string): string {
    const other = this.#value(1);
    return this.#pick([
      () => value,
      () => value,
      () => `$x = ${value}; $x`,
      () => `if (${value}) { 'yes' } else { 'no' }`,
      () => `foreach ($i in ${value}) { "<$i>" }`,
      () => `function f { param([${this.#pick(casts)}] $P) $P }; f (${value})`,
      () => `function f { param($P) $P.GetType().Name; $P }; f (${value})`,
      () => `try { ${value} } catch [${this.#pick(caught)}] { 'caught' }`,
      () => `$x = ${value}; $x += ${other}; $x`,
      () => `$x = ${value}; $y = ${other}; $x -eq $y; "$x $y"`,
      () => `$a, $b = ${value}; "$b"; $a`,
      () => `$t = @{ k = ${value} }; $t.k; $t['k']`,
      () => `${value} | ${this.#command()}`,
      () => `& { param($A, $B) "$A|$B" } (${value}) (${other})`,
      () => `$x = @(${value}); $x.Count; $x[0]; $x[-1]`,
    ])();
  }
}

const caught = (
  "Exception ArgumentException FormatException OverflowException InvalidOperationException " +
  "System.Management.Automation.RuntimeException System.Management.Automation.MethodInvocationException"
).split(" ");
