# crictl, with which people look at what containerd runs. No node needs it.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

<#
.SYNOPSIS
Puts crictl.exe and its configuration into a folder, or takes both away; returns its state and whether it was another.

.DESCRIPTION
crictl reads %USERPROFILE%\.crictl\crictl.yaml, and where an account has none, crictl.yaml in its own folder: the latter
is for everybody who logs in to the machine (cri-tools, pkg/common: GetServerConfigFromFile).

.PARAMETER Folder
Full path of the folder, which is there.

.PARAMETER Archive
Full path of crictl-v<version>-windows-amd64.tar.gz among the media. Empty: there shall be no crictl.

.PARAMETER Checksum
SHA-256 of the archive. Empty: there shall be no crictl.

.OUTPUTS
State: none, installed or media (taken from the archive now). Changed: whether anything was written or removed.
#>
function Install-Crictl {
    [CmdletBinding()]
    [OutputType([pscustomobject])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Folder,

        [Parameter(Mandatory = $true)]
        [AllowEmptyString()]
        [string] $Archive,

        [Parameter(Mandatory = $true)]
        [AllowEmptyString()]
        [string] $Checksum
    )

    $program = "$Folder\crictl.exe"
    $configPath = "$Folder\crictl.yaml"
    # Where Install-ArchivedProgram remembers the archive.
    $markPath = "$Folder\crictl.sha256"
    if ($Archive -eq '' -or $Checksum -eq '') {
        $left = @($markPath, $configPath, $program | Where-Object { Test-Path -LiteralPath $_ })
        foreach ($path in $left) {
            Remove-Item -LiteralPath $path -Force
        }
        return [pscustomobject]@{ State = 'none'; Changed = ($left.Count -gt 0) }
    }

    # The archive holds crictl.exe and nothing else.
    $state = Install-ArchivedProgram -Archive $Archive -Checksum $Checksum -Folder $Folder -Name 'crictl' `
        -File @{ 'crictl.exe' = 'crictl.exe' }

    $text = @(
        'runtime-endpoint: npipe:////./pipe/containerd-containerd'
        'image-endpoint: npipe:////./pipe/containerd-containerd'
        'timeout: 30'
        ''
    ) -join "`n"
    $current = if (Test-Path -LiteralPath $configPath) { [IO.File]::ReadAllText($configPath) } else { '' }
    if ($current -cne $text) {
        Write-WholeText -Path $configPath -Text $text
    }
    [pscustomobject]@{ State = $state; Changed = ($state -eq 'media' -or $current -cne $text) }
}
