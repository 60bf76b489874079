<#
.SYNOPSIS
Runs the tests of what only a real PowerShell shows, in the steps and in the scripts that make an image, with Pester 5;
the exit code is the number of tests, blocks and files that failed, 255 without Pester.

.DESCRIPTION
Windows' cmdlets are mocked, so PowerShell 7 on Linux will do; tests of what only Windows has are skipped there.

.PARAMETER Results
File that gets the results, one line of JSON for each test: name, result and message. Default: none.
#>
[CmdletBinding()]
param(
    [string] $Results = ''
)

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
$configuration.Run.PassThru = $true
$configuration.Output.Verbosity = 'Detailed'
$run = Invoke-Pester -Configuration $configuration
if ($Results -ne '') {
    # Not Pester's own report, which wants CIM. A file or block that fails has its tests in the list, but the reason itself.
    $failed = @($run.Containers) + @($run.FailedBlocks) | Where-Object { $_.ErrorRecord.Count -gt 0 }
    $lines = foreach ($each in @($run.Tests) + @($failed)) {
        $name = if ($each.PSObject.Properties['ExpandedPath']) { $each.ExpandedPath } else { "$($each.Item)" }
        ConvertTo-Json -Compress -InputObject ([ordered]@{
                name    = $name
                result  = "$($each.Result)"
                message = (@($each.ErrorRecord | ForEach-Object { "$_" }) -join ' ')
            })
    }
    [IO.File]::WriteAllLines($Results, [string[]]@($lines))
}
exit $run.FailedCount + $run.FailedBlocksCount + $run.FailedContainersCount
