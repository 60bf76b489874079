<#
.SYNOPSIS
Confirms that the reboot ordered by Enable-ContainersFeature has happened and that the feature is installed.

.DESCRIPTION
If a reboot was ordered, the time of the last boot must differ from the recorded one. An answering SSH server is no
proof, because a system that is still shutting down can answer too.

.OUTPUTS
Facts of the result (lib/Step.ps1): featureState, lastBootUpTime, and previousBootUpTime after a reboot.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 16 DiskFull; 21
FeatureFailed; 75 RebootNotDone (try again).
#>
[CmdletBinding()]
param()

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainersFeature.ps1')

Invoke-Step -Name 'Confirm-Reboot' -Body {
    $bootTime = Get-LastBootUpTime
    $previous = Get-RebootRecord
    if ($previous -eq $bootTime) {
        Stop-Step -Code 'RebootNotDone' `
            -Message "Windows still runs since $bootTime, although a reboot was ordered." `
            -Remedy 'Run again in a minute; else see the System event log (1074, 6006, 6008) and reboot by hand.'
    }

    # sshd may answer while the servicing stack is still finishing the feature.
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $state = Get-ContainersFeatureState
    while ($state -ne 'Enabled' -and $clock.Elapsed.TotalSeconds -lt 180) {
        Write-StepProgress -Message "waiting for the feature Containers: $state"
        Start-Sleep -Seconds 5
        $state = Get-ContainersFeatureState
    }
    if ($state -ne 'Enabled') {
        Stop-Step -Code 'FeatureFailed' `
            -Message "The feature Containers is $state 180 s after the reboot check; expected was Enabled." `
            -Remedy 'See C:\Windows\Logs\CBS\CBS.log on the machine.'
    }

    $facts = [ordered]@{ featureState = $state; lastBootUpTime = $bootTime }
    if ($null -ne $previous) {
        $facts.previousBootUpTime = $previous
        Remove-RebootRecord
    }
    New-StepResult -Changed ($null -ne $previous) -Facts $facts
}
