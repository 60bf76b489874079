# Which cluster this machine belongs to, and how it leaves it.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$KubeletConfigPath = 'C:\etc\kubernetes\kubelet.conf'
$KubeletKeyFolder = 'C:\var\lib\kubelet\pki'
# What kubeadm and kubelet leave at a join, and kubeadm's preflight checks stumble over at the next one.
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

# Whether TLS bootstrap is through. kubelet writes kubelet.conf before it asks for its certificate, which is then named
# there: both must be.
function Test-NodeCredentials {
    (Test-Path -LiteralPath $KubeletConfigPath) -and
    (Test-Path -Path (Join-Path $KubeletKeyFolder 'kubelet-client-*.pem'))
}

function Get-ClusterIdentity {
    param([string] $ApiServerEndpoint, [string[]] $CaCertHashes)
    (@($ApiServerEndpoint) + @($CaCertHashes | Sort-Object)) -join ' '
}

# The identity of the cluster this machine has joined by these steps; nothing for a join that was cut short.
function Get-JoinRecord {
    if ((Read-WholeText -Path $JoinRecordPath) -match '^\{"cluster":"([^"\\]+)"\}$') { $Matches[1] }
}

# While $Joining: what is found after that was cut short belongs to no cluster.
function Save-JoinRecord {
    param([string] $Cluster, [bool] $Joining)
    $record = if ($Joining) { @{ joining = $Cluster } } else { @{ cluster = $Cluster } }
    Save-Record -Path $JoinRecordPath -Record $record
}

# kubeadm reset, then whatever that leaves; the service kubelet stopped and manual.
function Reset-Membership {
    param([string] $CriSocket, [int] $TimeoutSeconds)
    # Manual and without the node's arguments first: a kubelet that is restarted after this has nothing to join with.
    $null = Set-KubeletService -CommandLine (Get-KubeletCommandLine) -StartMode Manual
    # Without a cluster each new start would only fail, and hold the port that the next join checks.
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
