# The folders of a node, and their removal.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$NodeFolders = @(
    'C:\k'
    'C:\etc\kubernetes'
    'C:\etc\cni'
    'C:\etc\calico'
    'C:\etc\kube-flannel'
    'C:\opt\cni'
    'C:\var\lib\kubelet'
    'C:\run\flannel'
    'C:\var\lib\calico'
    'C:\var\lib\cni'
    'C:\var\run\calico'
    'C:\var\log\kubelet'
    'C:\var\log\containerd'
    'C:\var\log\pods'
    'C:\var\log\containers'
    'C:\var\log\calico'
    'C:\var\log\flanneld'
    'C:\var\log\hybrid-overlay'
    'C:\Program Files\containerd'
    'C:\ProgramData\containerd'
    'C:\kindows\state'
)
# They go too when nothing is left in them, the innermost first.
$NodeParentFolders = @('C:\var\lib', 'C:\var\log', 'C:\var\run', 'C:\var', 'C:\etc', 'C:\opt', 'C:\run')

# Links in it are removed themselves: what they lead to may be a pod's data.
function Remove-FolderTree {
    param([Parameter(Mandatory)] [string] $Path)
    # Not Remove-Item: that of Windows PowerShell 5.1 goes into links. The caller looks whether the folder is gone: what
    # keeps one, such as paths too long for it (3, 206), must not keep the others from being removed.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\cmd.exe" -TimeoutSeconds 300 -Remedy 'Run again.' `
        -ArgumentList '/d', '/c', 'rd', '/s', '/q', $Path -SuccessExitCodes 0, 1, 2, 3, 5, 32, 145, 206
}

function Remove-NodeFolder {
    param([string[]] $Keep = @())
    $left = @()
    foreach ($path in $NodeFolders | Where-Object { $Keep -notcontains $_ -and (Test-Path -LiteralPath $_) }) {
        Remove-FolderTree -Path $path
        if (Test-Path -LiteralPath $path) {
            # Files of an image's layers belong to TrustedInstaller.
            $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\takeown.exe" -TimeoutSeconds 300 `
                -ArgumentList '/F', $path, '/A', '/R', '/D', 'Y', '/SKIPSL' -SuccessExitCodes 0, 1 -Remedy 'Run again.'
            $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\icacls.exe" -TimeoutSeconds 300 `
                -ArgumentList $path, '/reset', '/T', '/C', '/L', '/Q' -SuccessExitCodes 0, 1, 5 -Remedy 'Run again.'
            Remove-FolderTree -Path $path
        }
        if (Test-Path -LiteralPath $path) {
            $left += $path
        }
        else {
            "folder $path"
        }
    }
    foreach ($path in $NodeParentFolders | Where-Object { Test-Path -LiteralPath $_ }) {
        if (@(Get-ChildItem -LiteralPath $path -Force).Count -eq 0) {
            Remove-Item -LiteralPath $path -Force
        }
    }
    if ($left.Count -gt 0) {
        Stop-Step -Code 'ResetFailed' -Remedy 'Reboot the machine, which ends whatever holds them, then run again.' `
            -Message "in use or not ours to remove: $($left -join ', ')"
    }
}
