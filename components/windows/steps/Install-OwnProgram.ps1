<#
.SYNOPSIS
Puts a program of the user's in place of an installed one: kubelet, kubeadm, kube-proxy, containerd or a CNI plugin.

.DESCRIPTION
Checks the archive's SHA-256, unpacks the program beside its place and runs it for its version, kubelet with the
arguments of its service, before anything is stopped. Then its service stops (kubelet with containerd), the installed
program is kept beside it, and the service starts again. A kube-proxy goes to C:\k, where the container's start script
takes it from. A later run replaces the user's own program; Restore-InstalledProgram brings the installed one back. The
archive is removed, whatever happened.

.PARAMETER Path
Full path of the program that is replaced. Default: none, mandatory. Source: components/windows/own-programs.ts.

.PARAMETER Archive
Path of a tar archive on this machine, compressed with gzip, with the user's program under the name that it gets.
Default: none, mandatory. Source: cli/deploy/deploy-to-machine.ts.

.PARAMETER Sha256
SHA-256 of the archive, in hex. Default: none, mandatory. Source: cli/deploy/deploy-to-machine.ts.

.PARAMETER Releases
The minor releases that the program may be of, e.g. 1.33-1.36. Default: empty, its version is not looked at. Source:
components/windows/own-programs.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): version, insteadOf (SHA-256 of what Install-Kubernetes or Install-Containerd
installs there), since.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 30 MediumMissing; 31 ChecksumMismatch; 32 VersionMismatch; 34 ServiceNotRunning; 35
FileInUse; 54 KubernetesMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^C:\\[^"*?<>|/]+\.exe$')] [string] $Path,
    [Parameter(Mandatory)] [ValidatePattern('^C:\\kindows\\[-.0-9A-Za-z]+$')] [string] $Archive,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $Sha256,
    [ValidatePattern('^([0-9]+\.[0-9]+-[0-9]+\.[0-9]+)?$')] [string] $Releases = ''
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\OwnProgram.ps1')

Invoke-Step -Name 'Install-OwnProgram' -Body {
    # Below the program's folder, so that it gets that folder's permissions.
    $staging = $Path -replace '\.exe$', '-deploy'
    try {
        if (-not (Test-Service -Name 'kubelet')) {
            Stop-Step -Code 'KubernetesMissing' -Message 'There is no service kubelet.' `
                -Remedy 'Run `./kindows up`, which makes a node of this machine.'
        }
        Assert-Medium -Path $Archive -Checksum $Sha256 -Remedy 'Run `./kindows deploy` again.'
        Expand-TarArchive -Archive $Archive -Folder $staging -StripComponents 0
        $file = Join-Path $staging (Split-Path -Path $Path -Leaf)
        $version = Get-OwnVersion -File $file -Path $Path -Releases $Releases
        Install-OwnProgram -File $file -Path $Path
    }
    catch {
        Restore-AutomaticService -Name 'containerd', 'kubelet'
        throw
    }
    finally {
        foreach ($left in $Archive, $staging) {
            if (Test-Path -LiteralPath $left) { Remove-Item -LiteralPath $left -Recurse -Force }
        }
    }
    $since = Start-ProgramService -Path $Path
    Remove-ReplacedFile -Folder (Split-Path -Path $Path)
    New-StepResult -Changed $true -Facts ([ordered]@{
            version   = $version
            insteadOf = ((Read-WholeText -Path "$Path.checked") -split ' ')[0]
            since     = $since
        })
}
