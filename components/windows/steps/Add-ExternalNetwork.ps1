<#
.SYNOPSIS
Has the pod network's HNS network on the machine's adapter made, which cuts the machine off for some seconds.

.DESCRIPTION
Making it puts a virtual switch on the adapter; Calico does that when its first pod starts on a node, Flannel when its
service starts for the first time, in the middle of whatever goes on. Calico's network, External, is made as Calico
would make it; Flannel's by starting flanneld, which knows its node's range once the node has joined. Here a task that
does not belong to this session does it: this step only orders it, stops the sshd service and ends. The task starts sshd
again when the machine's address is back, and reboots the machine when it is not after ten minutes.
Confirm-ExternalNetwork, the next step, connects again and looks at the outcome. Nothing to do where the network is
there.

.PARAMETER Address
IPv4 address of this machine, which must be back afterwards. Default: none, mandatory. Source: Machine.address.

.PARAMETER DelaySeconds
Seconds between the order and the network being made: this session must end with its result in that time. Default: 5.

.PARAMETER Network
Name of the network: External is Calico's, flannel.4096 Flannel's for VXLAN, cbr0 Flannel's for plain routes. Default:
External. Source: settings, cni.kind.

.OUTPUTS
Facts of the result (lib/Step.ps1): network.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 40 FeatureMissing; 42 FlannelMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]{1,3}(\.[0-9]{1,3}){3}$')] [string] $Address,
    [ValidateRange(1, 60)] [int] $DelaySeconds = 5,
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
    # By the name Calico's scripts give it. Plain routes need no port.
    $changed = $Network -ne 'cbr0' -and (Add-FirewallRule -Name 'OverlayTraffic4789UDP' -Protocol UDP -Port 4789 `
            -DisplayName 'Overlay Traffic 4789 UDP')
    if (-not (Test-ExternalNetwork -Name $Network)) {
        Start-ExternalNetworkTask -DelaySeconds $DelaySeconds -Address $Address -Network $Network
        $changed = $true
    }
    New-StepResult -Changed $changed -Facts ([ordered]@{ network = $Network })
}
