<#
.SYNOPSIS
Runs the recorded snippets in a PowerShell of this machine and compares what they print and their exit codes with the
recordings. Fails where one differs that is not marked as different in this PowerShell.

.PARAMETER Snippets
Folder in which test/unit/powershell/recorded-files.ts has laid out the snippets.

.PARAMETER Shell
pwsh, or powershell for Windows PowerShell 5.1, where snippets whose first line is "# 5.1: ..." are expected to differ.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [string] $Snippets,

    [Parameter(Mandatory = $true)]
    [ValidateSet('pwsh', 'powershell')]
    [string] $Shell
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$different = 0
foreach ($snippet in Get-ChildItem -LiteralPath $Snippets -Recurse -Filter '*.point' -File) {
    $stem = $snippet.FullName -replace '\.point$', ''
    $words = @('-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', "$stem.ps1")
    if (Test-Path -LiteralPath "$stem.args") {
        $words += @(Get-Content -LiteralPath "$stem.args")
    }
    # Without an empty element, Windows PowerShell would pass nothing at all.
    $stdin = if (Test-Path -LiteralPath "$stem.stdin") { [IO.File]::ReadAllText("$stem.stdin") } else { '' }
    $output = (@($stdin | & $Shell @words) -join "`n").TrimEnd()
    $wanted = ([IO.File]::ReadAllText("$stem.out") -replace "`r", '').TrimEnd()
    $code = [int][IO.File]::ReadAllText("$stem.code")
    $isMarked = $Shell -eq 'powershell' -and (Get-Content -LiteralPath "$stem.ps1" -TotalCount 1) -match '^# 5\.1:'
    if ($isMarked -or ($output -ceq $wanted -and $LASTEXITCODE -eq $code)) {
        continue
    }
    $different++
    [Console]::Out.WriteLine("$($stem): exit code $LASTEXITCODE, recorded $code`n--- here`n$output`n--- recorded`n$wanted")
}
[Console]::Out.WriteLine("$different different")
exit [int]($different -gt 0)
