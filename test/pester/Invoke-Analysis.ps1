<#
.SYNOPSIS
Looks through the step scripts, those that make an image, those for Hyper-V, and their tests with PSScriptAnalyzer; exit
code 1 when it finds anything.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$project = [IO.Path]::GetFullPath("$PSScriptRoot/../..")
$settings = Join-Path $project 'PSScriptAnalyzerSettings.psd1'
$found = @(
    $folders = @(
        'components/windows/steps'
        'images/windows/scripts'
        'components/machine/hyper-v/scripts'
        'test/pester'
    )
    foreach ($folder in $folders) {
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
