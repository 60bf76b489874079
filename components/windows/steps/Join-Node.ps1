<#
.SYNOPSIS
Joins this machine to a Kubernetes cluster with kubeadm and starts kubelet.

.DESCRIPTION
Standard input is one JSON object {"token": "<id>.<secret>", "caCertHashes": ["sha256:<64 hex digits>", ...]}, so that
the token is never on a command line. The token is written to a configuration file that only administrators can read.
The file is removed when kubeadm has ended, or after a power cut by the next step. If the machine has already joined
this cluster, the step only updates kubelet's arguments and service, and restarts kubelet. A machine that is in another
cluster, or whose join was interrupted, is reset first.

.PARAMETER NodeName
Name of the node: a DNS label in lower case, the computer's name. Default: none, mandatory. Source: Machine.name.

.PARAMETER ApiServerEndpoint
host:port of the API server as this machine reaches it, e.g. kindows-dev-control-plane:6443. Default: none, mandatory.
Source: ControlPlane.endpoint.

.PARAMETER CriSocket
Endpoint of the container runtime. Default: npipe:////./pipe/containerd-containerd, containerd's own.

.PARAMETER NodeIp
IPv4 address that the node registers with and at which other nodes reach it. This machine must have it. Default:
none, mandatory. Source: settings, nodes[].nodeIp, else Machine.address.

.PARAMETER NodeLabels
Labels the node registers with, as name=value pairs separated by commas. Empty: none. Default: empty. Source: settings,
nodes[].labels.

.PARAMETER NodeTaints
Taints the node registers with, as name=value:Effect (or name:Effect), separated by commas. Empty: none. Default: empty.
Source: settings, nodes[].taints.

.PARAMETER KubeletArgs
Arguments of kubelet in addition to those of this step and Install-Kubernetes, as name=value pairs without dashes,
separated by spaces. They are first tried with kubelet.exe; the step fails if it refuses one. Empty: none. Default:
empty. Source: settings, nodes[].kubeletArgs.

.PARAMETER TimeoutSeconds
Time limit in seconds for the whole join, including kubeadm's own waits. Default: 300.

.OUTPUTS
Facts of the result (lib/Step.ps1): nodeName, apiServerEndpoint, alreadyJoined, wasReset, clockMovedSeconds (0 if the
clock agreed with the API server's).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 13 SecretMissing; 14
CommandFailed; 15 CommandTimedOut; 16 DiskFull; 34 ServiceNotRunning; 50 ApiServerUnreachable; 51 JoinFailed; 52
JoinTimedOut; 53 KubeletArgsRefused; 54 KubernetesMissing; 55 ResetFailed; 56 NodeIpMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$', Options = 'None')]
    [string] $NodeName,
    [Parameter(Mandatory)] [ValidatePattern('^[-.0-9A-Za-z]+:[0-9]{1,5}$')] [string] $ApiServerEndpoint,
    [ValidatePattern('^npipe:////\./pipe/[-.0-9A-Za-z]+$')]
    [string] $CriSocket = 'npipe:////./pipe/containerd-containerd',
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]{1,3}(\.[0-9]{1,3}){3}$')] [string] $NodeIp,
    [ValidatePattern('^([-._/0-9A-Za-z]+=[-._0-9A-Za-z]*(,[-._/0-9A-Za-z]+=[-._0-9A-Za-z]*)*)?$')]
    [string] $NodeLabels = '',
    [ValidatePattern('^([-._/0-9A-Za-z]+(=[-._0-9A-Za-z]*)?:(NoSchedule|PreferNoSchedule|NoExecute)(,[-._/0-9A-Za-z]+(=[-._0-9A-Za-z]*)?:(NoSchedule|PreferNoSchedule|NoExecute))*)?$', Options = 'None')]
    [string] $NodeTaints = '',
    [ValidatePattern('^([a-z][-a-z0-9]*=[!#$&-~]*( [a-z][-a-z0-9]*=[!#$&-~]*)*)?$', Options = 'None')]
    [string] $KubeletArgs = '',
    [ValidateRange(30, 3600)] [int] $TimeoutSeconds = 300
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\MachinePath.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeletService.ps1')
. (Join-Path $PSScriptRoot 'lib\Flannel.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeadmJoin.ps1')
. (Join-Path $PSScriptRoot 'lib\Membership.ps1')
. (Join-Path $PSScriptRoot 'lib\ApiServer.ps1')
. (Join-Path $PSScriptRoot 'lib\OwnAddress.ps1')

