import assert from "node:assert/strict";

import { parse, ScriptSyntaxError, UnsupportedSyntaxError } from "../../../powershell/parser.ts";
import type { AnyNode, ConstantValue, Statement } from "../../../powershell/syntax.ts";
import { eachCase } from "../each-case.ts";

const file = (text: string): { path: string; text: string } => ({ path: "test.ps1", text });

function value(of: ConstantValue): string {
  if (typeof of === "object") {
    return `${of.double}D`;
  }
  return typeof of === "bigint" ? `${of}L` : JSON.stringify(of);
}

const all = (nodes: readonly AnyNode[], separator = " "): string => nodes.map(show).join(separator);
const block = (body: readonly Statement[]): string => `{${all(body, "; ")}}`;
const name = (of: string | AnyNode): string => (typeof of === "string" ? of : `<${show(of)}>`);
const after = (what: string, node: AnyNode | undefined): string =>
  node === undefined ? "" : what + show(node);

/** A tree in one line: operators before their operands, texts in quotes, commands as `!name`. */
function show(node: AnyNode): string {
  switch (node.kind) {
    case "TypeName":
      return `[${node.name}${"[]".repeat(node.ranks)}]`;
    case "Constant":
      return value(node.value) + (node.written === undefined ? "" : `'${node.written}'`);
    case "ExpandableString":
      return `~(${node.parts.map((part) => (typeof part === "string" ? value(part) : show(part))).join(" ")})`;
    case "Variable":
      return `${node.splatted ? "@" : "$"}${node.scope === undefined ? "" : `${node.scope}:`}${node.name}`;
    case "Member":
      return `${show(node.object)}${node.isStatic ? "::" : "."}${name(node.name)}`;
    case "MethodCall":
      return `${show(node.object)}${node.isStatic ? "::" : "."}${name(node.name)}(${all(node.args, ", ")})`;
    case "Index":
      return `${show(node.object)}[${show(node.index)}]`;
    case "Unary":
      return `(${node.postfix ? "post" : ""}${node.operator} ${show(node.operand)})`;
    case "Binary":
      return `(${node.operator} ${show(node.left)} ${show(node.right)})`;
    case "Cast":
      return `(cast ${show(node.type)} ${show(node.operand)})`;
    case "TypeLiteral":
      return show(node.type);
    case "ArrayLiteral":
      return `(list ${all(node.items)})`;
    case "ArrayExpression":
      return `@(${all(node.body, "; ")})`;
    case "SubExpression":
      return `$(${all(node.body, "; ")})`;
    case "Parenthesis":
      return `(${show(node.statement)})`;
    case "HashtableLiteral":
      return `@{${node.pairs.map((pair) => `${show(pair.key)}=${show(pair.value)}`).join("; ")}}`;
    case "ScriptBlockLiteral":
      return `{${show(node.block)}}`;
    case "CommandParameter":
      return `-${node.name}${after(":", node.value)}`;
    case "Redirection": {
      const target = "stream" in node.target ? `&${node.target.stream}` : show(node.target);
      return `${node.stream}${node.append ? ">>" : ">"}${target}`;
    }
    case "Command": {
      const invocation = node.invocation === "" ? "!" : `${node.invocation} `;
      const called =
        node.name.kind === "Constant" && typeof node.name.value === "string"
          ? node.name.value
          : show(node.name);
      return [invocation + called, ...node.elements.map(show), ...node.redirections.map(show)].join(
        " ",
      );
    }
    case "ExpressionElement":
      return [node.expression, ...node.redirections].map(show).join(" ");
    case "Pipeline":
      return all(node.elements, " | ");
    case "Assignment":
      return `${show(node.target)} ${node.operator} ${show(node.value)}`;
    case "If": {
      const clauses = node.clauses.map((each) => `if ${show(each.condition)} ${block(each.body)}`);
      return clauses.join(" else") + (node.otherwise ? ` else ${block(node.otherwise)}` : "");
    }
    case "While":
      return `while ${show(node.condition)} ${block(node.body)}`;
    case "DoLoop":
      return `do ${block(node.body)} ${node.until ? "until" : "while"} ${show(node.condition)}`;
    case "For": {
      const parts = [node.initializer, node.condition, node.iterator];
      return `for (${parts.map((part) => after("", part)).join("; ")}) ${block(node.body)}`;
    }
    case "ForEach":
      return `foreach ${show(node.variable)} in ${show(node.collection)} ${block(node.body)}`;
    case "Try": {
      const catches = node.catches.map((each) => ` catch ${all(each.types)}${block(each.body)}`);
      return `try ${block(node.body)}${catches.join("")}${node.final ? ` finally ${block(node.final)}` : ""}`;
    }
    case "Throw":
    case "Return":
    case "Exit":
    case "Break":
    case "Continue":
      return node.kind.toLowerCase() + after(" ", node.value);
    case "FunctionDefinition":
      return `function ${node.name} {${show(node.body)}}`;
    case "Attribute": {
      const named = node.named.map((each) => each.name + after("=", each.value));
      return `[${node.name}(${[...node.args.map(show), ...named].join(", ")})]`;
    }
    case "Parameter": {
      const before = [...node.attributes, ...(node.type ? [node.type] : [])].map(show).join("");
      return `${before}$${node.name}${after("=", node.defaultValue)}`;
    }
    case "ScriptBody": {
      const { attributes, parameters, statements, forEachInput } = node;
      const params = parameters && `${all(attributes, "")}param(${all(parameters, ", ")})`;
      const shown = forEachInput ? [`process ${block(statements)}`] : statements.map(show);
      return [...(params ? [params] : []), ...shown].join("; ");
    }
  }
}

