<#
.SYNOPSIS
Runs scripts of the user's on this machine before it joins the cluster, or in an image.

.DESCRIPTION
Each runs in a process of its own, without input, in C:\. Proxy, certificates, containerd and Kubernetes'
programs are there; kubelet does not run yet, unless the machine is a node already. What has run is
recorded in C:\kindows\state\scripts.json, so that a script runs once, or once with each content. A script that ends
with another exit code than 0 ends this step, and the next run begins with it.

.PARAMETER Scripts
The scripts in their order, as name=sha256=runs entries separated by semicolons; runs is once or changed. Each is at
C:\kindows\media\<sha256>.ps1. Default: none, mandatory. Source: settings, windows.scripts (before-join; image).

.PARAMETER TimeoutSeconds
Time limit in seconds for all scripts together. Default: 3600.

.OUTPUTS
Facts of the result (lib/Step.ps1): ran, skipped (names of scripts).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14
CommandFailed; 15 CommandTimedOut; 16 DiskFull; 30 MediumMissing; 31 ChecksumMismatch; 43 ScriptFailed.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[-._0-9A-Za-z]+=[0-9a-f]{64}=(once|changed)(;[-._0-9A-Za-z]+=[0-9a-f]{64}=(once|changed))*$', Options = 'None')]
    [string] $Scripts,
    [ValidateRange(1, 86400)] [int] $TimeoutSeconds = 3600
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\OwnScript.ps1')

Invoke-Step -Name 'Invoke-ScriptBeforeJoin' -Body {
    $run = Invoke-OwnScript -Scripts $Scripts -TimeoutSeconds $TimeoutSeconds
    New-StepResult -Changed ($run.Ran.Count -gt 0) -Facts ([ordered]@{ ran = $run.Ran; skipped = $run.Skipped })
}
