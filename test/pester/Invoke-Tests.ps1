<#
.SYNOPSIS
Runs the tests of what only a real PowerShell shows, in the steps and in the scripts that make an image, with Pester 5;
the exit code is the number of tests that failed, 255 without Pester.

.DESCRIPTION
Windows' cmdlets are mocked, so PowerShell 7 on Linux will do; tests of what only Windows has are skipped there.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$pester = Get-Module -ListAvailable -Name Pester |
    Where-Object { $_.Version -ge [Version]'5.5.0' -and $_.Version -lt [Version]'6.0.0' } |
    Sort-Object -Property Version -Descending |
    Select-Object -First 1
if ($null -eq $pester) {
    [Console]::Error.WriteLine('Pester 5.5 or later is missing: Install-Module -Name Pester -MinimumVersion 5.5.0 ' +
        '-MaximumVersion 5.99.99 -Scope CurrentUser -SkipPublisherCheck -Force')
    exit 255
}
Import-Module -Name Pester -RequiredVersion $pester.Version

$configuration = New-PesterConfiguration
$configuration.Run.Path = $PSScriptRoot
$configuration.Run.Exit = $true
$configuration.Output.Verbosity = 'Detailed'
Invoke-Pester -Configuration $configuration