/** What each text is read as. */
const trees: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  precedence: {
    "1 + 2 * 3": "(+ 1 (* 2 3))",
    "1 - 2 - 3": "(- (- 1 2) 3)",
    "$a -or $b -and $c": "(-and (-or $a $b) $c)",
    "$a -eq 1 -and $b -band 2": "(-and (-eq $a 1) (-band $b 2))",
    "$a -eq 1 + 2": "(-eq $a (+ 1 2))",
    "'{0}' -f 1 * 2": '(* (-f "{0}" 1) 2)',
    "'{0}{1}' -f $a, $b -eq 'x'": '(-eq (-f "{0}{1}" (list $a $b)) "x")',
    "1, 2 + 3, 4": "(+ (list 1 2) (list 3 4))",
    "1..3 + 4": "(+ (.. 1 3) 4)",
    "-not $a -eq $b": "(-eq (-not $a) $b)",
    "!$a.B": "(! $a.B)",
    "-join $a, $b": "(list (-join $a) $b)",
    ", 1, 2": "(list (, 1) 2)",
    ",(1, 2)": "(, ((list 1 2)))",
    "[int] $a + 1": "(+ (cast [int] $a) 1)",
    "[int][string] $a": "(cast [int] (cast [string] $a))",
    "[string[]] 1, 2": "(list (cast [string[]] 1) 2)",
    "$a -is [string] -and $b": "(-and (-is $a [string]) $b)",
    "$a -as [int]": "(-as $a [int])",
    "$a -IEQ $b -cne $c -iNotLike $d": "(-notlike (-cne (-eq $a $b) $c) $d)",
    "$a -in $b -is [x]": "(-is (-in $a $b) [x])",
    "$a -isplit 'x' -join 'y'": '(-join (-split $a "x") "y")',
    "$a - -1": "(- $a -1)",
    "$a -1": "(- $a 1)",
    "- $a": "(- $a)",
    "$i++; --$i": "(post++ $i); (-- $i)",
    "$a -and\n  $b": "(-and $a $b)",
  },
  numbers: {
    "1; 0x10; 1kb; 2gb; 1.5kb": "1; 16; 1024; 2147483648L; 1536D",
    "2147483647; 2147483648; -2147483648": "2147483647; 2147483648L; -2147483648",
    "9223372036854775808": "9223372036854776000D",
    "1l; 1.0; .5; 1e3": "1L; 1D; 0.5D; 1000D",
    "0xFFFFFFFF; 0x80000000l; 0xFFFFFFFFF": "-1; -2147483648L; 68719476735L",
    "-5.5; +3": "-5.5D; 3",
    "$a[-1]": "$a[-1]",
    "1..$n": "(.. 1 $n)",
  },
  members: {
    "$a.B.C": "$a.B.C",
    "$a.'b c'.$d.($e)": "$a.b c.<$d>.<($e)>",
    "$a.B(1, $c + 2)[0]": "$a.B(1, (+ $c 2))[0]",
    "$a.B(\n  1,\n  2\n).C()": "$a.B(1, 2).C()",
    "[Math]::Max(1, 2)": "[Math]::Max(1, 2)",
    "[int]::MaxValue": "[int]::MaxValue",
    "[System.Collections.Generic.List[string]]::new()":
      "[System.Collections.Generic.List[string]]::new()",
    "[System.Collections.Generic.Dictionary[string, int[]]]":
      "[System.Collections.Generic.Dictionary[string, int[]]]",
    "[byte[][]]": "[byte[][]]",
    "$a.B((1, 2))": "$a.B(((list 1 2)))",
    "$a.B({ 1, 2 })": "$a.B({(list 1 2)})",
    "$a.B(@(1, 2), $x[1, 2])": "$a.B(@((list 1 2)), $x[(list 1 2)])",
    "(1, 2).Count": "((list 1 2)).Count",
    "'a'.Length": '"a".Length',
    "$a.B([ref] $c)": "$a.B((cast [ref] $c))",
    "$x -f $a.\n  B": "(-f $x $a.B)",
  },
  arguments: {
    "foo-bar -Name value C:\\x\\y": '!foo-bar -Name "value" "C:\\\\x\\\\y"',
    "foo -Name:value -x:$true -y: 1": "!foo -Name:\"value\" -x:$true -y:1'1'",
    "foo $a.B $a[0] $a.B(1)": "!foo $a.B $a[0] $a.B(1)",
    "foo $a\\rest $env:X\\y a$b": '!foo ~($a "\\\\rest") ~($env:X "\\\\y") ~("a" $b)',
    "foo $(1)x (2)y": '!foo $(1) "x" (2) "y"',
    "foo a'b c'\"d $e\"f": '!foo ~("ab cd " $e "f")',
    "foo a`q`tc`$d": '!foo "aq\\tc$d"',
    "foo [int] [string]$x": '!foo "[int]" ~("[string]" $x)',
    "foo -- --strip-components=1 --x=$y -1 -1x -?":
      '!foo "--" "--strip-components=1" ~("--x=" $y) -1\'-1\' "-1x" -?',
    "foo 010 1.50 10.0.0.1 1..3 5gb":
      "!foo 10'010' 1.5D'1.50' \"10.0.0.1\" \"1..3\" 5368709120L'5gb'",
    "foo a, b,$c, 3": '!foo (list "a" "b" $c 3\'3\')',
    "foo ,$a": "!foo (, $a)",
    "foo -a 1, -b": "!foo -a (list 1'1' \"-b\")",
    "foo @a @(1) @{ a = 1 } { b }": '!foo @a @(1) @{"a"=1} {!b}',
    "foo if else = + * / a=b": '!foo "if" "else" "=" "+" "*" "/" "a=b"',
    "foo a#b #c": '!foo "a#b"',
    "foo <# c #> a": '!foo "a"',
    "foo `\n  -a `\n  b": '!foo -a "b"',
    "foo 'a'.Length": '!foo "a".Length',
    "foo $": '!foo "$"',
    "foo 2>$null >a 2>&1 *>> b": '!foo 2>$null 1>"a" 2>&1 *>>"b"',
    "foo a>b": '!foo "a" 1>"b"',
    "foo 2": "!foo 2'2'",
    "1 > $x": "1 1>$x",
    "& $a.B c; & 'x y' z; . ./a.ps1; & { 1 }; .{ 2 }":
      '& $a.B "c"; & x y "z"; . ./a.ps1; & {1}; . {2}',
    ".\\a.ps1; ..\\b; 7z x; x\\y-z": '!.\\a.ps1; !..\\b; !7z "x"; !x\\y-z',
    "a | % { $_ } | ? Name": '!a | !% {$_} | !? "Name"',
    "a |\n  # why\n  b": "!a | !b",
    "foo -and -eq": "!foo -and -eq",
  },
  texts: {
    "'it''s $x `n'": '"it\'s $x `n"',
    '"a`n`t`"`$``b`q""c"': '"a\\n\\t\\"$`bq\\"c"',
    '"$a.b [$c[0]] $($d.E)"': '~($a ".b [" $c "[0]] " $($d.E))',
    '"${a b} ${env:X} $env:Y $script:z"': '~($a b " " $env:X " " $env:Y " " $script:z)',
    '"$a::b"': '~($a "::b")',
    '"$ $, 5$"': '"$ $, 5$"',
    '"$_ $? $$"': '~($_ " " $? " " $$)',
    '"$("x" + \'y\')"': '~($((+ "x" "y")))',
    '"a\nb"': '"a\\nb"',
    "@'\na'@ b\n'c'\n'@": "\"a'@ b\\n'c'\"",
    "@'\n'@": '""',
    "@'\n\n'@": '""',
    '@"\na $b "q" $(\n1)`t\n"@': '~("a " $b " \\"q\\" " $(1) "\\t")',
    "${a`}b}": "$a}b",
    "$env:PATH; $Script:a; $function:f": "$env:PATH; $script:a; $function:f",
    "''": '""',
  },
  statements: {
    "$a = $b = 1": "$a = $b = 1",
    "$a, $b = 1, 2": "(list $a $b) = (list 1 2)",
    "[int] $a = 5": "(cast [int] $a) = 5",
    "$a.B = 1; $a[0] += 2; $env:X -= 3; $script:y *= 4":
      "$a.B = 1; $a[0] += 2; $env:X -= 3; $script:y *= 4",
    "$a =\n  1": "$a = 1",
    "$a = if ($b) { 1 } else { 2 }": "$a = if $b {1} else {2}",
    "$a = foreach ($b in $c) { $b }": "$a = foreach $b in $c {$b}",
    "$a = try { b } catch { c }": "$a = try {!b} catch {!c}",
    "($a = 1) + ($b = c)": "(+ ($a = 1) ($b = !c))",
    "if ($a) { 1 } # x\nelseif (b) { 2 }\n\nelse\n{ 3 }": "if $a {1} elseif !b {2} else {3}",
    "if ($a = b) {}": "if $a = !b {}",
    "while ($true) { break; continue }": "while $true {break; continue}",
    "do { 1 } while ($a); do { 2 } until ($b)": "do {1} while $a; do {2} until $b",
    "for ($i = 0; $i -lt 3; $i++) { $i }": "for ($i = 0; (-lt $i 3); (post++ $i)) {$i}",
    "for (;;) { }": "for (; ; ) {}",
    "try { 1 } catch [A.B], [C] { 2 } catch { 3 } finally { 4 }":
      "try {1} catch [A.B] [C]{2} catch {3} finally {4}",
    "throw; throw 'a' + 1; return; return a b; exit 3":
      'throw; throw (+ "a" 1); return; return !a "b"; exit 3',
    "IF ($a) { RETURN $b }": "if $a {return $b}",
    "returns; if-not; foreach-object a": '!returns; !if-not; !foreach-object "a"',
    "$a; ; $b": "$a; $b",
    "if ($a) { 1 } $b": "if $a {1}; $b",
    "#Requires -Version 5\n<# a\n#> $x # y": "$x",
  },
  tables: {
    "@{}": "@{}",
    "@{ a = 1; 'b c' = 2\n  \"$d\" = 3\n\n (4) = 5 ; 6 = 7; $e.F = 8 }":
      '@{"a"=1; "b c"=2; ~($d)=3; (4)=5; 6=7; $e.F=8}',
    "@{ a = if ($x) { 1 } else { 2 }; b = Get-X | y }":
      '@{"a"=if $x {1} else {2}; "b"=!Get-X | !y}',
    "@{ if = 1; a =\n  2\n}": '@{"if"=1; "a"=2}',
    "[ordered]@{ a = 1, 2 }": '(cast [ordered] @{"a"=(list 1 2)})',
    "[pscustomobject] @{ a = @{ b = 1 } }": '(cast [pscustomobject] @{"a"=@{"b"=1}})',
    "f @{\n    a = 1 # x\n    # y\n    b = 2\n}": '!f @{"a"=1; "b"=2}',
  },
  functions: {
    "function Get-It { 1 }": "function Get-It {1}",
    "function f($a, [int] $b = 2 + 1) { $a }": "function f {param($a, [int]$b=(+ 2 1)); $a}",
    "function f { param($a) process { $a; $_ } }": "function f {param($a); process {$a; $_}}",
    "function global:g {}": "function global:g {}",
    "[CmdletBinding()]\n[OutputType([int])]\nparam()\n1":
      "[CmdletBinding()][OutputType([int])]param(); 1",
    "param(\n  [Parameter(Mandatory = $true, Position = 0)] [string[]] [ValidateSet('a', 'b')]\n  $a = 'x',\n\n  [switch] $b\n)":
      'param([Parameter(Mandatory=$true, Position=0)][ValidateSet("a", "b")][string[]]$a="x", [switch]$b)',
    "param([Parameter(Mandatory)] [ValidatePattern('^a', Options = 'None')] $a)":
      'param([Parameter(Mandatory)][ValidatePattern("^a", Options="None")]$a)',
    "param([ValidateScript({ $_ -gt 1, 2 })] $a, $b)":
      "param([ValidateScript({(-gt $_ (list 1 2))})]$a, $b)",
    "{ param($a) $a }": "{param($a); $a}",
    "[Console]::Out.Flush()": "[Console]::Out.Flush()",
  },
};

