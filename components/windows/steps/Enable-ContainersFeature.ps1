<#
.SYNOPSIS
Installs the Windows feature Containers and, if needed, starts a reboot.

.DESCRIPTION
If a reboot is needed, this step writes the time of the last boot to C:\kindows\state\reboot.json, orders the reboot and
stops the sshd service. Running sessions continue, but nobody can connect to the system that is shutting down and
mistake it for the restarted one. Confirm-Reboot, the next step, checks that the reboot happened. Hyper-V is not
installed, because process isolation and Calico's VXLAN do not need it. If Windows refuses to install the feature before
a pending reboot, this step orders that reboot and ends with an error. Run it again to continue.

.PARAMETER RebootDelaySeconds
Seconds between ordering the reboot and its beginning. This session must end in that time. Default: 15.

.OUTPUTS
Facts of the result (lib/Step.ps1): featureState, lastBootUpTime.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 21 FeatureFailed; 24 RebootPending (try again).
#>
[CmdletBinding()]
param(
    [ValidateRange(1, 600)] [int] $RebootDelaySeconds = 15
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainersFeature.ps1')

Invoke-Step -Name 'Enable-ContainersFeature' -Body {
    $bootTime = Get-LastBootUpTime
    $changed = $false
    $state = Get-ContainersFeatureState
    if ($state -ne 'Enabled' -and $state -ne 'EnablePending') {
        # Recorded before installing. If the step is killed afterwards, the next run still orders the reboot.
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
                -Remedy ('See C:\Windows\Logs\CBS\CBS.log; a feature that is DisabledWithPayloadRemoved needs its ' +
                'payload in the image.')
        }
        if ([string]$installation.RestartNeeded -eq 'No') { Remove-RebootRecord }
        $changed = $true
        $state = Get-ContainersFeatureState
    }
    elseif ($state -eq 'EnablePending') {
        Save-RebootRecord
    }

    $rebootRequired = (Get-RebootRecord) -eq $bootTime
    if ($rebootRequired) {
        Start-Reboot -DelaySeconds $RebootDelaySeconds -Comment 'kindows: feature Containers'
    }

    New-StepResult -Changed $changed -RebootRequired $rebootRequired -Facts ([ordered]@{
            featureState   = $state
            lastBootUpTime = $bootTime
        })
}
