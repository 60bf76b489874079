<#
.SYNOPSIS
Installs containerd as a Windows service, configured for Kubernetes.

.DESCRIPTION
Unpacks the release archive to C:\Program Files\containerd, puts that folder on the machine's PATH, writes config.toml
from containerd's own default (only the sandbox image, CNI folders and registry mirrors are changed), registers the
service with the machine's proxy and a restart after every crash, and starts it. Another version replaces an installed
one. It is unpacked beside the old one, then containerd and kubelet stop while the files are exchanged. Pods keep
running with the programs they were started with. Microsoft Defender does not scan containerd and the images' folders.
The archives are already on the machine, in its image or pushed there. Their checksums are verified. If its archive is
given, crictl, a tool for debugging a node, is installed beside containerd.

.PARAMETER Version
Version of containerd, without a leading v, e.g. 2.3.4: `containerd.exe --version` must print it afterwards. Default:
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

.PARAMETER RegistryMirrors
Mirrors of image registries, as registry=address[,address...] entries separated by semicolons, e.g.
docker.io=https://mirror.example.com. They are tried in this order, then the registry itself. Without TLS only the lab's
own registry, localhost:5001=http://192.168.150.254:5000: it is on the lab's segment, whose machines are the lab's, and
no image from elsewhere has its name. Empty: none; mirrors of an earlier run are removed. Default: empty. Source:
settings, windows.registryMirrors and registry.

.PARAMETER DefenderExclusions
1: exclude containerd, its shim and their folders from Microsoft Defender. 0: remove the exclusions of an earlier run.
Default: 1. Source: settings, windows.defenderExclusions.

.PARAMETER CrictlPath
Full path of crictl-v<version>-windows-amd64.tar.gz on the machine. Empty: no crictl; an installed one is removed.
Default: empty. Source: components/windows/media-folder.ts.

.PARAMETER CrictlSha256
SHA-256 of that archive, 64 hexadecimal digits. Empty: no crictl. Default: empty. Source:
components/windows/software.ts.

.PARAMETER Releases
The minor releases that a containerd of the user's may be of, e.g. 2.0-2.999. Default: empty, it must be of Version.
Source: components/windows/own-programs.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): version, archiveSha256, pauseImage, archiveFrom (installed, media or deployed),
crictlFrom (none, installed or media), defenderExclusions (set, off or unavailable).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 30 MediumMissing; 31 ChecksumMismatch; 32 VersionMismatch; 33 ConfigurationUnknown; 34
ServiceNotRunning; 35 FileInUse; 40 FeatureMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$')] [string] $Version,
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')] [string] $ArchivePath,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $ArchiveSha256,
    [ValidatePattern('^[-._/:@0-9A-Za-z]+$')] [string] $PauseImage = 'registry.k8s.io/pause:3.10.2',
    [ValidatePattern('^[A-Za-z]:/[-._/ 0-9A-Za-z]+$')] [string] $CniBinDirectory = 'C:/opt/cni/bin',
    [ValidatePattern('^[A-Za-z]:/[-._/ 0-9A-Za-z]+$')] [string] $CniConfDirectory = 'C:/etc/cni/net.d',
    [ValidatePattern('^(?!;)((^|;)([-.:0-9A-Za-z]+=https://[^\s",;=]+(,https://[^\s",;=]+)*|localhost:5001=http://[0-9.]+:5000))*$')]
    [string] $RegistryMirrors = '',
    [ValidateRange(0, 1)] [int] $DefenderExclusions = 1,
    [ValidatePattern('^([A-Za-z]:\\[^"*?<>|/]+)?$')] [string] $CrictlPath = '',
    [ValidatePattern('^([0-9A-Fa-f]{64})?$')] [string] $CrictlSha256 = '',
    [ValidatePattern('^([0-9]+\.[0-9]+-[0-9]+\.[0-9]+)?$')] [string] $Releases = ''
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\InstalledProgram.ps1')
. (Join-Path $PSScriptRoot 'lib\MachinePath.ps1')
. (Join-Path $PSScriptRoot 'lib\MachineProxy.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainersFeature.ps1')
. (Join-Path $PSScriptRoot 'lib\DefenderExclusion.ps1')
. (Join-Path $PSScriptRoot 'lib\Containerd.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeletService.ps1')

