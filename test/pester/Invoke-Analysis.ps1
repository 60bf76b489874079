<#
.SYNOPSIS
Looks through the step scripts, those that make an image, and their tests with PSScriptAnalyzer; exit code 1 when it
finds anything.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$project = [IO.Path]::GetFullPath("$PSScriptRoot/../..")
$settings = Join-Path $project 'PSScriptAnalyzerSettings.psd1'
$found = @(
    foreach ($folder in 'components/windows/steps', 'components/windows/image/scripts', 'test/pester') {
        Invoke-ScriptAnalyzer -Path (Join-Path $project $folder) -Recurse -Settings $settings
    }
)
foreach ($each in $found) {
    [Console]::Out.WriteLine("$($each.ScriptName):$($each.Line): $($each.RuleName): $($each.Message)")
}
if ($found.Count -gt 0) {
    exit 1
}
[Console]::Out.WriteLine('PSScriptAnalyzer finds nothing.')
