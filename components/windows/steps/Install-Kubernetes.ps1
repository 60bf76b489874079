<#
.SYNOPSIS
Installs kubelet.exe, kubeadm.exe and kube-log-runner.exe to C:\k and registers the service kubelet.

.DESCRIPTION
The service runs kubelet behind kube-log-runner (no nssm), depends on containerd and stays manual, because kubelet fails
before the node has joined. Join-Node sets the node's arguments and makes the service automatic. This step also puts
C:\k on the machine's PATH, creates the folders that kubeadm and kubelet expect, adds a firewall rule for TCP 10250,
sets the machine's proxy for the service, excludes kubelet from Microsoft Defender, turns off Windows' automatic updates
and reboots, and sets the machine's time zone. The files are already on the machine, in its image or pushed there. Their
checksums are verified.

.PARAMETER Version
Version of Kubernetes, without a leading v, e.g. 1.36.4: the programs must report it afterwards. Default: none,
mandatory. Source: settings, cluster.kubernetesVersion.

.PARAMETER KubeletPath
Full path of kubelet.exe among the media on the machine. Default: none, mandatory. Source:
components/windows/media-folder.ts.

.PARAMETER KubeletSha256
SHA-256 of kubelet.exe, 64 hexadecimal digits. Default: none, mandatory. Source: components/windows/software.ts.

.PARAMETER KubeadmPath
Full path of kubeadm.exe among the media on the machine. Default: none, mandatory. Source:
components/windows/media-folder.ts.

.PARAMETER KubeadmSha256
SHA-256 of kubeadm.exe, 64 hexadecimal digits. Default: none, mandatory. Source: components/windows/software.ts.

.PARAMETER KubeLogRunnerPath
Full path of kube-log-runner.exe among the media on the machine. Default: none, mandatory. Source:
components/windows/media-folder.ts.

.PARAMETER KubeLogRunnerSha256
SHA-256 of kube-log-runner.exe, 64 hexadecimal digits. Default: none, mandatory. Source: components/windows/software.ts.

.PARAMETER DefenderExclusions
1: exclude kubelet and its folders from Microsoft Defender. 0: remove the exclusions of an earlier run. Default: 1.
Source: settings, windows.defenderExclusions.

.PARAMETER AutomaticUpdates
0: Windows must not update and reboot by itself. 1: the machine's own policy applies; the policy of an earlier run is
removed. Default: 0. Source: settings, windows.automaticUpdates.

.PARAMETER TimeZone
Windows' name of the machine's time zone, e.g. W. Europe Standard Time. Default: empty, the time zone is not changed.
Source: settings, windows.timeZone.

.PARAMETER KubeletReleases
The minor releases that a kubelet of the user's may be of, e.g. 1.33-1.36. Default: empty, it must be of Version.
Source: components/windows/own-programs.ts.

.PARAMETER KubeadmReleases
The same of a kubeadm. Default: empty. Source: components/windows/own-programs.ts.

.PARAMETER KubeProxyPath
Full path of a kube-proxy.exe of the user's among the media on the machine, which runs in place of that of its
container's image. Default: empty, that of an earlier run is removed. Source: components/windows/media-folder.ts.

.PARAMETER KubeProxySha256
Its SHA-256, 64 hexadecimal digits. Default: empty. Source: components/windows/software.ts.