/** Texts that are no PowerShell: message and line. */
const errors: Readonly<Record<string, string>> = {
  "$a = 1\nif ($b) {\n  1": "3: '}' expected, not the end of the line",
  "(1\n+ 2)": "2: ')' expected, not '+'",
  "$a\n'b": "2: a text that is closed expected, not '''",
  'a\n"b $c': "2: a text that is closed expected, not 'b'",
  "<# a": "1: a word expected, not '<'",
  "1 2": "1: the end of the statement expected, not '2'",
  "$a = ": "1: a word expected, not the end of the line",
  "\n}": "2: a statement expected, not '}'",
  "1 = 2": "1: a variable to assign to expected, not '1'",
  "1,": "1: a value expected, not the end of the line",
  "$a.": "1: the name of a member expected, not the end of the line",
  "$a + 1.5d": "1: the end of a number expected, not 'd'",
  "try { 1 }\n$b": "1: 'catch' or 'finally' expected, not the end of the line",
  "foreach ($a of $b) { }": "1: 'in' expected, not 'of'",
  "@{ a = 1 b = 2 }": "1: '}' expected, not 'b'",
  "param($a,)": "1: a parameter expected, not ')'",
  "[int $a": "1: a type expected, not '['",
  "[ValidateSet(1)] $a = 1": "1: 'param' expected, not '$a'",
  '"$a: b"': "1: a name behind ':', or ${ } around the one before it, expected, not ':'",
};

