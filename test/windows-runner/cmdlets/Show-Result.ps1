# What a cmdlet gives, in one line of JSON: how many values, each as a text, and the id of the error it ends with.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Runs a command and writes what it gave as one line of JSON.

.PARAMETER Command
The command. What it gives is written as text, so it gives what is the same on every machine.
#>
function Show-Result {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [scriptblock] $Command
    )

    $result = [ordered]@{ count = 0; values = @(); error = $null }
    try {
        $values = @(& $Command)
        $result.count = $values.Count
        $result.values = @($values | ForEach-Object { "$_" })
    }
    catch {
        $result.error = $_.FullyQualifiedErrorId
    }
    [Console]::Out.WriteLine((ConvertTo-Json -InputObject $result -Depth 4 -Compress))
}
