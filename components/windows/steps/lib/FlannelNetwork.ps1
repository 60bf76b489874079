# The pods' network in HNS that flanneld makes: the moment it does is the one in which the machine is cut off.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'ServiceState.ps1')
. (Join-Path $PSScriptRoot 'FlanneldService.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# No network is made beforehand, as older guides do: flanneld names the adapter to HNS that has the node's address, and
# with a switch on it that is a virtual one, which HNS refuses (Azure/azure-container-networking#813). From here on the
# service starts with Windows: the network is one that does not outlive a boot (vxlan's EnableNonPersistent).
function Start-FlannelNetwork {
    param([string] $Name, [int] $TimeoutSeconds = 180)
    if (-not (Test-Service -Name 'flanneld')) {
        throw 'There is no service flanneld: run Install-Flannel first.'
    }
    Edit-Service -Name 'flanneld' -Setting @{ StartMode = 'Automatic' }
    # Under another name: where the block runs, $Name is the service's.
    $network = $Name
    Start-ServiceInTime -Name 'flanneld' -TimeoutSeconds $TimeoutSeconds -LogPath $FlanneldLogPath `
        -Ready { Test-ExternalNetwork -Name $network }
    if ($Name -eq 'cbr0') {
        Save-BridgeAddress -Name $Name
    }
}

# Keeps pods from the address that is their gateway on a bridge: the second of the node's range, which flanneld gives
# the machine itself (hostgw_windows.go) and win-bridge takes for granted, and host-local would hand out as the first.
# host-local's records: a file for each address in use, by its name, and whose it is in it.
function Save-BridgeAddress {
    param([string] $Name, [string] $RecordFolder = 'C:\var\lib\cni\networks')
    $network = Get-HnsNetwork -ErrorAction Stop | Where-Object { $_.Name -eq $Name } |
        Select-Object -First 1
    $bytes = ([Net.IPAddress](([string]$network.Subnets[0].AddressPrefix -split '/')[0])).GetAddressBytes()
    $bytes[3] += 2
    $folder = Join-Path $RecordFolder $Name
    $record = Join-Path $folder ($bytes -join '.')
    if (-not (Test-Path -LiteralPath $record)) {
        Write-WholeText -Path $record -Text "$($Name)_ep`r`neth0"
    }
}