Invoke-Step -Name 'Install-Containerd' -Body {
    $folder = "$env:ProgramFiles\containerd"
    $program = "$folder\containerd.exe"
    $configPath = "$folder\config.toml"
    # The output of `containerd.exe config default` of this version.
    $defaultPath = "$folder\default.toml"
    $registryFolder = "$folder\certs.d"
    $allowed = if ($Releases -eq '') { $Version } else { $Releases }

    Assert-ContainersFeature

    # Before unpacking, because the exclusions make unpacking faster.
    $exclusion = Set-DefenderExclusion -Enabled ($DefenderExclusions -eq 1) `
        -Folder $folder, 'C:\ProgramData\containerd', 'C:\opt\cni\bin' `
        -Program $program, "$folder\containerd-shim-runhcs-v1.exe", "$folder\ctr.exe"

    try {
        $archiveFrom = Install-ArchivedProgram -Archive $ArchivePath -Checksum $ArchiveSha256 -Folder $folder `
            -Name 'unpacked' -Inside 'bin\' -File @{ 'containerd.exe' = 'containerd.exe' } -WithRest $true `
            -Service 'containerd'
    }
    catch {
        # kubelet has stopped with containerd, because it depends on that.
        Restore-AutomaticService -Name 'containerd', 'kubelet'
        throw
    }
    $changed = $exclusion.Changed -or $archiveFrom -eq 'media'
    foreach ($path in $CniBinDirectory, $CniConfDirectory, (Split-Path -Path $ContainerdLogPath)) {
        Protect-Folder -Path $path -UsersRead $true
    }

    $isThere = $archiveFrom -eq 'installed' -and (Test-Path -LiteralPath $defaultPath)
    if ($isThere -and (Test-KeptProgram -Path $program -Checksum $ArchiveSha256 -Version $allowed)) {
        $archiveFrom = 'deployed'
    }
    elseif (-not $isThere -or -not (Test-CheckedProgram -Path $program -Checksum $ArchiveSha256 -Version $allowed)) {
        $null = Assert-ProgramVersion -Path $program -ArgumentList '--version' -Version $allowed `
            -Remedy 'Set windows.containerdVersion and the checksum of its archive to the same release.'
        $default = Invoke-NativeCommand -FilePath $program -ArgumentList 'config', 'default' -TimeoutSeconds 60 `
            -Remedy 'Check that the archive is for windows-amd64.'
        Write-WholeText -Path $defaultPath -Text $default
        Save-CheckedProgram -Path $program -Checksum $ArchiveSha256 -Version $allowed
        if (Test-Path -LiteralPath "$program.before") { Remove-Item -LiteralPath "$program.before" -Force }
    }

    $crictl = Install-Crictl -Folder $folder -Archive $CrictlPath -Checksum $CrictlSha256
    Remove-ReplacedFile -Folder $folder
    $changed = $crictl.Changed -or $changed
    $changed = (Add-MachinePath -Folder $folder) -or $changed

    # containerd reads these files at each pull, so it needs no restart.
    $changed = (Set-RegistryMirror -Folder $registryFolder -Mirrors $RegistryMirrors) -or $changed

    $default = [IO.File]::ReadAllText($defaultPath)
    $mirrored = if ($RegistryMirrors -eq '') { '' } else { $registryFolder.Replace('\', '/') }
    $config = Edit-ContainerdConfig -Text $default -PauseImage $PauseImage -RegistryFolder $mirrored `
        -CniBinDirectory $CniBinDirectory -CniConfDirectory $CniConfDirectory
    if ((Read-WholeText -Path $configPath) -cne $config) {
        # containerd only reads its configuration when it starts. It is stopped before the file is written. Otherwise,
        # if this step were killed in between, the next run would find the new file and leave the old configuration
        # active.
        Stop-ServiceIfPresent -Name 'containerd'
        Write-WholeText -Path $configPath -Text $config
        $changed = $true
    }

    if (-not (Test-Service -Name 'containerd')) {
        # containerd registers itself, to start automatically.
        $null = Invoke-NativeCommand -FilePath $program `
            -ArgumentList '--register-service', '--config', $configPath, '--log-file', $ContainerdLogPath `
            -TimeoutSeconds 60 `
            -Remedy 'Look for the service in services.msc; one marked for deletion goes away with a reboot.'
        $changed = $true
    }
    # With its own registration the service is not restarted after the third crash of a day.
    Set-ServiceRecovery -Name 'containerd' -Restart $true
    $changed = (Set-ServiceProxy -Name 'containerd') -or $changed
    $changed = ((Get-Service -Name 'containerd').Status -ne 'Running') -or $changed
    Start-Containerd
    $changed = (Start-JoinedKubelet) -or $changed

    New-StepResult -Changed $changed -Facts ([ordered]@{
            version            = $Version
            archiveSha256      = $ArchiveSha256
            pauseImage         = $PauseImage
            archiveFrom        = $archiveFrom
            crictlFrom         = $crictl.State
            defenderExclusions = $exclusion.State
        })
}
