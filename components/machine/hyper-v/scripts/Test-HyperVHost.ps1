<#
.SYNOPSIS
Checks that this host can run the machines of a lab. Changes nothing.

.DESCRIPTION
Requires Hyper-V with its PowerShell module, an external virtual switch, the disk that machines start from, and room for
one machine. Reports all problems at once.

.PARAMETER SwitchName
Name of the virtual switch. Default: none, mandatory. Source: settings, hyperVHosts[].switch.

.PARAMETER Folder
Full path of the folder for the machines, which is made with the first machine. Default: none, mandatory. Source:
settings, hyperVHosts[].folder.

.PARAMETER BaseDisk
Full path of the VHDX that machines start from. Default: none, mandatory. Source: settings, hyperVHosts[].image.

.OUTPUTS
Facts of the result (lib/Step.ps1): computerName, logicalProcessors.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 16 DiskFull; 20
HostUnsuitable; 34 ServiceNotRunning; 40 FeatureMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [ValidateNotNullOrEmpty()]
    [string] $SwitchName,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[A-Za-z]:\\')]
    [string] $Folder,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[A-Za-z]:\\')]
    [string] $BaseDisk
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\HyperVHost.ps1')

Invoke-Step -Name 'Test-HyperVHost' -Body {
    Assert-HyperV
    Assert-NoProblem -Problem @(
        Get-HyperVHostProblem -SwitchName $SwitchName -BaseDisk $BaseDisk -Folder $Folder
    )
    New-StepResult -Changed $false -Facts ([ordered]@{
            computerName      = $env:COMPUTERNAME
            logicalProcessors = (Get-VMHost).LogicalProcessorCount
        })
}
