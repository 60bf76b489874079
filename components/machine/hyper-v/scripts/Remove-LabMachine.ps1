<#
.SYNOPSIS
Turns off and removes machines of an owner on this Hyper-V host, with their folders. Succeeds if they are gone.

.DESCRIPTION
The machines are turned off, not shut down, because their nodes have been removed from the cluster before. A machine or
folder without the owner's mark is not touched.

.PARAMETER MachineName
Name of the virtual machine and of its folder; empty: all of the owner's in Folder. Default: none, mandatory. Source:
the lab's and the node's name.

.PARAMETER Folder
Full path of the folder in which the machines' own folders lie. Default: none, mandatory. Source: settings,
hyperVHosts[].folder.

.PARAMETER Owner
Id of the machines' owner, 12 hexadecimal digits. Default: none, mandatory. Source: the key that logs in to the lab's
machines.

.OUTPUTS
Facts of the result (lib/Step.ps1): removed (names, separated by commas).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 16 DiskFull; 34
ServiceNotRunning; 35 FileInUse; 40 FeatureMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [AllowEmptyString()]
    [ValidatePattern('^([a-z0-9][-a-z0-9]*)?$')]
    [string] $MachineName,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[A-Za-z]:\\')]
    [string] $Folder,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[0-9a-f]{12}$')]
    [string] $Owner
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\HyperVHost.ps1')
. (Join-Path $PSScriptRoot 'lib\LabMark.ps1')
. (Join-Path $PSScriptRoot 'lib\LabMachine.ps1')

Invoke-Step -Name 'Remove-LabMachine' -Body {
    Assert-HyperV
    $names = @($MachineName)
    if ($MachineName -eq '') {
        # Only those in this folder. The owner's machines in another folder belong to another resource.
        $names = @(
            if (Test-Path -LiteralPath $Folder) {
                Get-ChildItem -LiteralPath $Folder | ForEach-Object { $_.Name }
            }
        )
    }
    $removed = @(
        foreach ($each in @($names | Sort-Object -Unique)) {
            $site = [IO.Path]::Combine($Folder, $each)
            if ($MachineName -eq '' -and $null -eq (Read-SiteMark -Site $site)) {
                continue
            }
            $own = @(
                Get-NamedMachine -MachineName $each -Site $site -Owner $Owner |
                    Where-Object { $_.Kind -ne 'foreign' }
            )
            foreach ($machine in $own) {
                Remove-OwnMachine -Machine $machine.Machine
            }
            if ((Remove-MachineSite -Site $site -Owner $Owner) -or $own.Count -gt 0) {
                $each
            }
        }
    )
    New-StepResult -Changed ($removed.Count -gt 0) -Facts ([ordered]@{ removed = $removed -join ',' })
}
