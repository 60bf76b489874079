<#
.SYNOPSIS
Pulls container images that every node needs, so that nodes made from this machine's disk already have them.

.DESCRIPTION
Runs while a Windows image is built, after Install-Containerd. Complete images are skipped. The others are pulled by
ctr, with the given proxy and for this version of Windows only. An image that can't be pulled is not an error, because
the node pulls it. The result has the names of such images and the reasons.

.PARAMETER Images
The images with registry and tag, e.g. registry.k8s.io/pause:3.10.2, separated by commas. Empty: none. Default: none,
mandatory. Source: images/windows/bake.ts.

.PARAMETER Proxy
Proxy for the registries, as scheme, address and port. Empty: no proxy. Default: empty. Source:
images/windows/builder/way-out.ts.

.PARAMETER TimeoutSeconds
Time limit in seconds for all images together. Default: 600. Source: images/windows/bake.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): present, pulled, missing, warning (empty if none is missing).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 34 ServiceNotRunning; 41 ContainerdMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [AllowEmptyString()] [ValidatePattern('^([a-z0-9][-._/:@A-Za-z0-9]*(,[a-z0-9][-._/:@A-Za-z0-9]*)*)?$')]
    [string] $Images,
    [ValidatePattern('^([a-z]+://[-.0-9A-Za-z]+:[0-9]+)?$')] [string] $Proxy = '',
    [ValidateRange(1, 3600)] [int] $TimeoutSeconds = 600
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\Services.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainerImage.ps1')

Invoke-Step -Name 'Add-ContainerImage' -Body {
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $wanted = @($Images -split ',' | Where-Object { $_ -ne '' })
    if (-not (Test-Service -Name 'containerd')) {
        Stop-Step -Code 'ContainerdMissing' -Message 'There is no service containerd.' `
            -Remedy 'Run Install-Containerd first.'
    }
    Start-Containerd
    # For ctr, which this process starts. containerd is not affected. An empty value means no proxy.
    $env:HTTPS_PROXY = $Proxy
    $ctr = "$env:ProgramFiles\containerd\ctr.exe"
    $present = @()
    $pulled = @()
    $missing = @()
    $reasons = @()
    if (-not (Test-Path -LiteralPath $ctr)) {
        $missing = $wanted
        $reasons = @("there is no $ctr")
    }
    else {
        $there = @(Get-WholeImage -Ctr $ctr)
        foreach ($image in $wanted) {
            if ($there -contains $image) {
                $present += $image
                continue
            }
            $left = $TimeoutSeconds - [int]$clock.Elapsed.TotalSeconds
            $problem = Add-Image -Ctr $ctr -Image $image -TimeoutSeconds $left
            if ($problem -eq '') {
                $pulled += $image
            }
            else {
                $missing += $image
                $reasons += "${image}: $problem"
            }
        }
    }
    $warning = ''
    if ($missing.Count -gt 0) {
        $warning = "$($missing.Count) of $($wanted.Count) container images were not pulled, so each node pulls " +
        "them: $($reasons -join '; ')"
    }
    New-StepResult -Changed ($pulled.Count -gt 0) -Facts ([ordered]@{
            present = $present
            pulled  = $pulled
            missing = $missing
            warning = $warning
        })
}
