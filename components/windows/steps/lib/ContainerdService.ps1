# The Windows service containerd.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$ContainerdLogPath = 'C:\var\log\containerd\containerd.log'

<#
.SYNOPSIS
Starts the service containerd unless it runs, and waits until it serves its pipe.
#>
function Start-Containerd {
    [CmdletBinding()]
    param()

    Start-ServiceInTime -Name 'containerd' -TimeoutSeconds 120 -LogPath $ContainerdLogPath `
        -Ready { Test-Path -LiteralPath '\\.\pipe\containerd-containerd' }
}
