# Files with a join token that a run which was cut short left behind. The frame of every step removes them.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$JoinConfigurationPath = 'C:\kindows\state\join-configuration.json'
$JoinRecordPath = 'C:\kindows\state\join.json'
$BootstrapConfigPath = 'C:\etc\kubernetes\bootstrap-kubelet.conf'

# Called while no other step runs, so whoever wrote them is dead. Our own configuration of kubeadm, and the kubeconfig
# by which kubelet asks for its certificate; kubeadm removes that one at the end of a join, unless it is killed before.
# One of a join that was not ours (no record of it) is left alone.
function Remove-SecretRemains {
    $paths = @($JoinConfigurationPath)
    if (Test-Path -LiteralPath $JoinRecordPath) {
        $paths += $BootstrapConfigPath
    }
    foreach ($path in $paths) {
        if (Test-Path -LiteralPath $path) {
            Remove-Item -LiteralPath $path -Force
        }
    }
}
