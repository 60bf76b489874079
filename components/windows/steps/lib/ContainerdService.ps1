# The Windows service containerd.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$ContainerdLogPath = 'C:\var\log\containerd\containerd.log'

function Start-Containerd {
    Start-ServiceInTime -Name 'containerd' -TimeoutSeconds 120 -LogPath $ContainerdLogPath `
        -Ready { Test-Path -LiteralPath '\\.\pipe\containerd-containerd' }
}
