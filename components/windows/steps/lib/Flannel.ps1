# The Windows service flanneld, and the HNS network that it creates for pods.

. (Join-Path $PSScriptRoot 'Services.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'ExternalNetwork.ps1')

$FlanneldLogPath = 'C:\var\log\flanneld\flanneld.log'

# Uses kubelet's kubeconfig, whose certificate kubelet renews. The paths of net-conf.json and subnet.env are the
# defaults of flanneld and its CNI plugin, on drive C:. flanneld finds its adapter by $NodeIp.
function Get-FlanneldCommandLine {
    param([string] $NodeIp)
    @(
        'C:\k\flanneld-service.exe'
        'C:\k\kube-log-runner.exe', '--log-file=C:/var/log/flanneld/flanneld.log'
        '--log-file-size=50Mi', '--log-file-age=168h'
        'C:\k\flanneld.exe', '--kube-subnet-mgr', '--ip-masq'
        '--kubeconfig-file=C:/etc/kubernetes/kubelet.conf'
        '--net-config-path=C:/etc/kube-flannel/net-conf.json'
        '--subnet-file=C:/run/flannel/subnet.env'
        "--iface=$NodeIp"
    ) -join ' '
}

# Name of the network that flanneld makes for its configuration (its vxlan_windows.go, hostgw_windows.go).
function Get-FlannelNetworkName {
    param([string] $NetConf)
    if ($NetConf -match '"Type"\s*:\s*"host-gw"') { 'cbr0' } else { 'flannel.4096' }
}

# Starts flanneld if it has created its network, which its start type Automatic shows, even if the step that stopped it
# was killed. Returns whether the service had to be started.
function Start-UsedFlanneld {
    Start-AutomaticService -Name 'flanneld' -LogPath $FlanneldLogPath
}

# Removes the networks of Flannel's other backend, whose switch hides the adapter from the one of this. Pods lose their
# network with it, until they are started anew. Returns whether there was one.
function Remove-OtherFlannelNetwork {
    param([string] $Name)
    $others = @(Get-HnsNetwork -ErrorAction Stop | Where-Object {
            $null -ne $_ -and $_.Name -ne $Name -and @('cbr0', 'flannel.4096') -contains $_.Name
        })
    if ($others.Count -eq 0) { return $false }
    Stop-ServiceIfPresent -Name 'flanneld'
    foreach ($network in $others) { $network | Remove-HnsNetwork -ErrorAction Stop }
    $true
}

# Starts flanneld, which creates its network. Older guides create a network first. That fails, because flanneld gives
# HNS the adapter that has the node's address, which would then be a switch's virtual adapter, and HNS refuses those
# (Azure/azure-container-networking#813). The service is set to start with Windows, because the network does not survive
# a reboot (vxlan's EnableNonPersistent).
function Start-FlannelNetwork {
    param([string] $Name, [int] $TimeoutSeconds = 180)
    if (-not (Test-Service -Name 'flanneld')) {
        throw 'There is no service flanneld: run Install-Flannel first.'
    }
    Edit-Service -Name 'flanneld' -Setting @{ StartMode = 'Automatic' }
    # A copy, because where the block runs, $Name is the service's name.
    $network = $Name
    Start-ServiceInTime -Name 'flanneld' -TimeoutSeconds $TimeoutSeconds -LogPath $FlanneldLogPath `
        -Ready { Test-ExternalNetwork -Name $network }
    if ($Name -eq 'cbr0') { Save-BridgeAddress -Name $Name }
}

# Reserves the pods' gateway on a bridge: the second address of the node's range, which flanneld gives the machine
# itself (hostgw_windows.go) and win-bridge expects, and which host-local would otherwise give to the first pod.
# host-local has a file for each address in use, whose content names the owner.
function Save-BridgeAddress {
    param([string] $Name, [string] $RecordFolder = 'C:\var\lib\cni\networks')
    $network = Get-ExternalNetwork -Name $Name
    $bytes = ([Net.IPAddress](([string]$network.Subnets[0].AddressPrefix -split '/')[0])).GetAddressBytes()
    $bytes[3] += 2
    $folder = Join-Path $RecordFolder $Name
    $record = Join-Path $folder ($bytes -join '.')
    if (-not (Test-Path -LiteralPath $record)) { Write-WholeText -Path $record -Text "$($Name)_ep`r`neth0" }
}
