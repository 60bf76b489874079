# The Windows service hybrid-overlay-node of ovn-kubernetes, the pods' network in HNS that it makes, and CNI's part.

. (Join-Path $PSScriptRoot 'Services.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'ExternalNetwork.ps1')
. (Join-Path $PSScriptRoot 'FirewallRule.ps1')

$HybridOverlayService = 'hybrid-overlay-node'
# By the name that the program gives it (hybrid-overlay/pkg/controller/node_windows.go).
$HybridOverlayNetwork = 'OVNKubernetesHybridOverlayNetwork'
$HybridOverlayFirewallRule = 'kindows-hybrid-overlay'
$HybridOverlayLogPath = 'C:\var\log\hybrid-overlay\hybrid-overlay.log'

# With kubelet's own kubeconfig: its certificate renews itself. The program is one for Windows' service manager.
function Get-HybridOverlayCommandLine {
    param([string] $NodeName, [int] $VxlanPort)
    @(
        'C:\k\hybrid-overlay-node.exe', '--node', $NodeName, "--hybrid-overlay-vxlan-port=$VxlanPort"
        '--k8s-kubeconfig', 'C:\etc\kubernetes\kubelet.conf'
        '--windows-service', '--logfile', $HybridOverlayLogPath
    ) -join ' '
}

# It learns the node's range from the Node, where ovn-kubernetes writes it once the node has joined. Returns whether it
# did not run.
function Start-HybridOverlay {
    $service = Get-Service -Name $HybridOverlayService
    $ran = $service.Status -eq 'Running' -and (Test-ExternalNetwork -Name $HybridOverlayNetwork)
    Start-ServiceInTime -Name $HybridOverlayService -TimeoutSeconds 300 -LogPath $HybridOverlayLogPath `
        -Ready { Test-ExternalNetwork -Name $HybridOverlayNetwork }
    -not $ran
}

function Get-HybridOverlaySubnet {
    [string](Get-ExternalNetwork -Name $HybridOverlayNetwork).Subnets[0].AddressPrefix
}

function Get-EndpointPolicy {
    param([string] $Type, [hashtable] $Settings)
    @{ name = 'EndpointPolicy'; value = @{ Type = $Type; Settings = $Settings } }
}

# CNI's configuration: win-overlay, with addresses of the node's range by host-local. The policies are those of the CNI
# project's example for an overlay (plugins/main/windows, sample-v2.conf).
function Get-HybridOverlayCni {
    param([string] $Subnet, [string] $NodeIp, [string] $PodCidr, [string] $ServiceCidr)
    $plugin = [ordered]@{
        type         = 'win-overlay'
        apiVersion   = 2
        capabilities = @{ portMappings = $true; dns = $true }
        loopbackDSR  = $true
        ipam         = [ordered]@{ type = 'host-local'; subnet = $Subnet }
        policies     = @(
            Get-EndpointPolicy -Type 'OutBoundNAT' -Settings @{ Exceptions = @($Subnet, $PodCidr, $ServiceCidr) }
            Get-EndpointPolicy -Type 'SDNRoute' -Settings @{ DestinationPrefix = $ServiceCidr; NeedEncap = $true }
            Get-EndpointPolicy -Type 'ProviderAddress' -Settings @{ ProviderAddress = $NodeIp }
        )
    }
    ConvertTo-Json -Depth 8 -InputObject ([ordered]@{
            name       = $HybridOverlayNetwork
            cniVersion = '1.0.0'
            plugins    = @($plugin)
        })
}

# The rule's port shows in its display name: one for another port is replaced. Returns whether anything differed.
function Set-HybridOverlayFirewallRule {
    param([int] $Port)
    $displayName = "VXLAN of OVN-Kubernetes, port $Port"
    $rule = Get-NetFirewallRule -Name $HybridOverlayFirewallRule -ErrorAction SilentlyContinue
    if ($null -ne $rule -and $rule.DisplayName -ne $displayName) {
        $null = Remove-FirewallRule -Name $HybridOverlayFirewallRule
    }
    Add-FirewallRule -Name $HybridOverlayFirewallRule -Protocol UDP -Port $Port -DisplayName $displayName
}

function Remove-HybridOverlay {
    if (Test-Path -LiteralPath 'C:\k\hybrid-overlay-node.exe') {
        Remove-ServiceInTime -Name $HybridOverlayService
        Remove-FirewallRule -Name $HybridOverlayFirewallRule
    }
}