/** What PowerShell has and we have not. */
const unsupported: Readonly<Record<string, string>> = {
  "switch ($a) { }": "'switch'",
  "class A { }": "'class'",
  "function f { begin { $_ } }": "'begin'",
  "a && b": "'&&'",
  "(a || b)": "'||'",
  "$a ? 1 : 2": "'?'",
  "$a ?? 1": "'??'",
  "a &": "'&'",
  "$a -shl 2": "'-shl'",
  "-bnot $a": "'-bnot'",
  ":x while (1) { }": "a label",
  "while (1) { break x }": "a label",
  "a --% b": "'--%'",
  "a –b": "'–'",
};

/** Has a text refused as no PowerShell, or as what we have not, with a message. */
function assertRefused(text: string, error: typeof ScriptSyntaxError, message: string): void {
  assert.throws(
    () => parse(file(text)),
    (thrown: Error) => {
      assert.equal(thrown.constructor, error, String(thrown));
      assert.equal(thrown.message, `test.ps1:${message}`);
      return true;
    },
  );
}

describe("The parser of PowerShell", () => {
  for (const [what, cases] of Object.entries(trees)) {
    eachCase(`reads ${what}: %s`, cases, (tree, text) => {
      assert.equal(show(parse(file(text))), tree);
      // Files of Windows.
      const lines = /['"]/.test(text) ? text : text.replaceAll("\n", "\r\n");
      assert.equal(show(parse(file(lines))), tree);
    });
  }

  eachCase("tells what is wrong, and the line: %s", errors, (message, text) =>
    assertRefused(text, ScriptSyntaxError, message),
  );

  eachCase("refuses by name: %s", unsupported, (construct, text) =>
    assertRefused(text, UnsupportedSyntaxError, `1: ${construct} is not supported`),
  );

  it("knows where each node stands", () => {
    const text = "$a = 1 # x\nfoo -a `\n  $b  \n";
    const positions = parse(file(text)).statements.map(({ position }) => position);
    const [first, second] = positions.map(({ line, start, end }) => [line, start, end]);
    assert.deepEqual(first, [1, 0, 6]);
    assert.deepEqual(second, [2, 11, text.indexOf("$b") + 2]);
  });
});
