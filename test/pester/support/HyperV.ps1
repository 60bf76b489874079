# For the tests of the scripts for a Hyper-V host. Dot-sourced in BeforeAll.

. "$PSScriptRoot/Support.ps1"
$HyperVFolder = New-HyperVFolder -Path (Join-Path $TestDrive 'hyper-v')
foreach ($lib in Get-ChildItem -LiteralPath (Join-Path $HyperVFolder 'lib') -Filter '*.ps1' -File) {
    . $lib.FullName
}
Mock Write-StepProgress { return }
Mock Start-Sleep { return }
# The frame ends the process, and has tests of its own.
Mock Invoke-Step { & $Body }
$own = '0f' * 6
$strange = 'ee' * 6
$first = '0a' * 6

<#
.SYNOPSIS
Makes a stand-in for what Get-VM returns.

.PARAMETER Name
Its name.

.PARAMETER Notes
Its notes.

.PARAMETER State
Its state.
#>
function New-FakeMachine {
    [CmdletBinding()]
    param(
        [string] $Name = 'win-1',

        [string] $Notes = '',

        [string] $State = 'Off'
    )

    [pscustomobject]@{ Name = $Name; Id = "id of $Name"; Notes = $Notes; State = $State; MemoryAssigned = 1gb }
}
