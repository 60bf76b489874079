<#
.SYNOPSIS
    Starts kube-proxy for Windows on the pods' HNS network.
.DESCRIPTION
    Runs in a HostProcess container of the image sigwindowstools/kube-proxy, or another one, instead of the image's own
    script. That script sets the feature gates WinDSR and WinOverlay, which Kubernetes removes; both have been locked to
    true since 1.34.

    Waits for the pods' HNS network. On an overlay network, also waits for the host endpoint or, if the network has none,
    reserves an address of the pods' range. Then removes the load balancing policies of an earlier kube-proxy, which would
    make this one fail, and runs kube-proxy until it ends.

    Direct server return needs Windows Server 2019 or later, like all Windows nodes here.
.PARAMETER NetworkName
    HNS network of the pods: Calico for Calico, flannel.4096 (VXLAN) or cbr0 (plain routes) for Flannel.
.PARAMETER EndpointName
    HNS endpoint whose address kube-proxy uses as its source on an overlay network. With 'none', as for Flannel, the CNI
    plugin host-local, which also assigns the addresses of Flannel's pods, reserves an address.
.PARAMETER TimeoutSeconds
    Longest wait for the network, and again for the endpoint. After that the container ends, and the kubelet restarts it.
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

# Runs the script block once a second until it returns an object. Reports once a minute what it waits for.
function Wait-HnsObject {
    param([string] $Description, [scriptblock] $Find)
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $seconds = 0
    while ($clock.Elapsed.TotalSeconds -lt $TimeoutSeconds) {
        $found = & $Find
        if ($null -ne $found) { return $found }
        if ($seconds % 60 -eq 0) { "waiting for the $Description, at most $TimeoutSeconds s" | Out-Host }
        $seconds++
        Start-Sleep -Seconds 1
    }
    throw "waited $TimeoutSeconds s for the ${Description}: check the pod network's own pod on this node"
}

# Returns an address of the pods' range that no pod gets, the same one every time. It is reserved with the plugin and
# the records that also assign the pods' addresses, so $Name must be the CNI configuration's name, which is the
# network's.
function Get-ReservedAddress {
    param([string] $Name, [string] $Subnet, [string] $Plugin, [string] $RecordFolder)
    $owner = 'kindows-source-vip'
    $records = Join-Path $RecordFolder $Name
    if (Test-Path -LiteralPath $records) {
        # host-local has a file for each address, named after it; the first line is the owner.
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
    if ($LASTEXITCODE -ne 0) { throw "host-local.exe could not reserve an address in ${Subnet}: $answer" }
    ((ConvertFrom-Json -InputObject $answer).ips[0].address -split '/')[0]
}

# Copies a kubeconfig, with the drive in the paths of its files: for kube-proxy.exe a path without one is relative to the
# kubeconfig's own folder, and kubeadm's begin with /var. containerd 1.7 and later mount a volume at its own path on C:.
function Copy-Kubeconfig {
    param([string] $Path, [string] $Target)
    $text = [IO.File]::ReadAllText($Path) -replace '(?m)^(\s*(?:certificate-authority|tokenFile):\s*)/', '${1}C:/'
    [IO.File]::WriteAllText($Target, $text)
}

# Fails if this node cannot resolve the API server's name, because kube-proxy would retry without end.
function Assert-ServerName {
    param([string] $Kubeconfig)
    if ([IO.File]::ReadAllText($Kubeconfig) -notmatch '(?m)^\s*server:\s*(https://\S+)') {
        throw "kube-proxy's kubeconfig names no server: check the ConfigMap kube-proxy in kube-system"
    }
    $server = [uri] $Matches[1]
    try {
        $addresses = [System.Net.Dns]::GetHostAddresses($server.DnsSafeHost)
    } catch {
        throw "the API server's name $($server.DnsSafeHost) does not resolve on this node: add it to C:\Windows\System32\drivers\etc\hosts"
    }
    "the API server $($server.DnsSafeHost) is at $($addresses[0])" | Out-Host
}

# Contains kube-proxy.exe and, in sig-windows-tools' image, Microsoft's HNS module.
$imageFolder = Join-Path $env:CONTAINER_SANDBOX_MOUNT_POINT 'kube-proxy'
# The node's own, if `kindows deploy` or the settings have put one there.
$program = 'C:\k\kube-proxy.exe'
if (-not (Test-Path -LiteralPath $program)) { $program = Join-Path $imageFolder 'kube-proxy.exe' }
if (-not (Test-Path -LiteralPath $program)) {
    throw 'the image has no kube-proxy\kube-proxy.exe: it is not an image of kube-proxy for Windows'
}
$module = Join-Path $imageFolder 'hns.psm1'
if (Test-Path -LiteralPath $module) {
    Import-Module -Force -DisableNameChecking $module
} else {
    # Windows' own module, which has the same functions and comes with the Containers feature.
    Import-Module -Force -DisableNameChecking HostNetworkingService
}
$kubeconfig = Join-Path $imageFolder 'kubeconfig.conf'
Copy-Kubeconfig -Path 'C:\var\lib\kube-proxy\kubeconfig.conf' -Target $kubeconfig
Assert-ServerName -Kubeconfig $kubeconfig

# The HNS module may return a single $null instead of nothing, here and below.
$network = Wait-HnsObject -Description "HNS network $NetworkName" -Find {
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
        $endpoint = Wait-HnsObject -Description "HNS endpoint $EndpointName" -Find {
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

# kube-proxy reads the network's name from this variable.
$env:KUBE_NETWORK = $NetworkName
"starting kube-proxy.exe $($arguments -join ' ')"
& $program @arguments
exit $LASTEXITCODE
