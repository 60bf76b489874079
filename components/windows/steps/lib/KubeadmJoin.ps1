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

<#
.SYNOPSIS
Runs kubeadm join with a configuration that exists as a file only while it runs, open to administrators only.

.DESCRIPTION
No preflight error is ignored: on Windows Server 2022 none is to be expected.

.PARAMETER Configuration
What New-JoinConfiguration returned.

.PARAMETER Token
The token in it, to be hidden in what kubeadm writes.

.PARAMETER TimeoutSeconds
Seconds the join may take.
#>
function Invoke-KubeadmJoin {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Configuration,

        [Parameter(Mandatory = $true)]
        [string] $Token,

        [Parameter(Mandatory = $true)]
        [int] $TimeoutSeconds
    )

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

<#
.SYNOPSIS
Says what to do about what kubeadm complained of.

.PARAMETER Message
The error, with kubeadm's last lines.

.PARAMETER Default
The remedy where none of the known complaints is in it.
#>
function Get-JoinRemedy {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Message,

        [Parameter(Mandatory = $true)]
        [AllowEmptyString()]
        [string] $Default
    )

    foreach ($pattern in $JoinComplaints.Keys) {
        if ($Message -match $pattern) {
            return $JoinComplaints[$pattern]
        }
    }
    $Default
}

<#
.SYNOPSIS
Joins, and where a node of this name still counts as Ready waits for the cluster to notice that it has gone.

.DESCRIPTION
A machine made anew under the name of one that was just destroyed meets its predecessor's Node: kubeadm refuses while
that one is Ready, which it stays for about 50 s after its last sign of life (node-monitor-grace-period). This is the
only error that is tried again.

.PARAMETER Configuration
What New-JoinConfiguration returned.

.PARAMETER Token
The token in it, to be hidden in what kubeadm writes.

.PARAMETER CriSocket
Endpoint of the container runtime, for the reset between two tries.

.PARAMETER Cluster
Identity of the cluster, recorded before each try.

.PARAMETER CommandLine
Command line of the service kubelet on this node, given to it before each try.

.PARAMETER TimeoutSeconds
Seconds all tries together may take.
#>
function Join-Cluster {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Configuration,

        [Parameter(Mandatory = $true)]
        [string] $Token,

        [Parameter(Mandatory = $true)]
        [string] $CriSocket,

        [Parameter(Mandatory = $true)]
        [string] $Cluster,

        [Parameter(Mandatory = $true)]
        [string] $CommandLine,

        [Parameter(Mandatory = $true)]
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
