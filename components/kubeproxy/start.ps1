<#
.SYNOPSIS
    Starts kube-proxy for Windows on the pods' HNS network.
.DESCRIPTION
    Runs in a HostProcess container of the image sigwindowstools/kube-proxy, or of one's own, in place of the image's own
    script. That one sets the feature gates WinDSR and WinOverlay, which Kubernetes removes; both have been on for good
    since 1.34. Waits until the pod network is there and, on an overlay, its host endpoint, or has an address of the
    pods' own range reserved where the network has no such endpoint; removes the load balancing
    policies of an earlier kube-proxy, which it would trip over; then runs kube-proxy until that ends.
    Direct server return needs Windows Server 2019 or later: every Windows that becomes a node here has it.
.PARAMETER NetworkName
    HNS network of the pods; Calico's is called Calico, Flannel's flannel.4096 (VXLAN) or cbr0 (plain routes).
.PARAMETER EndpointName
    HNS endpoint whose address kube-proxy uses as its source on an overlay network; none: there is none, as with Flannel,
    and host-local, which gives Flannel's pods theirs, reserves one.
.PARAMETER TimeoutSeconds
    Longest wait for the network, and again for the endpoint; after it the container ends, and the kubelet starts it again.
#>
[CmdletBinding()]
param(
    [ValidateNotNullOrEmpty()]
    [string] $NetworkName = 'Calico',

    [ValidateNotNullOrEmpty()]
    [string] $EndpointName = 'Calico_ep',

    [ValidateRange(1, 3600)]
    [int] $TimeoutSeconds = 600
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Looks once a second until the script block gives something; says what it waits for once a minute.
function Wait-HnsObject {
    param([string] $Description, [scriptblock] $Look)
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $seconds = 0
    while ($clock.Elapsed.TotalSeconds -lt $TimeoutSeconds) {
        $found = & $Look
        if ($null -ne $found) { return $found }
        if ($seconds % 60 -eq 0) { "waiting for the $Description, at most $TimeoutSeconds s" | Out-Host }
        $seconds++
        Start-Sleep -Seconds 1
    }
    throw "waited $TimeoutSeconds s for the ${Description}: look at the pod network's own pod on this node"
}

# An address that no pod gets, the same one each time. By the plugin and in the records that give the pods theirs, so the
# name must be that of the CNI configuration: the network's own.
function Get-ReservedAddress {
    param([string] $Name, [string] $Subnet, [string] $Plugin, [string] $RecordFolder)
    $owner = 'kindows-source-vip'
    $records = Join-Path $RecordFolder $Name
    if (Test-Path -LiteralPath $records) {
        # One file for each address, by its name; its first line is whose it is.
        foreach ($file in Get-ChildItem -LiteralPath $records -File) {
            if ($file.Name -match '^[0-9.]+$' -and
                (Get-Content -LiteralPath $file.FullName | Select-Object -First 1) -eq $owner) {
                return $file.Name
            }
        }
    }
    $request = ConvertTo-Json -Depth 5 -Compress -InputObject @{
        cniVersion = '1.0.0'
        name       = $Name
        ipam       = @{ type = 'host-local'; dataDir = $RecordFolder; ranges = , @(, @{ subnet = $Subnet }) }
    }
    $variables = @{
        CNI_COMMAND = 'ADD'; CNI_CONTAINERID = $owner; CNI_NETNS = $owner; CNI_IFNAME = 'eth0'
        CNI_PATH    = Split-Path -Path $Plugin
    }
    foreach ($variable in $variables.Keys) {
        [Environment]::SetEnvironmentVariable($variable, $variables[$variable], 'Process')
    }
    try {
        $answer = ($request | & $Plugin) -join "`n"
    } finally {
        foreach ($variable in $variables.Keys) {
            [Environment]::SetEnvironmentVariable($variable, $null, 'Process')
        }
    }
    if ($LASTEXITCODE -ne 0) { throw "host-local.exe reserves no address in ${Subnet}: $answer" }
    ((ConvertFrom-Json -InputObject $answer).ips[0].address -split '/')[0]
}

# kube-proxy would try for ever to reach a server whose name this node can't resolve.
function Assert-ServerName {
    param([string] $Kubeconfig)
    if ((Get-Content -LiteralPath $Kubeconfig -Raw) -notmatch '(?m)^\s*server:\s*(https://\S+)') {
        throw "$Kubeconfig names no server: look at the ConfigMap kube-proxy in kube-system"
    }
    $server = [uri] $Matches[1]
    try {
        $addresses = [System.Net.Dns]::GetHostAddresses($server.DnsSafeHost)
    } catch {
        throw "the API server's name $($server.DnsSafeHost) does not resolve on this node: it belongs into C:\Windows\System32\drivers\etc\hosts"
    }
    "the API server $($server.DnsSafeHost) is at $($addresses[0])" | Out-Host
}

# containerd 1.7 and later bind a volume to its own path, so the file's references to /var hold as they stand.
$kubeconfig = 'C:\var\lib\kube-proxy\kubeconfig.conf'

# Where the image's files are: kube-proxy.exe and, in sig-windows-tools' image, Microsoft's HNS module.
$imageFolder = Join-Path $env:CONTAINER_SANDBOX_MOUNT_POINT 'kube-proxy'
$program = Join-Path $imageFolder 'kube-proxy.exe'
if (-not (Test-Path -LiteralPath $program)) {
    throw 'the image has no kube-proxy\kube-proxy.exe: it is none of kube-proxy for Windows'
}
$module = Join-Path $imageFolder 'hns.psm1'
if (Test-Path -LiteralPath $module) {
    Import-Module -Force -DisableNameChecking $module
} else {
    # Windows' own, with the same names; it comes with the Containers feature.
    Import-Module -Force -DisableNameChecking HostNetworkingService
}
Assert-ServerName -Kubeconfig $kubeconfig

# Where HNS has none of something, its module may give one $null.
$network = Wait-HnsObject -Description "HNS network $NetworkName" -Look {
    Get-HnsNetwork | Where-Object { $null -ne $_ -and $_.Name -eq $NetworkName } | Select-Object -First 1
}

$arguments = @(
    "--hostname-override=$env:NODENAME"
    '--v=2'
    '--proxy-mode=kernelspace'
    "--kubeconfig=$kubeconfig"
    '--enable-dsr=true'
)
if ($network.Type -eq 'Overlay') {
    if ($EndpointName -eq 'none') {
        $sourceVip = Get-ReservedAddress -Name $NetworkName -Subnet $network.Subnets[0].AddressPrefix `
            -Plugin 'C:\opt\cni\bin\host-local.exe' -RecordFolder 'C:\var\lib\cni\networks'
    } else {
        $endpoint = Wait-HnsObject -Description "HNS endpoint $EndpointName" -Look {
            Get-HnsEndpoint | Where-Object { $null -ne $_ -and $_.Name -eq $EndpointName } |
                Select-Object -First 1
        }
        $sourceVip = $endpoint.IPAddress
    }
    $arguments += "--source-vip=$sourceVip"
}

$policies = @(Get-HnsPolicyList | Where-Object { $null -ne $_ })
if ($policies.Count -gt 0) {
    "removing $($policies.Count) load balancing policies of an earlier kube-proxy"
    $policies | Remove-HnsPolicyList
}

# kube-proxy reads its network's name from here.
$env:KUBE_NETWORK = $NetworkName
"starting kube-proxy.exe $($arguments -join ' ')"
& $program @arguments
exit $LASTEXITCODE
