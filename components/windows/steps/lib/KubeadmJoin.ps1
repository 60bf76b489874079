# Joins a cluster with kubeadm: reads the secret, writes the configuration, and runs kubeadm.

. (Join-Path $PSScriptRoot 'StandardInput.ps1')

# Reads {"token": ..., "caCertHashes": [...]} from standard input, because others can read command lines. Errors never
# repeat the input.
function Read-JoinSecret {
    $remedy = 'Give one JSON object with token and caCertHashes on standard input, and end the input.'
    $secret = Read-StandardInput -Remedy $remedy
    if ($null -eq $secret -or $null -eq $secret.PSObject.Properties['token'] -or
        $secret.token -cnotmatch '^[a-z0-9]{6}\.[a-z0-9]{16}$') {
        Stop-Step -Code 'SecretMissing' -Remedy $remedy `
            -Message 'Standard input has no token of the form <6>.<16> lower-case characters.'
    }
    if ($null -eq $secret.PSObject.Properties['caCertHashes'] -or @($secret.caCertHashes).Count -eq 0 -or
        @($secret.caCertHashes | Where-Object { $_ -cnotmatch '^sha256:[0-9a-f]{64}$' }).Count -gt 0) {
        Stop-Step -Code 'SecretMissing' -Remedy $remedy `
            -Message 'Standard input has no caCertHashes of the form sha256:<64 hex digits>.'
    }
    $secret
}

# Parses "name=value:Effect,...".
function ConvertTo-Taint {
    param([string] $Taints)
    foreach ($taint in $Taints -split ',' | Where-Object { $_ -ne '' }) {
        $pair, $effect = $taint -split ':', 2
        $parts = @($pair -split '=', 2)
        $value = if ($parts.Count -gt 1) { $parts[1] } else { '' }
        [ordered]@{ key = $parts[0]; value = $value; effect = $effect }
    }
}

# Returns the configuration as JSON, which is also YAML, for kubeadm.k8s.io/v1beta4 (Kubernetes 1.31 and later). It
# contains the token. Discovery gets a third of the time, because kubeadm retries until its end before it reports an
# error, such as an expired token. The other phases may take as long as the whole join.
function New-JoinConfiguration {
    param(
        [string] $NodeName, [string] $ApiServerEndpoint, [string] $CriSocket, [string] $Taints,
        [pscustomobject] $Secret, [int] $TimeoutSeconds
    )
    $limit = "$($TimeoutSeconds)s"
    $discoveryLimit = "$([math]::Floor($TimeoutSeconds / 3))s"
    ConvertTo-Json -Depth 6 -InputObject ([ordered]@{
            apiVersion       = 'kubeadm.k8s.io/v1beta4'
            kind             = 'JoinConfiguration'
            discovery        = [ordered]@{
                bootstrapToken = [ordered]@{
                    apiServerEndpoint = $ApiServerEndpoint
                    token             = $Secret.token
                    caCertHashes      = @($Secret.caCertHashes)
                }
            }
            nodeRegistration = [ordered]@{
                name      = $NodeName
                criSocket = $CriSocket
                taints    = @(ConvertTo-Taint -Taints $Taints)
            }
            timeouts         = [ordered]@{
                discovery          = $discoveryLimit
                tlsBootstrap       = $limit
                kubeletHealthCheck = $limit
            }
        })
}

$JoinComplaints = [ordered]@{
    'not yet valid|has expired or is not' =
        'Set the clock of this machine (w32tm /resync): it differs from the control plane''s. Then run again.'
    'none of the public keys'             =
        'The CA hash is another cluster''s: look at what answers at the endpoint (Set-HostsEntry), then run again.'
    'JWS signature|token id'              =
        'The token has expired or was deleted: run again, which makes a new one (cluster.tokenTtlMinutes).'
}

# The configuration is in a file only while kubeadm runs, and only administrators can read it. $Token is hidden in
# kubeadm's output. No preflight error is ignored, because none is expected on Windows Server 2022.
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
    finally { Remove-SecretRemains }
}

function Get-JoinRemedy {
    param([string] $Message, [string] $Default)
    foreach ($pattern in $JoinComplaints.Keys) {
        if ($Message -match $pattern) { return $JoinComplaints[$pattern] }
    }
    $Default
}

# If a machine with the same name was just destroyed, its Node may still exist. kubeadm refuses to join while that Node
# is Ready, which it stays for about 50 s after its last heartbeat (node-monitor-grace-period). Only this error is
# retried.
function Join-Cluster {
    param(
        [string] $Configuration, [string] $Token, [string] $CriSocket, [string] $Cluster,
        [string] $CommandLine, [int] $TimeoutSeconds
    )
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while ($true) {
        $left = [int][math]::Max(30, $TimeoutSeconds - $clock.Elapsed.TotalSeconds)
        # Stopped, because a running kubelet uses the port that kubeadm checks. Manual until the node has joined.
        Stop-ServiceInTime -Name 'kubelet'
        $null = Set-KubeletService -CommandLine $CommandLine -StartMode Manual
        # From the join on kubelet also exits on purpose, e.g. after receiving its certificate.
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
