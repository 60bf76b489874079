# The Windows service hybrid-overlay-node of ovn-kubernetes, the HNS network that it creates, and CNI's configuration.

. (Join-Path $PSScriptRoot 'Services.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'ExternalNetwork.ps1')
. (Join-Path $PSScriptRoot 'FirewallRule.ps1')

$HybridOverlayService = 'hybrid-overlay-node'
# The program's name for its network (hybrid-overlay/pkg/controller/node_windows.go).
$HybridOverlayNetwork = 'OVNKubernetesHybridOverlayNetwork'
$HybridOverlayFirewallRule = 'kindows-hybrid-overlay'
$HybridOverlayLogPath = 'C:\var\log\hybrid-overlay\hybrid-overlay.log'

# Uses kubelet's kubeconfig, whose certificate kubelet renews. The program is a native Windows service.
function Get-HybridOverlayCommandLine {
    param([string] $NodeName, [int] $VxlanPort)
    @(
        'C:\k\hybrid-overlay-node.exe', '--node', $NodeName, "--hybrid-overlay-vxlan-port=$VxlanPort"
        '--k8s-kubeconfig', 'C:\etc\kubernetes\kubelet.conf'
        '--windows-service', '--logfile', $HybridOverlayLogPath
    ) -join ' '
}

# The service reads the node's range from its Node, where ovn-kubernetes writes it once the node has joined. Returns
# whether the service was not running, or its network was missing.
function Start-HybridOverlay {
    $service = Get-Service -Name $HybridOverlayService
    $isReady = $service.Status -eq 'Running' -and (Test-ExternalNetwork -Name $HybridOverlayNetwork)
    Start-ServiceInTime -Name $HybridOverlayService -TimeoutSeconds 300 -LogPath $HybridOverlayLogPath `
        -Ready { Test-ExternalNetwork -Name $HybridOverlayNetwork }
    -not $isReady
}

function Get-HybridOverlaySubnet {
    [string](Get-ExternalNetwork -Name $HybridOverlayNetwork).Subnets[0].AddressPrefix
}

function Get-EndpointPolicy {
    param([string] $Type, [hashtable] $Settings)
    @{ name = 'EndpointPolicy'; value = @{ Type = $Type; Settings = $Settings } }
}

# CNI's configuration: win-overlay, with host-local for addresses of the node's range. The policies are those of the CNI
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

# Replaces a rule for another port, which its display name shows. Returns whether anything changed.
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
