<#
.SYNOPSIS
Installs containerd as a Windows service, configured for Kubernetes.

.DESCRIPTION
Unpacks the release archive to C:\Program Files\containerd, puts that folder on the machine's PATH, writes config.toml
from containerd's own default (sandbox image and the CNI folders changed, nothing else), registers the service and
starts it. The archive lies on the machine already: in its image, or pushed there; its checksum is checked.

.PARAMETER Version
Version of containerd, without a leading v, e.g. 2.3.4: what `containerd.exe --version` must answer afterwards. Default:
none, mandatory. Source: settings, windows.containerdVersion.

.PARAMETER ArchivePath
Full path of containerd-<version>-windows-amd64.tar.gz on the machine. Default: none, mandatory. Source:
components/windows/media-folder.ts.

.PARAMETER ArchiveSha256
SHA-256 of that archive, 64 hexadecimal digits. Default: none, mandatory. Source: components/windows/software.ts.

.PARAMETER PauseImage
Sandbox image, e.g. registry.k8s.io/pause:3.10.2. Default: registry.k8s.io/pause:3.10.2, the first with a manifest for
Windows Server 2025 and the default of containerd 2.3.

.PARAMETER CniBinDirectory
Folder of the CNI programs, with forward slashes. Default: C:/opt/cni/bin, where Calico's operator puts them.

.PARAMETER CniConfDirectory
Folder of the CNI configuration, with forward slashes. Default: C:/etc/cni/net.d, where Calico's operator puts it.

.OUTPUTS
Last line of standard output: one JSON object {"step", "changed", "rebootRequired", "seconds", "facts"}, or {"step",
"error": {"code", "message", "remedy"}}. Facts: version, pauseImage, archiveFrom (installed or media).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed;
15 CommandTimedOut; 30 MediumMissing; 31 ChecksumMismatch; 32 VersionMismatch; 33 ConfigurationUnknown;
34 ServiceNotRunning; 40 FeatureMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$')]
    [string] $Version,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')]
    [string] $ArchivePath,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[0-9A-Fa-f]{64}$')]
    [string] $ArchiveSha256,

    [ValidatePattern('^[-._/:@0-9A-Za-z]+$')]
    [string] $PauseImage = 'registry.k8s.io/pause:3.10.2',

    [ValidatePattern('^[A-Za-z]:/[-._/ 0-9A-Za-z]+$')]
    [string] $CniBinDirectory = 'C:/opt/cni/bin',

    [ValidatePattern('^[A-Za-z]:/[-._/ 0-9A-Za-z]+$')]
    [string] $CniConfDirectory = 'C:/etc/cni/net.d'
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\Media.ps1')
. (Join-Path $PSScriptRoot 'lib\MachinePath.ps1')
. (Join-Path $PSScriptRoot 'lib\ServiceState.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainersFeature.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainerdConfig.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeletService.ps1')

Invoke-Step -Name 'Install-Containerd' -Body {
    $folder = "$env:ProgramFiles\containerd"
    $program = "$folder\containerd.exe"
    $configPath = "$folder\config.toml"
    $logPath = 'C:\var\log\containerd\containerd.log'
    # Written when the archive has been unpacked to its end, with its checksum: what is half unpacked lacks it.
    $markPath = "$folder\unpacked.sha256"
    $changed = $false

    $feature = Get-ContainersFeatureState
    if ($feature -ne 'Installed') {
        Stop-Step -Code 'FeatureMissing' -Message "The feature Containers is $feature." `
            -Remedy 'Run Enable-ContainersFeature and Confirm-Reboot first.'
    }

    $service = Get-Service -Name 'containerd' -ErrorAction SilentlyContinue
    $archiveFrom = 'installed'
    $mark = if (Test-Path -LiteralPath $markPath) { (Get-Content -LiteralPath $markPath -Raw).Trim() } else { '' }
    if ($mark -ne $ArchiveSha256) {
        Assert-Medium -Path $ArchivePath -Checksum $ArchiveSha256
        $archiveFrom = 'media'
        if ($null -ne $service) {
            Stop-ServiceInTime -Name 'containerd'
        }
        foreach ($path in $folder, $CniBinDirectory, $CniConfDirectory, (Split-Path -Path $logPath)) {
            $null = New-Item -Path $path -ItemType Directory -Force
        }
        if (Test-Path -LiteralPath $markPath) {
            Remove-Item -LiteralPath $markPath -Force
        }
        # The archive holds everything below bin\.
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\tar.exe" `
            -ArgumentList '-x', '-z', '-f', $ArchivePath, '-C', $folder, '--strip-components', '1' `
            -TimeoutSeconds 300 `
            -Remedy 'Free disk space on C:, or stop what holds the files (containerd-shim-runhcs-v1.exe).'
        [IO.File]::WriteAllText($markPath, $ArchiveSha256.ToLowerInvariant())
        $changed = $true
    }

    $answer = Invoke-NativeCommand -FilePath $program -ArgumentList '--version' -TimeoutSeconds 60 `
        -Remedy 'Look whether the archive is for windows-amd64.'
    # "containerd github.com/containerd/containerd/v2 v2.3.4 <commit>"; built from modules it has no v and a +suffix.
    if ($answer -notmatch '\sv?(?<version>[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?)(\+\S*)?(\s|$)' -or
        $Matches['version'] -ne $Version) {
        Stop-Step -Code 'VersionMismatch' `
            -Message "containerd.exe says '$($answer.Trim())', expected was version $Version." `
            -Remedy 'Set windows.containerdVersion and the checksum of its archive to the same release.'
    }

    if (Add-MachinePath -Folder $folder) {
        $changed = $true
    }

    $default = Invoke-NativeCommand -FilePath $program -ArgumentList 'config', 'default' -TimeoutSeconds 60 `
        -Remedy 'Look whether the archive is for windows-amd64.'
    $config = Edit-ContainerdConfig -Text $default -PauseImage $PauseImage `
        -CniBinDirectory $CniBinDirectory -CniConfDirectory $CniConfDirectory
    $current = if (Test-Path -LiteralPath $configPath) { [IO.File]::ReadAllText($configPath) } else { '' }
    if ($current -cne $config) {
        [IO.File]::WriteAllText($configPath, $config)
        if ($null -ne $service) {
            # It reads its configuration at its start only.
            Stop-ServiceInTime -Name 'containerd'
        }
        $changed = $true
    }

    if ($null -eq $service) {
        # containerd registers itself: start automatically, restart after a crash.
        $null = Invoke-NativeCommand -FilePath $program `
            -ArgumentList '--register-service', '--config', $configPath, '--log-file', $logPath -TimeoutSeconds 60 `
            -Remedy 'Look for the service in services.msc; one marked for deletion goes away with a reboot.'
        $changed = $true
    }
    if ((Get-Service -Name 'containerd').Status -ne 'Running') {
        $changed = $true
    }
    Start-ServiceInTime -Name 'containerd' -TimeoutSeconds 120 -LogPath $logPath `
        -Ready { Test-Path -LiteralPath '\\.\pipe\containerd-containerd' }
    Start-JoinedKubelet

    New-StepResult -Changed $changed -Facts ([ordered]@{
            version     = $Version
            pauseImage  = $PauseImage
            archiveFrom = $archiveFrom
        })
}
