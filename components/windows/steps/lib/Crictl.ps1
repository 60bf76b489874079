# crictl, with which people look at what containerd runs. No node needs it.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# Without an archive, crictl is taken away. Its configuration lies beside it, where crictl looks when an account has no
# %USERPROFILE%\.crictl\crictl.yaml: for everybody who logs in (cri-tools, pkg/common: GetServerConfigFromFile). State:
# none, installed or media.
function Install-Crictl {
    param([string] $Folder, [string] $Archive, [string] $Checksum)
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
    $isConfigured = Set-WholeText -Path $configPath -Text $text
    [pscustomobject]@{ State = $state; Changed = ($state -eq 'media' -or $isConfigured) }
}
