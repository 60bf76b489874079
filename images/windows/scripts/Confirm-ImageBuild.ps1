<#
.SYNOPSIS
Checks that the image's Windows is new enough for a node, and reboots it first if a reboot is pending.

.DESCRIPTION
Run over SSH before Invoke-Bake. If Windows waits for a reboot, usually because of an update, this script orders it and
ends with 75: run it again when the machine answers. Writes the build it found to the serial port.

.PARAMETER MinimumBuild
Lowest build number of Windows. Default: none, mandatory. Source: components/windows/host-requirements.ts, as for
Test-WindowsHost, which would refuse each machine made from the image.

.PARAMETER MinimumRevision
Lowest revision (UBR) of exactly that build. Default: none, mandatory. Source: as for MinimumBuild.

.PARAMETER RebootDelaySeconds
Seconds between ordering the reboot and its beginning. This session must end in that time. Default: 15.

.OUTPUTS
Facts of the result (lib/Step.ps1): build, revision.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 20 HostUnsuitable; 75 RebootNotDone. After 75, run it again.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [ValidateRange(17763, 99999)]
    [int] $MinimumBuild,

    [Parameter(Mandatory = $true)]
    [ValidateRange(0, 99999)]
    [int] $MinimumRevision,

    [ValidateRange(1, 600)]
    [int] $RebootDelaySeconds = 15
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'lib\SerialLog.ps1')
. (Join-Path $PSScriptRoot 'lib\ImageUpdate.ps1')

Invoke-Step -Name 'Confirm-ImageBuild' -Body {
    $reasons = @(Get-PendingRebootReason) -join ', '
    if ($reasons -ne '') {
        Write-SerialLine -Message "rebooting for $reasons"
        Start-Reboot -DelaySeconds $RebootDelaySeconds -Comment 'kindows: pending before the image is sealed'
        Stop-Step -Code 'RebootNotDone' -Message "Windows waits for a reboot ($reasons), which it does now." `
            -Remedy 'Run again when the machine answers.'
    }
    $windows = Get-ImageBuild
    $found = "$($windows.Build).$($windows.Revision)"
    if ($windows.Build -lt $MinimumBuild -or
        ($windows.Build -eq $MinimumBuild -and $windows.Revision -lt $MinimumRevision)) {
        Stop-Step -Code 'HostUnsuitable' `
            -Message "The image has Windows $found, and a node needs $MinimumBuild.$MinimumRevision or newer." `
            -Remedy ('Name a newer cumulative update in kindows:windows.image.update; if that one is new enough, ' +
            'Windows took it back at the reboot: see C:\Windows\Logs\CBS\CBS.log on the machine.')
    }
    Write-SerialLine -Message "build $found"
    New-StepResult -Changed $false -Facts ([ordered]@{
            build    = $windows.Build
            revision = $windows.Revision
        })
}
