# Which cluster this machine belongs to, and leaving it.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$KubeletConfigPath = 'C:\etc\kubernetes\kubelet.conf'
$KubeletKeyFolder = 'C:\var\lib\kubelet\pki'
# Files that a join leaves, and at which kubeadm's preflight checks of the next join fail.
$JoinRemains = @(
    $KubeletConfigPath
    'C:\etc\kubernetes\bootstrap-kubelet.conf'
    'C:\etc\kubernetes\pki\ca.crt'
    'C:\var\lib\kubelet\config.yaml'
    'C:\var\lib\kubelet\instance-config.yaml'
    'C:\var\lib\kubelet\kubeadm-flags.env'
)

function Test-JoinRemains {
    @($JoinRemains | Where-Object { Test-Path -LiteralPath $_ }).Count -gt 0
}

# Whether TLS bootstrap is complete. kubelet writes kubelet.conf, which names its certificate, before it requests that
# certificate, so both files must exist.
function Test-NodeCredentials {
    (Test-Path -LiteralPath $KubeletConfigPath) -and
    (Test-Path -Path (Join-Path $KubeletKeyFolder 'kubelet-client-*.pem'))
}

function Get-ClusterIdentity {
    param([string] $ApiServerEndpoint, [string[]] $CaCertHashes)
    (@($ApiServerEndpoint) + @($CaCertHashes | Sort-Object)) -join ' '
}

# Returns the identity of the cluster that these steps have joined; nothing if the join was interrupted.
function Get-JoinRecord {
    if ((Read-WholeText -Path $JoinRecordPath) -match '^\{"cluster":"([^"\\]+)"\}$') { $Matches[1] }
}

# $Joining is recorded during a join. If the join is interrupted, the machine belongs to no cluster.
function Save-JoinRecord {
    param([string] $Cluster, [bool] $Joining)
    $record = if ($Joining) { @{ joining = $Cluster } } else { @{ cluster = $Cluster } }
    Save-Record -Path $JoinRecordPath -Record $record
}

# Runs kubeadm reset and removes what that leaves. The service kubelet is stopped and manual afterwards.
function Reset-Membership {
    param([string] $CriSocket, [int] $TimeoutSeconds)
    # Manual and without the node's arguments first, so that a restarted kubelet can't join.
    $null = Set-KubeletService -CommandLine (Get-KubeletCommandLine) -StartMode Manual
    # Without a cluster each restart would fail, and use the port that the next join checks.
    Set-ServiceRecovery -Name 'kubelet' -Restart $false
    Stop-ServiceInTime -Name 'kubelet'
    $null = Invoke-NativeCommand -FilePath 'C:\k\kubeadm.exe' `
        -ArgumentList 'reset', '--force', '--cri-socket', $CriSocket `
        -TimeoutSeconds $TimeoutSeconds -FailureCode 'ResetFailed' -TimeoutCode 'ResetFailed' `
        -Remedy 'Look whether containerd runs and whether pods hang; then run again.'
    foreach ($path in $JoinRemains + $KubeletKeyFolder + 'C:\etc\kubernetes\pki') {
        if (Test-Path -LiteralPath $path) { Remove-Item -LiteralPath $path -Recurse -Force }
    }
    Initialize-KubernetesFolder
    Remove-Record -Path $JoinRecordPath
}
