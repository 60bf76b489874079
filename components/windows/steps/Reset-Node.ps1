<#
.SYNOPSIS
Restores this machine to its state before it became a node.

.DESCRIPTION
Takes the machine out of its cluster (kubeadm reset; the cluster need not exist any more), then removes everything that
the steps, Kubernetes, Calico and Flannel put on it: services, container images, firewall rules, environment variables,
the machine's proxy, PATH entries, trusted certificates, the policy about updates, Calico's registry key, Defender's
exclusions, hosts entries, DNS servers, routes, folders, and the networks in HNS with their endpoints. The networks are
last, because removing them may cut the connection. If one part fails, the others are still removed, and the step ends
with an error. Does nothing on a clean machine. The feature Containers, the scripts of the steps, what scripts of the
user's have done and C:\kindows\media stay.

.PARAMETER CriSocket
Endpoint of the container runtime. Default: npipe:////./pipe/containerd-containerd, containerd's own.

.PARAMETER TimeoutSeconds
Time limit in seconds for kubeadm. Default: 300.

.OUTPUTS
Facts of the result (lib/Step.ps1): wasJoined, removed (one line for each removed item).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 16 DiskFull;
55 ResetFailed.
#>
[CmdletBinding()]
param(
    [ValidatePattern('^npipe:////\./pipe/[-.0-9A-Za-z]+$')]
    [string] $CriSocket = 'npipe:////./pipe/containerd-containerd',
    [ValidateRange(30, 3600)] [int] $TimeoutSeconds = 300
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\MachinePath.ps1')
. (Join-Path $PSScriptRoot 'lib\MachineProxy.ps1')
. (Join-Path $PSScriptRoot 'lib\AutomaticUpdate.ps1')
. (Join-Path $PSScriptRoot 'lib\NameResolution.ps1')
. (Join-Path $PSScriptRoot 'lib\ClusterRoute.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeletService.ps1')
. (Join-Path $PSScriptRoot 'lib\Membership.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainerImage.ps1')
. (Join-Path $PSScriptRoot 'lib\NodeTraces.ps1')
. (Join-Path $PSScriptRoot 'lib\HybridOverlay.ps1')
. (Join-Path $PSScriptRoot 'lib\TrustedCertificate.ps1')

# Runs one part of a reset. A failure is reported at the end, so that the other parts still run. $Body returns one line
# for each item it removed.
function Invoke-Cleanup {
    param([string] $Name, [scriptblock] $Body)
    $removed = @()
    $problem = ''
    try {
        & $Body | ForEach-Object { $removed += [string]$_ }
    }
    catch {
        $problem = "$($Name): $($_.Exception.Message)"
        Write-StepProgress -Message $problem
    }
    [pscustomobject]@{ Name = $Name; Removed = $removed; Problem = $problem }
}

Invoke-Step -Name 'Reset-Node' -Body {
    $containerd = "$env:ProgramFiles\containerd"
    $wasJoined = Test-JoinRemains
    $installed = (Test-Path -LiteralPath 'C:\k\kubeadm.exe') -and (Test-Service -Name 'kubelet')
    if ($wasJoined -and $installed) {
        Update-ProcessPath
        try {
            Reset-Membership -CriSocket $CriSocket -TimeoutSeconds $TimeoutSeconds
        }
        catch {
            # Pods may hang, or containerd may be missing. Everything that kubeadm would reset is removed below.
            Write-StepProgress -Message "kubeadm could not reset the node: $($_.Exception.Message)"
        }
    }

    $parts = @(
        Invoke-Cleanup -Name 'kubelet' -Body { Remove-ServiceInTime -Name 'kubelet' }
        Invoke-Cleanup -Name 'flanneld' -Body { Remove-ServiceInTime -Name 'flanneld' }
        Invoke-Cleanup -Name 'hybrid overlay' -Body { Remove-HybridOverlay }
        Invoke-Cleanup -Name 'images' -Body { Remove-NodeImage -Folder $containerd }
        Invoke-Cleanup -Name 'containerd' -Body { Remove-ServiceInTime -Name 'containerd' }
        Invoke-Cleanup -Name 'firewall' -Body {
            # The second one is Calico's, for VXLAN.
            Remove-FirewallRule -Name 'kubelet', 'OverlayTraffic4789UDP'
        }
        Invoke-Cleanup -Name 'environment' -Body { Remove-NodeVariable }
        # Before the folder with the record of the previous values.
        Invoke-Cleanup -Name 'updates' -Body { Restore-AutomaticUpdate }
        Invoke-Cleanup -Name 'proxy' -Body { Restore-MachineProxy }
        Invoke-Cleanup -Name 'PATH' -Body {
            Remove-MachinePath -Folder 'C:\k'
            Remove-MachinePath -Folder $containerd
        }
        Invoke-Cleanup -Name 'registry' -Body { Remove-CalicoRegistryKey }
        Invoke-Cleanup -Name 'Defender' -Body { Remove-NodeExclusion -Folder $NodeFolders }
        Invoke-Cleanup -Name 'hosts file' -Body { Remove-HostsLine }
        Invoke-Cleanup -Name 'DNS' -Body {
            if (Set-DnsServer -Server @()) { 'the DNS servers' }
        }
        # Before the folder with the record of the routes.
        Invoke-Cleanup -Name 'routes' -Body { Remove-NodeRoute }
        # And of the certificates.
        Invoke-Cleanup -Name 'certificates' -Body {
            if (Set-TrustedCertificate -Wanted @{}) { 'the trusted certificates' }
        }
    )
    # A part that failed needs its record when this is run again.
    $recorded = 'updates', 'proxy', 'routes', 'certificates'
    $kept = @(
        if (@($parts | Where-Object { $_.Problem -ne '' -and $recorded -contains $_.Name }).Count -gt 0) {
            'C:\kindows\state'
        }
    )
    $parts += @(
        Invoke-Cleanup -Name 'folders' -Body { Remove-NodeFolder -Keep $kept }
        Invoke-Cleanup -Name 'networks' -Body { Remove-NodeNetwork }
    )
    $problems = @($parts | ForEach-Object { $_.Problem } | Where-Object { $_ -ne '' })
    if ($problems.Count -gt 0) {
        Stop-Step -Code 'ResetFailed' -Message "Not everything could be removed. $($problems -join '; ')" `
            -Remedy 'Run again; what is in use goes away with a reboot of the machine.'
    }
    $removed = @($parts | ForEach-Object { $_.Removed })
    New-StepResult -Changed ($removed.Count -gt 0) -Facts ([ordered]@{ wasJoined = $wasJoined; removed = $removed })
}
