<#
.SYNOPSIS
    Starts kube-proxy for Windows on Calico's HNS network.
.DESCRIPTION
    Runs in a HostProcess container of the image sigwindowstools/kube-proxy, in place of the image's own script. That
    one sets the feature gates WinDSR and WinOverlay, which Kubernetes removes; both have been on for good since 1.34.
    Waits until Calico has made its network and, on an overlay, its host endpoint; removes the load balancing policies
    of an earlier kube-proxy, which it would trip over; then runs kube-proxy until that ends.
.PARAMETER NetworkName
    HNS network of the pods; Calico's is called Calico.
.PARAMETER EndpointName
    HNS endpoint whose address kube-proxy uses as its source on an overlay network.
.PARAMETER TimeoutSeconds
    Longest wait for the network, and again for the endpoint; after it the container ends, and the kubelet starts it again.
#>
[CmdletBinding()]
param(
    [Parameter()]
    [ValidateNotNullOrEmpty()]
    [string] $NetworkName = 'Calico',

    [Parameter()]
    [ValidateNotNullOrEmpty()]
    [string] $EndpointName = 'Calico_ep',

    [Parameter()]
    [ValidateRange(1, 3600)]
    [int] $TimeoutSeconds = 600
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Looks once a second until the script block gives something; says what it waits for once a minute.
function Wait-HnsObject {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)] [string] $Description,
        [Parameter(Mandatory)] [scriptblock] $Look
    )
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $seconds = 0
    while ($clock.Elapsed.TotalSeconds -lt $TimeoutSeconds) {
        $found = & $Look
        if ($null -ne $found) {
            return $found
        }
        if ($seconds % 60 -eq 0) {
            Write-Output "waiting for the $Description, at most $TimeoutSeconds s" | Out-Host
        }
        $seconds++
        Start-Sleep -Seconds 1
    }
    throw "waited $TimeoutSeconds s for the ${Description}: look at the calico-node-windows pod of this node"
}

# Where the image's files are: kube-proxy.exe and Microsoft's HNS module.
$imageFolder = Join-Path $env:CONTAINER_SANDBOX_MOUNT_POINT 'kube-proxy'
Import-Module -Force -DisableNameChecking (Join-Path $imageFolder 'hns.psm1')

$network = Wait-HnsObject -Description "HNS network $NetworkName" -Look {
    Get-HnsNetwork | Where-Object { $_.Name -eq $NetworkName } | Select-Object -First 1
}

$arguments = @(
    "--hostname-override=$env:NODENAME"
    '--v=2'
    '--proxy-mode=kernelspace'
    # containerd 1.7 and later bind a volume to its own path, so the file's references to /var hold as they stand.
    '--kubeconfig=C:\var\lib\kube-proxy\kubeconfig.conf'
    '--enable-dsr=true'
)
if ($network.Type -eq 'Overlay') {
    $endpoint = Wait-HnsObject -Description "HNS endpoint $EndpointName" -Look {
        Get-HnsEndpoint | Where-Object { $_.Name -eq $EndpointName } | Select-Object -First 1
    }
    $arguments += "--source-vip=$($endpoint.IPAddress)"
}

$policies = @(Get-HnsPolicyList)
if ($policies.Count -gt 0) {
    Write-Output "removing $($policies.Count) load balancing policies of an earlier kube-proxy"
    $policies | Remove-HnsPolicyList
}

# kube-proxy reads its network's name from here.
$env:KUBE_NETWORK = $NetworkName
Write-Output "starting kube-proxy.exe $($arguments -join ' ')"
& (Join-Path $imageFolder 'kube-proxy.exe') @arguments
exit $LASTEXITCODE
