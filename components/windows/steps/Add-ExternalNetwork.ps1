<#
.SYNOPSIS
Starts creating the pod network's HNS network on the machine's adapter, which disconnects the machine for some seconds.

.DESCRIPTION
Creating the network puts a virtual switch on the adapter. Otherwise Calico would do that when its first pod starts on
the node, and Flannel when its service starts for the first time, and interrupt whatever is running. Calico's network,
External, is created as Calico would create it. Flannel's is created by starting flanneld, which knows its node's range
once the node has joined. A scheduled task outside this session does the work. This step only starts the task, stops the
sshd service and ends. The task starts sshd again when the machine's address is back. If it is not back after ten
minutes, the machine reboots. Confirm-ExternalNetwork, the next step, connects again and checks the outcome. Does
nothing if the network exists.

.PARAMETER Address
IPv4 address of the node: the network is put on the adapter that has it, and it must be back afterwards. Default: none,
mandatory. Source: settings, nodes[].nodeIp, or else Machine.address.

.PARAMETER DelaySeconds
Seconds until the network is created. This session must end in that time. Default: 15.

.PARAMETER Network
Name of the network: External for Calico, flannel.4096 for Flannel with VXLAN, cbr0 for Flannel with plain routes.
Default: External. Source: settings, cni.kind.

.OUTPUTS
Facts of the result (lib/Step.ps1): network.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 40 FeatureMissing; 42 FlannelMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]{1,3}(\.[0-9]{1,3}){3}$')] [string] $Address,
    [ValidateRange(1, 60)] [int] $DelaySeconds = 15,
    [ValidateSet('External', 'flannel.4096', 'cbr0')] [string] $Network = 'External'
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainersFeature.ps1')
. (Join-Path $PSScriptRoot 'lib\FirewallRule.ps1')
. (Join-Path $PSScriptRoot 'lib\ExternalNetworkTask.ps1')

Invoke-Step -Name 'Add-ExternalNetwork' -Body {
    Assert-ContainersFeature
    if ($Network -ne 'External' -and -not (Test-Service -Name 'flanneld')) {
        Stop-Step -Code 'FlannelMissing' -Message "There is no service flanneld, which makes the network $Network." `
            -Remedy 'Run Install-Flannel first.'
    }
    # The name is that of Calico's scripts. Plain routes need no open port.
    $changed = $Network -ne 'cbr0' -and (Add-FirewallRule -Name 'OverlayTraffic4789UDP' -Protocol UDP -Port 4789 `
            -DisplayName 'Overlay Traffic 4789 UDP')
    if (-not (Test-ExternalNetwork -Name $Network)) {
        Start-ExternalNetworkTask -DelaySeconds $DelaySeconds -Address $Address -Network $Network
        $changed = $true
    }
    New-StepResult -Changed $changed -Facts ([ordered]@{ network = $Network })
}
