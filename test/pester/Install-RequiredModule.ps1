<#
.SYNOPSIS
Installs the modules that the tests and the analysis need, in the versions that they were written for, unless they are there.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$versions = [ordered]@{ Pester = '5.7.1'; PSScriptAnalyzer = '1.24.0' }
foreach ($name in $versions.Keys) {
    $version = [Version]$versions[$name]
    if (@(Get-Module -ListAvailable -Name $name | Where-Object { $_.Version -eq $version }).Count -eq 0) {
        # Windows' own Pester 3.4 is signed by Microsoft, later ones are not.
        Install-Module -Name $name -RequiredVersion $version -Scope CurrentUser -Force -SkipPublisherCheck
    }
    [Console]::Out.WriteLine("$name $version")
}
