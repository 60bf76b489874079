<#
.SYNOPSIS
Installs containerd as a Windows service, configured for Kubernetes.

.DESCRIPTION
Unpacks the release archive to C:\Program Files\containerd, puts that folder on the machine's PATH, writes config.toml
from containerd's own default (sandbox image and the CNI folders changed, nothing else), registers the service and
starts it. The archive is taken from C:\kindows\media\<sha256>\ when it lies there and downloaded otherwise; either way
its checksum is checked.

.PARAMETER Version
Version of containerd, without a leading v, e.g. 2.3.4: what `containerd.exe --version` must answer afterwards. Default:
none, mandatory. Source: settings, windows.containerdVersion.

.PARAMETER ArchiveUri
https address of containerd-<version>-windows-amd64.tar.gz; the last part of its path is the file's name among the
media. Default: none, mandatory. Source: components/windows/software.ts.

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
"error": {"code", "message", "remedy"}}. Facts: version, pauseImage, archiveFrom (media or download).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed;
15 CommandTimedOut; 30 DownloadFailed; 31 ChecksumMismatch; 32 VersionMismatch; 33 ConfigurationUnknown;
34 ServiceNotRunning; 40 FeatureMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$')]
    [string] $Version,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^https://[^\s"]+/[^\s"/]+$')]
    [string] $ArchiveUri,

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
