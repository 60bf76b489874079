# One run of kubeadm join.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# What kubeadm says, and what to do about it.
$JoinComplaints = [ordered]@{
    'not yet valid|has expired or is not' =
        'Set the clock of this machine (w32tm /resync): it differs from the control plane''s. Then run again.'
    'none of the public keys'             =
        'The CA hash is another cluster''s: look at what answers at the endpoint (Set-HostsEntry), then run again.'
    'JWS signature|token id'              =
        'The token has expired or was deleted: run again, which makes a new one (cluster.tokenTtlMinutes).'
}

# The configuration exists as a file only while kubeadm runs, open to administrators only; $Token in it is hidden in
# what kubeadm writes. No preflight error is ignored: on Windows Server 2022 none is to be expected.
function Invoke-KubeadmJoin {
    param([string] $Configuration, [string] $Token, [int] $TimeoutSeconds)
    Protect-Folder -Path (Split-Path -Path $JoinConfigurationPath)
    Write-ProtectedFile -Path $JoinConfigurationPath -Text $Configuration
    try {
        $null = Invoke-NativeCommand -FilePath 'C:\k\kubeadm.exe' -ArgumentList 'join', '--config', `
            $JoinConfigurationPath -TimeoutSeconds $TimeoutSeconds -FailureCode 'JoinFailed' `
            -TimeoutCode 'JoinTimedOut' -Hidden $Token `
            -Remedy "Read kubeadm's last lines above and $KubeletLogPath; the join can be run again."
    }
    catch [System.InvalidOperationException] {
        $_.Exception.Data['StepRemedy'] = Get-JoinRemedy -Message $_.Exception.Message `
            -Default ([string]$_.Exception.Data['StepRemedy'])
        throw
    }
    finally {
        Remove-SecretRemains
    }
}

function Get-JoinRemedy {
    param([string] $Message, [string] $Default)
    foreach ($pattern in $JoinComplaints.Keys) {
        if ($Message -match $pattern) {
            return $JoinComplaints[$pattern]
        }
    }
    $Default
}

# A machine recreated under the name of one that was just destroyed meets its predecessor's Node: kubeadm refuses while
# that one is Ready, which it stays for about 50 s after its last sign of life (node-monitor-grace-period). This is the
# only error that is tried again.
function Join-Cluster {
    param(
        [string] $Configuration,
        [string] $Token,
        [string] $CriSocket,
        [string] $Cluster,
        [string] $CommandLine,
        [int] $TimeoutSeconds
    )
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while ($true) {
        $left = [int][math]::Max(30, $TimeoutSeconds - $clock.Elapsed.TotalSeconds)
        # Manual until it has joined; kubeadm starts it. A running one would hold the port kubeadm checks.
        Stop-ServiceInTime -Name 'kubelet'
        $null = Set-KubeletService -CommandLine $CommandLine -StartMode Manual
        # From the join on it ends on purpose, too, for example when its certificate has come.
        Set-ServiceRecovery -Name 'kubelet' -Restart $true
        Save-JoinRecord -Cluster $Cluster -Joining $true
        try {
            Invoke-KubeadmJoin -Configuration $Configuration -Token $Token -TimeoutSeconds $left
            Save-JoinRecord -Cluster $Cluster -Joining $false
            return
        }
        catch [System.InvalidOperationException] {
            if ($_.Exception.Message -notmatch 'already exists in the cluster' -or
                $clock.Elapsed.TotalSeconds + 30 -gt $TimeoutSeconds) {
                throw
            }
            Write-StepProgress -Message 'a node of this name is still Ready in the cluster; waiting for it to go'
        }
        Reset-Membership -CriSocket $CriSocket -TimeoutSeconds 120
        Start-Sleep -Seconds 10
    }
}
