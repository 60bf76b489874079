<#
.SYNOPSIS
Names a machine made from the image, while Windows' setup specializes it and is about to reboot anyway.

.DESCRIPTION
The sealed answer file starts it. What fails here is not the end: Set-MachineIdentity finds the name missing, sets it,
and reboots once more.

.OUTPUTS
Last line of standard output: one JSON object {"step", "changed", "rebootRequired", "seconds", "facts"}, or {"step",
"error": {"code", "message", "remedy"}}. Facts: computerName.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 16 DiskFull; 30
MediumMissing; 33 ConfigurationUnknown.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'lib\SerialLog.ps1')
. (Join-Path $PSScriptRoot 'lib\IdentityDisc.ps1')
. (Join-Path $PSScriptRoot 'lib\MachineName.ps1')

Invoke-Step -Name 'Rename-Machine' -Body {
    try {
        $disc = Get-IdentityDisc -TimeoutSeconds 60
        $identity = Read-Identity -Path "$($disc.Drive)\user-data"
        $rebootRequired = Set-MachineName -Name $identity.ComputerName
        Write-SerialLine -Message "named $($identity.ComputerName)"
    }
    catch {
        Write-SerialLine -Message "warning: not named yet: $($_.Exception.Message)"
        throw
    }
    New-StepResult -Changed $true -RebootRequired $rebootRequired -Facts ([ordered]@{
            computerName = $identity.ComputerName
        })
}