.PARAMETER KubeProxyReleases
The minor releases that it may be of. Default: empty. Source: components/windows/own-programs.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): version, kubeletSha256, kubeLogRunnerSha256, kubeletFrom, kubeadmFrom,
kubeLogRunnerFrom, kubeProxyFrom (each installed, media, deployed or none), defenderExclusions (set, off or
unavailable).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 30 MediumMissing; 31 ChecksumMismatch; 32 VersionMismatch; 34 ServiceNotRunning; 35
FileInUse; 41 ContainerdMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$')] [string] $Version,
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')] [string] $KubeletPath,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $KubeletSha256,
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')] [string] $KubeadmPath,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $KubeadmSha256,
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')] [string] $KubeLogRunnerPath,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $KubeLogRunnerSha256,
    [ValidateRange(0, 1)] [int] $DefenderExclusions = 1,
    [ValidateRange(0, 1)] [int] $AutomaticUpdates = 0,
    [ValidatePattern('^[A-Za-z0-9 .()+-]*$')] [string] $TimeZone = '',
    [ValidatePattern('^([0-9]+\.[0-9]+-[0-9]+\.[0-9]+)?$')] [string] $KubeletReleases = '',
    [ValidatePattern('^([0-9]+\.[0-9]+-[0-9]+\.[0-9]+)?$')] [string] $KubeadmReleases = '',
    [ValidatePattern('^([A-Za-z]:\\[^"*?<>|/]+)?$')] [string] $KubeProxyPath = '',
    [ValidatePattern('^([0-9A-Fa-f]{64})?$')] [string] $KubeProxySha256 = '',
    [ValidatePattern('^([0-9]+\.[0-9]+-[0-9]+\.[0-9]+)?$')] [string] $KubeProxyReleases = ''
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\InstalledProgram.ps1')
. (Join-Path $PSScriptRoot 'lib\MachinePath.ps1')
. (Join-Path $PSScriptRoot 'lib\MachineProxy.ps1')
. (Join-Path $PSScriptRoot 'lib\DefenderExclusion.ps1')
. (Join-Path $PSScriptRoot 'lib\AutomaticUpdate.ps1')
. (Join-Path $PSScriptRoot 'lib\FirewallRule.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeletService.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeProxy.ps1')

Invoke-Step -Name 'Install-Kubernetes' -Body {
    if (-not (Test-Service -Name 'containerd')) {
        Stop-Step -Code 'ContainerdMissing' -Message 'There is no service containerd, which kubelet depends on.' `
            -Remedy 'Run Install-Containerd first.'
    }
    Initialize-KubernetesFolder
    $exclusion = Set-DefenderExclusion -Enabled ($DefenderExclusions -eq 1) `
        -Folder 'C:\k', 'C:\var\lib\kubelet', 'C:\var\log\pods' -Program 'C:\k\kubelet.exe', 'C:\k\kube-log-runner.exe'

    try {
        # kubeadm first, because replacing it stops no service.
        $kubeadmFrom = Install-Program -Path 'C:\k\kubeadm.exe' -Medium $KubeadmPath `
            -Checksum $KubeadmSha256 -Version $(if ($KubeadmReleases -eq '') { $Version } else { $KubeadmReleases }) `
            -VersionArgument 'version', '--output', 'short'
        $kubeletFrom = Install-Program -Path 'C:\k\kubelet.exe' -Medium $KubeletPath `
            -Checksum $KubeletSha256 -Service 'kubelet' -VersionArgument '--version' `
            -Version $(if ($KubeletReleases -eq '') { $Version } else { $KubeletReleases })
        $logRunnerFrom = Install-Program -Path 'C:\k\kube-log-runner.exe' -Medium $KubeLogRunnerPath `
            -Checksum $KubeLogRunnerSha256 -Service 'kubelet'
        $proxyFrom = Install-OwnKubeProxy -Medium $KubeProxyPath -Checksum $KubeProxySha256 -Releases $KubeProxyReleases
    }
    catch {
        Restore-AutomaticService -Name 'kubelet'
        throw
    }
    Remove-ReplacedFile -Folder 'C:\k'
    $changed = $exclusion.Changed -or $kubeletFrom, $kubeadmFrom, $logRunnerFrom, $proxyFrom -contains 'media'
    $changed = (Add-MachinePath -Folder 'C:\k') -or $changed
    $changed = (Register-KubeletService) -or $changed
    $changed = (Set-ServiceProxy -Name 'kubelet') -or $changed
    $changed = (Add-FirewallRule -Name 'kubelet' -DisplayName 'kubelet' -Protocol TCP -Port 10250) -or $changed
    if ($(if ($AutomaticUpdates -eq 1) { $null -ne (Restore-AutomaticUpdate) } else { Disable-AutomaticUpdate })) {
        $changed = $true
    }
    if ($TimeZone -ne '' -and (Get-TimeZone).Id -ne $TimeZone) {
        Set-TimeZone -Id $TimeZone -ErrorAction Stop
        $changed = $true
    }
    $changed = (Start-JoinedKubelet) -or $changed

    New-StepResult -Changed $changed -Facts ([ordered]@{
            version             = $Version
            kubeletSha256       = $KubeletSha256
            kubeLogRunnerSha256 = $KubeLogRunnerSha256
            kubeletFrom         = $kubeletFrom
            kubeadmFrom         = $kubeadmFrom
            kubeLogRunnerFrom   = $logRunnerFrom
            kubeProxyFrom       = $proxyFrom
            defenderExclusions  = $exclusion.State
        })
}
