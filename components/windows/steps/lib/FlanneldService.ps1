# The Windows service flanneld: its output written and rotated by kube-log-runner, started again after every end.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'ServiceSettings.ps1')

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

# Which Node is its own. Returns whether it was another, and then leaves the service stopped.
function Set-FlanneldNode {
    param([string] $NodeName)
    Set-ServiceEnvironment -Name 'flanneld' -Variable 'NODE_NAME' -Value "NODE_NAME=$NodeName"
}

# Automatic is the mark of a node whose network it has made: it holds even when the step that stopped flanneld was
# killed before this. Returns whether it did not run.
function Start-UsedFlanneld {
    Start-AutomaticService -Name 'flanneld' -LogPath $FlanneldLogPath
}

# Before the node joins another cluster: flanneld knows the old one's API server and range from its start. Its network
# stays until it is started again.
function Stop-UsedFlanneld {
    Stop-ServiceIfPresent -Name 'flanneld'
}