Invoke-Step -Name 'Join-Node' -Body {
    $secret = Read-JoinSecret
    if (-not (Test-Path -LiteralPath 'C:\k\kubeadm.exe') -or -not (Test-Service -Name 'kubelet')) {
        Stop-Step -Code 'KubernetesMissing' -Message 'There is no C:\k\kubeadm.exe or no service kubelet.' `
            -Remedy 'Run Install-Kubernetes first.'
    }
    # kubelet starts with an address that the machine lacks, but its node never becomes Ready.
    Assert-NodeAddress -Address $NodeIp
    # kubeadm looks for kubelet.exe on the PATH, and this session's PATH may be older than the entry.
    Update-ProcessPath
    $arguments = @("--hostname-override=$NodeName", "--node-ip=$NodeIp")
    if ($NodeLabels -ne '') { $arguments += "--node-labels=$NodeLabels" }
    if ($NodeTaints -ne '') { $arguments += "--register-with-taints=$NodeTaints" }
    $extra = @($KubeletArgs -split ' ' | Where-Object { $_ -ne '' } | ForEach-Object { "--$_" })
    if ($extra.Count -gt 0) {
        Assert-KubeletArgument -Argument $extra
        $arguments += $extra
    }
    $commandLine = Get-KubeletCommandLine -NodeArgument $arguments

    $clock = [Diagnostics.Stopwatch]::StartNew()
    Wait-ApiServer -Endpoint $ApiServerEndpoint -TimeoutSeconds ([math]::Min(90, $TimeoutSeconds))
    $hasBootTime = Test-CalicoBootTime
    $clockMoved = Sync-Clock -Endpoint $ApiServerEndpoint
    if ($clockMoved -ne 0 -and $hasBootTime) {
        # Windows' boot time has moved with the clock.
        Set-CalicoBootTime
    }

    $cluster = Get-ClusterIdentity -ApiServerEndpoint $ApiServerEndpoint -CaCertHashes $secret.caCertHashes
    $recorded = Get-JoinRecord
    $alreadyJoined = $recorded -eq $cluster -and (Test-NodeCredentials)
    $wasReset = $false
    if (-not $alreadyJoined -and (Test-JoinRemains)) {
        Write-StepProgress -Message 'what another cluster or a join that was cut short left here is removed first'
        Reset-Membership -CriSocket $CriSocket -TimeoutSeconds 120
        $wasReset = $true
    }

    $changed = -not $alreadyJoined -or $clockMoved -ne 0
    if (-not $alreadyJoined) {
        # flanneld still uses the earlier cluster's API server and range. Its network stays until it starts again.
        Stop-ServiceIfPresent -Name 'flanneld'
        $configuration = New-JoinConfiguration -NodeName $NodeName -ApiServerEndpoint $ApiServerEndpoint `
            -CriSocket $CriSocket -Taints $NodeTaints -Secret $secret -TimeoutSeconds $TimeoutSeconds
        $left = $TimeoutSeconds - [int]$clock.Elapsed.TotalSeconds
        Join-Cluster -Configuration $configuration -Token $secret.token -CriSocket $CriSocket `
            -Cluster $cluster -CommandLine $commandLine -TimeoutSeconds $left
    }

    if ($alreadyJoined) {
        $changed = ((Get-Service -Name 'kubelet').Status -ne 'Running') -or $changed
        # Restarted, because kubelet only registers its Node when it starts, and somebody may have deleted the Node.
        Stop-ServiceInTime -Name 'kubelet'
    }
    # Automatic, so that the node comes back after a reboot.
    $changed = (Set-KubeletService -CommandLine $commandLine -StartMode Automatic) -or $changed
    Start-ServiceInTime -Name 'kubelet' -TimeoutSeconds 60 -LogPath $KubeletLogPath
    $null = Start-UsedFlanneld

    New-StepResult -Changed $changed -Facts ([ordered]@{
            nodeName          = $NodeName
            apiServerEndpoint = $ApiServerEndpoint
            alreadyJoined     = $alreadyJoined
            wasReset          = $wasReset
            clockMovedSeconds = $clockMoved
        })
}
