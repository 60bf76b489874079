<#
.SYNOPSIS
Joins this machine to a Kubernetes cluster with kubeadm and starts kubelet.

.DESCRIPTION
Standard input carries one JSON object {"token": "<id>.<secret>", "caCertHashes": ["sha256:<64 hex digits>", ...]}: the
token is never on a command line. It is written to a configuration file that only administrators can read, and that is
removed when kubeadm has ended. A machine that has already joined this very cluster only has its kubelet's arguments
and service checked. One that was joined to another cluster by this step, or whose join was cut short, is reset first.

.PARAMETER NodeName
Name of the node: a DNS label in lower case, the computer's name. Default: none, mandatory. Source: Machine.name.

.PARAMETER ApiServerEndpoint
host:port of the API server as this machine reaches it, e.g. kindows-dev-control-plane:6443. Default: none, mandatory.
Source: ControlPlane.endpoint.

.PARAMETER CriSocket
Endpoint of the container runtime. Default: npipe:////./pipe/containerd-containerd, containerd's own.

.PARAMETER NodeIp
IPv4 address under which the node is registered: the one other nodes reach it at. Default: none, mandatory. Source:
Machine.address.

.PARAMETER NodeLabels
Labels the node registers with, as name=value pairs separated by commas. Empty: none. Default: empty. Source: settings,
nodes[].labels.

.PARAMETER NodeTaints
Taints the node registers with, as name=value:Effect (or name:Effect), separated by commas. Empty: none. Default: empty.
Source: settings, nodes[].taints.

.PARAMETER TimeoutSeconds
Seconds the whole join may take. Default: 300. kubeadm's own waits inside are bounded by it as well.

.OUTPUTS
Last line of standard output: one JSON object {"step", "changed", "rebootRequired", "seconds", "facts"}, or {"step",
"error": {"code", "message", "remedy"}}. Facts: nodeName, apiServerEndpoint, alreadyJoined, wasReset.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 13 SecretMissing;
14 CommandFailed; 15 CommandTimedOut; 34 ServiceNotRunning; 50 ApiServerUnreachable; 51 JoinFailed; 52 JoinTimedOut;
53 JoinedElsewhere; 54 KubernetesMissing; 55 ResetFailed.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$', Options = 'None')]
    [string] $NodeName,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[-.0-9A-Za-z]+:[0-9]{1,5}$')]
    [string] $ApiServerEndpoint,

    [ValidatePattern('^npipe:////\./pipe/[-.0-9A-Za-z]+$')]
    [string] $CriSocket = 'npipe:////./pipe/containerd-containerd',

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[0-9]{1,3}(\.[0-9]{1,3}){3}$')]
    [string] $NodeIp,

    [AllowEmptyString()]
    [ValidatePattern('^([-._/0-9A-Za-z]+=[-._0-9A-Za-z]*(,[-._/0-9A-Za-z]+=[-._0-9A-Za-z]*)*)?$')]
    [string] $NodeLabels = '',

    [AllowEmptyString()]
    [ValidatePattern('^([-._/0-9A-Za-z]+(=[-._0-9A-Za-z]*)?:(NoSchedule|PreferNoSchedule|NoExecute)(,[-._/0-9A-Za-z]+(=[-._0-9A-Za-z]*)?:(NoSchedule|PreferNoSchedule|NoExecute))*)?$')]
    [string] $NodeTaints = '',

    [ValidateRange(30, 3600)]
    [int] $TimeoutSeconds = 300
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\MachinePath.ps1')
. (Join-Path $PSScriptRoot 'lib\ServiceState.ps1')
. (Join-Path $PSScriptRoot 'lib\KubernetesFolders.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeletService.ps1')
. (Join-Path $PSScriptRoot 'lib\JoinSecret.ps1')
. (Join-Path $PSScriptRoot 'lib\JoinConfiguration.ps1')
. (Join-Path $PSScriptRoot 'lib\Membership.ps1')
. (Join-Path $PSScriptRoot 'lib\ApiServer.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeadmJoin.ps1')

Invoke-Step -Name 'Join-Node' -Body {
    $secret = Read-JoinSecret
    if (-not (Test-Path -LiteralPath 'C:\k\kubeadm.exe') -or
        $null -eq (Get-Service -Name 'kubelet' -ErrorAction SilentlyContinue)) {
        Stop-Step -Code 'KubernetesMissing' -Message 'There is no C:\k\kubeadm.exe or no service kubelet.' `
            -Remedy 'Run Install-Kubernetes first.'
    }
    # kubeadm looks for kubelet.exe on the PATH, and this session may be older than the entry.
    Update-ProcessPath
    $clock = [Diagnostics.Stopwatch]::StartNew()
    Wait-ApiServer -Endpoint $ApiServerEndpoint -TimeoutSeconds ([math]::Min(90, $TimeoutSeconds))

    $cluster = Get-ClusterIdentity -ApiServerEndpoint $ApiServerEndpoint -CaCertHashes $secret.caCertHashes
    $recorded = Get-JoinRecord
    $alreadyJoined = $recorded -eq $cluster -and (Test-NodeCredentials)
    $wasReset = $false
    if (-not $alreadyJoined -and (Test-JoinRemains)) {
        if ($null -eq $recorded -and (Test-NodeCredentials)) {
            Stop-Step -Code 'JoinedElsewhere' `
                -Message 'This machine is a node already, joined by something else than this step.' `
                -Remedy 'If it may leave that cluster, run Reset-Node on it first; nothing was changed.'
        }
        Reset-Membership -CriSocket $CriSocket -TimeoutSeconds 120
        $wasReset = $true
    }

    $arguments = @("--hostname-override=$NodeName", "--node-ip=$NodeIp")
    if ($NodeLabels -ne '') { $arguments += "--node-labels=$NodeLabels" }
    if ($NodeTaints -ne '') { $arguments += "--register-with-taints=$NodeTaints" }
    $commandLine = Get-KubeletCommandLine -NodeArgument $arguments
    $changed = -not $alreadyJoined
    if (-not $alreadyJoined) {
        $configuration = New-JoinConfiguration -NodeName $NodeName -ApiServerEndpoint $ApiServerEndpoint `
            -CriSocket $CriSocket -Taints $NodeTaints -Secret $secret -TimeoutSeconds $TimeoutSeconds
        $left = $TimeoutSeconds - [int]$clock.Elapsed.TotalSeconds
        Join-Cluster -Configuration $configuration -Token $secret.token -CriSocket $CriSocket `
            -Cluster $cluster -CommandLine $commandLine -TimeoutSeconds $left
    }

    # From here on the node comes back by itself after a reboot.
    if (Set-KubeletService -CommandLine $commandLine -StartMode Automatic) {
        $changed = $true
        if ($alreadyJoined) {
            Stop-ServiceInTime -Name 'kubelet'
        }
    }
    if ((Get-Service -Name 'kubelet').Status -ne 'Running') {
        $changed = $true
    }
    Start-ServiceInTime -Name 'kubelet' -TimeoutSeconds 60 -LogPath $KubeletLogPath

    New-StepResult -Changed $changed -Facts ([ordered]@{
            nodeName          = $NodeName
            apiServerEndpoint = $ApiServerEndpoint
            alreadyJoined     = $alreadyJoined
            wasReset          = $wasReset
        })
}
