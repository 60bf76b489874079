/**
 * Rows by a grammar, for what takes more than an expression: statements within each other, scopes, arguments and their
 * parameters, words, errors and their handlers, tables, objects in pipelines, times, paths.
 */

const lines = (text: string): readonly string[] =>
  text.split("\n").flatMap((each) => (each.trim() === "" ? [] : each.trim()));

/** By name, what can stand for `%name%`. The first one has no further names in it, or ends soon. */
const grammar: Readonly<Record<string, readonly string[]>> = {
  row: lines(`
    %init%%statement%; %statement%; "$v|$w"
    %init%function f { param($p) %statement%; %statement% }; %statement%; f 1; "$v|$w"
    %init%function f { %statement%; $v }; %statement%; . f; "$v|$w"
    %init%function f { process { %statement% } }; 1, 2 | f; "$v|$w"
    function g { %advanced%param(%parameter%$A, %parameter%$B) "$A|$B"; $PSBoundParameters.Count }; g %arguments%
    function g { %advanced%param(%parameter%$A) process { if ($null -eq $A) { 'null' } else { $A.GetType().Name; "$A" } } }; %value% | g
    & { %advanced%param(%parameter%$A = %value%, %parameter%$B) "$A|$B" } %arguments%
    $x = %value%; function f { "n=$($args.Count)"; foreach ($i in $args) { "<$i>" } }; f %word% %word% %word%
    $x = %value%; function f { param([string] $P, [int] $I, [switch] $S) "$P|$I|$S|$args" }; f %word% %word%
    %function%try { %failure% } catch %caught%{ %detail% }
    %function%try { try { %failure% } catch %caught%{ throw } finally { 'f' } } catch { %detail% }
    %function%try { $x = %failure% } catch %caught%{ 'typed' } catch { %detail% }
    $ErrorActionPreference = 'Continue'; %failure%; 'on'
    $t = %table%; $t[%key%]; $t.%part%
    $t = %table%; $t[%key%] = %value%; $t.a = %value%; $t.Count; $t[%key%]
    $t = %table%; $t.a += %value%; foreach ($k in $t.Keys) { "$k=$($t[$k])" }
    function f { param($a, $b) "$a|$b" }; $t = %table%; f @t
    %objects% | %stage% | %stage%
    $x = %objects% | %stage%; $x; $null -eq $x; @($x).Count
    (%time%) %operator% (%time%)
    (%time%).%timePart%
    Test-Path %literal%%path%%pathType%
    Join-Path %path% %path%
    Split-Path %path%
    Split-Path %path% -Leaf
    Test-Path (Join-Path %path% %path%)
    @(Get-ChildItem %literal%%path% -ErrorAction SilentlyContinue).Count -gt 0
    (Get-Item %literal%%path%).Name
    @(Get-Content %literal%%path%).Count
    [IO.Path]::Combine(%path%, %path%)
  `),
  init: [
    "$v = 1; $w = @(); ",
    "$v = @(1, 2); $w = 'x'; ",
    "$script:v = 1; $w = $null; ",
    "$global:v = 1; $w = 2; ",
  ],
  block: lines(`
    $v
    $v = %expression%
    %statement%
    %statement%; %statement%
  `),
  statement: lines(`
    "<$v>"
    $v = %expression%
    $v += %expression%
    $v++
    $script:v = %expression%
    $script:v
    $local:v = 5
    $null = %expression%
    $v, $w = %expression%
    %jump%
    %failure%
    if (%expression%) { %block% } else { %block% }
    foreach ($i in %expression%) { %block% }
    for ($i = 0; $i -lt 2; $i++) { %block% }
    $n = 0; while ($n++ -lt 2) { %block% }
    try { %block% } catch %caught%{ %block% }
    try { %block% } finally { %block% }
    try { %block% } catch %caught%{ "c:$_" } catch { 'any' } finally { %block% }
    $w = if (%expression%) { %block% }
    $w = foreach ($i in 1, 2) { %block% }
    $w = try { %block% } catch { %block% }
    %expression% | ForEach-Object { %block% }
    %expression% | Where-Object { %block% }
    & { %block% }
    . { %block% }
    function k { %block% }; k
  `),
  jump: ["throw 'e'", "break", "continue", "return", "return 1", "throw"],
  expression: lines(`
    1
    $v
    $w
    $null
    @()
    (1, 2)
    (%expression% %operator% %expression%)
    @(%statement%)
    $(%statement%)
    "<$(%statement%)>"
    (& { %block% })
    ($v = %expression%)
    @{ k = %expression% }.k
  `),
  operator: "-eq -ne -gt -le + - * -and -or -join -contains -in -is ,".split(" "),
  advanced: ["", "[CmdletBinding()] "],
  parameter: lines(`
    [string]
    [Parameter(Mandatory = $true)] [int]
    [Parameter(ValueFromPipeline = $true)] [string[]]
    [ValidateSet('a', 'b')] [string]
    [ValidateRange(1, 3)] [int]
    [switch]
    [bool]
    [char]
    [object[]]
    [datetime]
    [hashtable]
    [version]
  `),
  arguments: lines(`
    (%value%)
    -A (%value%)
    -B (%value%) (%value%)
    (%value%) (%value%)
    (%value%) -Z (%value%)
    -Z:1 (%value%) (%value%)
    -A
    (%value%) -A
  `),
  value: lines(`
    1
    'a'
    ''
    $null
    @()
    @(1, 2)
    $true
    1.5
    '5'
    (& {})
    @{ a = 1 }
    { 1 }
    @($null)
    [char] 'a'
    '1.2.3'
    [pscustomobject] @{ a = 1 }
  `),
  word: lines(`
    a
    a,b
    a, b
    $x
    "$x[0]"
    $x.a
    "$($x.Length)"
    a.b
    1kb
    0x10
    1.50
    -1
    -a
    -P
    -P:1
    -p: 1e2
    --
    -x.y
    @x
    \${x}
    a\`b
    (1,2)
    $(1)
    a$(1)b
    [int]
    [int]1
    a=b
    *
    /x
    a/b
    a:b
    'a''b'
    "a"b
    a#c
    1D
    1..3
    $_
    if
    a[0]
  `),
  function: [
    "function f { [CmdletBinding()] param([Parameter(Mandatory = $true)] [int] $A) $A }; ",
  ],
  failure: lines(`
    1 / 0
    [int] 'x'
    $undefined
    Get-Item /no/such
    no-such-command
    @(1)[5]
    'a'.zz
    'a' -match '('
    throw [System.ArgumentException] 'bad'
    Get-Content -LiteralPath /no/such
    'a'.Substring(5)
    [version] 'x'
    [byte] 300
    f -Z
    f 1 2
    f -A x
    f
    Join-Path $null a
    Select-Object -First x
    Get-Command no-such
    Start-Sleep -Seconds -1
    'a' * -1
  `),
  caught: lines(`
    [System.Exception]
    [System.Management.Automation.RuntimeException]
    [System.ArgumentException]
    [System.InvalidCastException]
    [System.Management.Automation.ItemNotFoundException]
    [System.IO.IOException], [System.FormatException]
  `).flatMap((each) => ["", `${each} `]),
  detail: lines(`
    "$_"
    $_.Exception.GetType().Name
    $_.FullyQualifiedErrorId
    $null -eq $_.Exception.InnerException
    $_.Exception.GetBaseException().GetType().Name
    $_.Exception.Data.Count
    $_ | ForEach-Object { $_.Exception.Message }
  `),
  table: lines(`
    @{ a = 1 }
    [ordered] @{ b = 2; a = 'x' }
    @{ 1 = 'x' }
    [ordered] @{ Count = 5 }
    @{ a = @{ b = 1 } }
    [pscustomobject] @{ a = 1; b = $null }
  `),
  key: ["'a'", "'A'", "1", "0", "-1", "$null", "'Count'", "1L", "$true", "@('a', 'b')"],
  part: "Count Keys Values a b.c Length Keys.Count a.b PSObject.Properties.Name zz".split(" "),
  objects: lines(`
    1..5
    @(3, 1, 2)
    ('b', 'a', 'B')
    (1, '2', $null)
    @()
    $null
    ([pscustomobject] @{ n = 2; s = 'b' }, [pscustomobject] @{ n = 1; s = 'a' })
    ([pscustomobject] @{ n = $null; s = 'b' }, [pscustomobject] @{ s = 'a' }, [pscustomobject] @{ n = '10' })
  `),
  stage: lines(`
    Select-Object -First 1
    Select-Object -Last 2 -Skip 1
    Select-Object -First %value%
    Select-Object -Property n, s
    Select-Object *
    Select-Object n, n
    Sort-Object
    Sort-Object n -Descending
    Sort-Object { $_ } -Unique
    Where-Object { $_ -gt 1 }
    Where-Object n
    ForEach-Object { $_; $_ }
    ForEach-Object { break }
    ForEach-Object n
    & { process { $q += 1; "$q$_" } }
  `),
  time: lines(`
    [datetime]::Parse('2021-03-04T05:06:07Z')
    [datetime] '2020-02-29'
    [datetime]::MinValue
    [timespan]::FromSeconds(90)
    [datetime]::SpecifyKind([datetime] '2020-01-02', 'Utc')
    %value%
  `),
  timePart: lines(`
    Ticks
    TotalSeconds
    ToUniversalTime()
    AddSeconds(%value%)
    AddDays(%value%)
    ToString('yyyy-MM-dd')
    ToString('r')
    GetType().Name
  `),
  literal: ["", "-Path ", "-LiteralPath "],
  pathType: ["", " -PathType Container", " -PathType Leaf"],
  path: (
    "~ ~/x ./x / /tmp/ /tmp//x //tmp a:b C: C:\\x FileSystem::/tmp Env:PATH \\tmp /t*p /no/such /no/* [ a[b `a * " +
    "/etc/passwd /etc/passwd/ /etc/passwd/x a. .a a/b/ a//b a/./b /tmp/[a]"
  )
    .split(" ")
    .map((each) => `'${each}'`),
};

/** A row. What is deeper than so many names within each other ends soon. */
export function grammarRow(pick: <T>(from: readonly T[]) => T, name = "row", depth = 0): string {
  const all = grammar[name] ?? [];
  const chosen = depth > 7 ? (all[0] ?? "") : pick(all);
  return chosen.replace(/%(\w+)%/g, (_, inner: string) => {
    const text = grammarRow(pick, inner, depth + 1);
    return inner === "parameter" ? `${text} ` : text;
  });
}
