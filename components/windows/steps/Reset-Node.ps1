<#
.SYNOPSIS
Takes this machine out of its cluster: what Join-Node did is undone, what was installed stays.

.DESCRIPTION
Runs kubeadm reset, removes the node's certificates, kubeconfig files and kubelet's state, and leaves the service
kubelet stopped and manual, so that the machine can join again. Networks that a CNI made in HNS are left: removing them
cuts the connection this step runs over. Nothing to do on a machine that has not joined.

.PARAMETER CriSocket
Endpoint of the container runtime. Default: npipe:////./pipe/containerd-containerd, containerd's own.

.PARAMETER TimeoutSeconds
Seconds the whole reset may take. Default: 300.

.OUTPUTS
Last line of standard output: one JSON object {"step", "changed", "rebootRequired", "seconds", "facts"}, or {"step",
"error": {"code", "message", "remedy"}}. Facts: wasJoined.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed;
15 CommandTimedOut; 54 KubernetesMissing; 55 ResetFailed.
#>
[CmdletBinding()]
param(
    [ValidatePattern('^npipe:////\./pipe/[-.0-9A-Za-z]+$')]
    [string] $CriSocket = 'npipe:////./pipe/containerd-containerd',

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
. (Join-Path $PSScriptRoot 'lib\Membership.ps1')

Invoke-Step -Name 'Reset-Node' -Body {
    $wasJoined = Test-JoinRemains
    $installed = (Test-Path -LiteralPath 'C:\k\kubeadm.exe') -and
    $null -ne (Get-Service -Name 'kubelet' -ErrorAction SilentlyContinue)
    if ($wasJoined -and -not $installed) {
        Stop-Step -Code 'KubernetesMissing' -Remedy 'Run Install-Kubernetes, then this step again.' `
            -Message 'The machine has joined a cluster, but C:\k\kubeadm.exe or the service kubelet is gone.'
    }
    if ($wasJoined) {
        Update-ProcessPath
        Reset-Membership -CriSocket $CriSocket -TimeoutSeconds $TimeoutSeconds
    }
    New-StepResult -Changed $wasJoined -Facts ([ordered]@{ wasJoined = $wasJoined })
}
