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
15 CommandTimedOut; 55 ResetFailed.
#>
[CmdletBinding()]
param(
    [ValidatePattern('^npipe:////\./pipe/[-.0-9A-Za-z]+$')]
    [string] $CriSocket = 'npipe:////./pipe/containerd-containerd',

    [ValidateRange(30, 3600)]
    [int] $TimeoutSeconds = 300
)
