<#
.SYNOPSIS
Installs the Windows feature Containers and, where that needs it, starts the reboot.

.DESCRIPTION
Where a reboot is needed, the time of the last boot is written to C:\kindows\state\reboot.json, the reboot is ordered,
and the sshd service is stopped: running sessions go on, but nobody can connect to the system that is going down and
take it for the one that comes up. Confirm-Reboot, the next step, checks that the reboot happened. Hyper-V is not
installed: process isolation and Calico's VXLAN do without it. Where Windows itself waits for a reboot, and refuses to
install anything before, that reboot is ordered and the step ends with an error: running it again goes on.

.PARAMETER RebootDelaySeconds
Seconds between ordering the reboot and Windows beginning it: this session must end with its result in that time.
Default: 5.

.OUTPUTS
Facts of the result (lib/Step.ps1): installState, lastBootUpTime.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 21 FeatureFailed; 24 RebootPending (try again).
#>
[CmdletBinding()]
param(
    [ValidateRange(1, 600)] [int] $RebootDelaySeconds = 5
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainersFeature.ps1')

Invoke-Step -Name 'Enable-ContainersFeature' -Body {
    $bootTime = Get-LastBootUpTime
    $changed = $false
    $state = Get-ContainersFeatureState
    if ($state -ne 'Installed' -and $state -ne 'InstallPending') {
        # Recorded before, not after: a step killed in between would leave a machine whose reboot nobody orders.
        $reasons = @(Get-PendingRebootReason) -join ', '
        Save-RebootRecord
        $failure = ''
        try {
            $installation = Install-WindowsFeature -Name 'Containers'
            if (-not $installation.Success) { $failure = [string]$installation.ExitCode }
        }
        catch { $failure = $_.Exception.Message }
        if ($failure -ne '') {
            Remove-RebootRecord
            if ($reasons -ne '') {
                Start-Reboot -DelaySeconds $RebootDelaySeconds -Comment 'kindows: pending before feature Containers'
                Stop-Step -Code 'RebootPending' `
                    -Message "Windows waits for a reboot ($reasons) and does not install Containers before: $failure." `
                    -Remedy 'The machine reboots now. Run again in a few minutes.'
            }
            Stop-Step -Code 'FeatureFailed' `
                -Message "Installing the feature Containers failed: $failure (it was $state before)." `
                -Remedy 'See C:\Windows\Logs\CBS\CBS.log; a feature that is Removed needs its payload in the image.'
        }
        if ([string]$installation.RestartNeeded -eq 'No') { Remove-RebootRecord }
        $changed = $true
        $state = Get-ContainersFeatureState
    }
    elseif ($state -eq 'InstallPending') {
        Save-RebootRecord
    }

    $rebootRequired = (Get-RebootRecord) -eq $bootTime
    if ($rebootRequired) {
        Start-Reboot -DelaySeconds $RebootDelaySeconds -Comment 'kindows: feature Containers'
    }

    New-StepResult -Changed $changed -RebootRequired $rebootRequired -Facts ([ordered]@{
            installState   = $state
            lastBootUpTime = $bootTime
        })
}
