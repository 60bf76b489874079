# The Windows service flanneld, and the pods' network in HNS that it makes.

. (Join-Path $PSScriptRoot 'Services.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'ExternalNetwork.ps1')

$FlanneldLogPath = 'C:\var\log\flanneld\flanneld.log'

# With kubelet's own kubeconfig: its certificate renews itself. Where net-conf.json and subnet.env are is flanneld's
# default and that of its CNI plugin: /etc/kube-flannel and /run/flannel, on drive C:. By $NodeIp flanneld finds its
# adapter.
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

# Automatic is the mark of a node whose network it has made: it holds even when the step that stopped flanneld was
# killed before this. Returns whether it did not run.
function Start-UsedFlanneld {
    Start-AutomaticService -Name 'flanneld' -LogPath $FlanneldLogPath
}

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
    if ($Name -eq 'cbr0') { Save-BridgeAddress -Name $Name }
}

# Keeps pods from the address that is their gateway on a bridge: the second of the node's range, which flanneld gives
# the machine itself (hostgw_windows.go) and win-bridge takes for granted, and host-local would hand out as the first.
# host-local's records: a file for each address in use, by its name, and whose it is in it.
function Save-BridgeAddress {
    param([string] $Name, [string] $RecordFolder = 'C:\var\lib\cni\networks')
    $network = Get-ExternalNetwork -Name $Name
    $bytes = ([Net.IPAddress](([string]$network.Subnets[0].AddressPrefix -split '/')[0])).GetAddressBytes()
    $bytes[3] += 2
    $folder = Join-Path $RecordFolder $Name
    $record = Join-Path $folder ($bytes -join '.')
    if (-not (Test-Path -LiteralPath $record)) { Write-WholeText -Path $record -Text "$($Name)_ep`r`neth0" }
}
