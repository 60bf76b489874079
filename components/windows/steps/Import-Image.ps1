<#
.SYNOPSIS
Imports the images of an archive into containerd, so that pods on this node run them without a registry.

.DESCRIPTION
Checks the archive's SHA-256, has ctr import it into the namespace of Kubernetes, checks that the images are there, and
removes the archive, whatever happened. An image of the same name is replaced. Its layers are unpacked when its first
container is created, as containerd does for any image without a snapshot.

.PARAMETER Archive
Path of the archive on this machine: what `docker save` or an OCI exporter wrote, plain or compressed with gzip or
zstd. Default: none, mandatory. Source: cli/load/load-nodes.ts.

.PARAMETER Sha256
SHA-256 of the archive, in hex. Default: none, mandatory. Source: cli/load/load-nodes.ts.

.PARAMETER Images
Images in the archive with registry and tag, e.g. docker.io/library/app:1, separated by commas. Default: none,
mandatory. Source: cli/load/load-plan.ts.

.PARAMETER TimeoutSeconds
Time limit of the import in seconds. Default: 1200. Source: components/windows/steps.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): images.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 30 MediumMissing; 31 ChecksumMismatch; 34 ServiceNotRunning; 41 ContainerdMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^C:\\kindows\\[-.0-9A-Za-z]+$')] [string] $Archive,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $Sha256,
    [Parameter(Mandatory)] [ValidatePattern('^[a-z0-9][-._/:@A-Za-z0-9]*(,[a-z0-9][-._/:@A-Za-z0-9]*)*$')]
    [string] $Images,
    [ValidateRange(1, 7200)] [int] $TimeoutSeconds = 1200
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\InstalledProgram.ps1')
. (Join-Path $PSScriptRoot 'lib\Services.ps1')
. (Join-Path $PSScriptRoot 'lib\ContainerImage.ps1')

Invoke-Step -Name 'Import-Image' -Body {
    $wanted = @($Images -split ',')
    try {
        Assert-Medium -Path $Archive -Checksum $Sha256 -Remedy 'Run `./kindows load` again.'
        if (-not (Test-Service -Name 'containerd')) {
            Stop-Step -Code 'ContainerdMissing' -Message 'There is no service containerd.' `
                -Remedy 'Run `./kindows up`, which makes a node of this machine.'
        }
        Start-Containerd
        $missing = @(Import-ImageArchive -Archive $Archive -Image $wanted -TimeoutSeconds $TimeoutSeconds)
        if ($missing.Count -gt 0) {
            Stop-Step -Code 'CommandFailed' -Message "ctr imported the archive without $($missing -join ', ')." `
                -Remedy 'Save these images for this version of Windows.'
        }
    }
    finally {
        if (Test-Path -LiteralPath $Archive) { Remove-Item -LiteralPath $Archive -Force }
    }
    New-StepResult -Changed $true -Facts ([ordered]@{ images = $wanted })
}
