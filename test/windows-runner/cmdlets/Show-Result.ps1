# What a cmdlet gives, in one line of JSON: how many values, chosen properties of each, and the error it ends with.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Runs a command and writes what it gave as one line of JSON.

.PARAMETER Command
The command.

.PARAMETER Property
Properties of each value that are the same on every machine.
#>
function Show-Result {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [scriptblock] $Command,

        [string[]] $Property = @()
    )

    $result = [ordered]@{ count = 0; values = @(); error = $null }
    try {
        $values = @(& $Command)
        $result.count = $values.Count
        $result.values = @(
            foreach ($value in $values) {
                $shown = [ordered]@{}
                foreach ($name in $Property) {
                    $shown[$name] = [string]$value.$name
                }
                $shown
            }
        )
    }
    catch {
        $result.error = "$($_.FullyQualifiedErrorId): $($_.Exception.GetType().FullName)"
    }
    [Console]::Out.WriteLine((ConvertTo-Json -InputObject $result -Depth 4 -Compress))
}
