# The guest agent and the drivers that Setup did not need.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Installs virtio-win's guest tools; stops the step where the guest agent is not there afterwards.

.PARAMETER Installer
Full path of virtio-win-guest-tools.exe.
#>
function Install-GuestTools {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Installer
    )

    $log = 'C:\kindows\state\virtio-win-guest-tools.log'
    # 3010: done, and wants a reboot, which sealing brings.
    $null = Invoke-NativeCommand -FilePath $Installer -ArgumentList '/install', '/norestart', '/quiet', '/log', $log `
        -TimeoutSeconds 900 -SuccessExitCodes 0, 3010 -Remedy "Read $log on the machine."
    if ($null -eq (Get-Service -Name 'QEMU-GA' -ErrorAction SilentlyContinue)) {
        Stop-Step -Code 'CommandFailed' -Message 'The guest tools were installed, but there is no service QEMU-GA.' `
            -Remedy "Read $log on the machine."
    }
}
