<#
.SYNOPSIS
Confirms that the pod network's HNS network on the adapter exists and that the machine has its address.

.DESCRIPTION
Waits for the task that Add-ExternalNetwork has started. If the network is missing, because the task failed or a reboot
interrupted it, this step starts the task again and ends with an error. Run it again to continue.

.PARAMETER Address
IPv4 address of the node, whose adapter the network must be on. Default: none, mandatory. Source: settings,
nodes[].nodeIp, or else Machine.address.

.PARAMETER DelaySeconds
Seconds until the network is created, if the task is started again. Default: 15.

.PARAMETER Network
Name of the network: External for Calico, flannel.4096 for Flannel with VXLAN, cbr0 for Flannel with plain routes.
Default: External. Source: settings, cni.kind.

.OUTPUTS
Facts of the result (lib/Step.ps1): network, address.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 60 NetworkNotReady (try again).
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]{1,3}(\.[0-9]{1,3}){3}$')] [string] $Address,
    [ValidateRange(1, 60)] [int] $DelaySeconds = 15,
    [ValidateSet('External', 'flannel.4096', 'cbr0')] [string] $Network = 'External'
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\ExternalNetworkTask.ps1')

Invoke-Step -Name 'Confirm-ExternalNetwork' -Body {
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $record = Get-ExternalNetworkRecord
    while ($record.State -eq 'running' -and $clock.Elapsed.TotalSeconds -lt 240) {
        Write-StepProgress -Message "waiting for the network $Network"
        Start-Sleep -Seconds 2
        $record = Get-ExternalNetworkRecord
    }
    $made = Get-ExternalNetwork -Name $Network
    if ($null -eq $made) {
        Start-ExternalNetworkTask -DelaySeconds $DelaySeconds -Address $Address -Network $Network
        Stop-Step -Code 'NetworkNotReady' `
            -Message "The HNS network $Network is not there ($($record.State)). $($record.Message)" `
            -Remedy ('It is being made once more; run again in a minute. ' +
            'If it stays, see the event log of HNS, and flanneld.log for Flannel.')
    }
    if (-not (Test-OwnAddress -Address $Address)) {
        Stop-Step -Code 'NetworkNotReady' -Message "The machine has lost its address $Address. $($record.Message)" `
            -Remedy 'Look at its adapter and at the DHCP reservation; a reboot often brings the address back.'
    }
    $other = Get-SwitchAddress -Network $made
    if ($other -ne '' -and $other -ne $Address) {
        Stop-Step -Code 'NetworkNotReady' `
            -Message "The HNS network $Network is on the adapter with $other, not on the node's, with $Address." `
            -Remedy ("Remove it (Get-HnsNetwork | Where-Object Name -eq '$Network' | Remove-HnsNetwork) " +
            "and run again, or write $other as nodes[].nodeIp if that is the nodes' network.")
    }
    if (@('failed', 'running') -contains $record.State) {
        # The address came back late, or the task did not finish. The scheduled reboot is not needed any more.
        Stop-RescueReboot
        Save-ExternalNetworkRecord -State 'done'
    }
    New-StepResult -Changed $false -Facts ([ordered]@{ network = $Network; address = $Address })
}
