# The guest agent and the drivers that Setup did not need.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Installs virtio-win's guest tools, or says on the serial port why it could not: Setup has the drivers that a machine
needs, and nothing here asks the guest agent.

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
    try {
        # 1641 and 3010: done, and wants a reboot, which sealing brings.
        $null = Invoke-NativeCommand -FilePath $Installer -TimeoutSeconds 900 -SuccessExitCodes 0, 1641, 3010 `
            -ArgumentList '/install', '/norestart', '/quiet', '/log', $log -Remedy "Read $log on the machine."
    }
    catch {
        Write-SerialLine -Message "warning: no guest tools: $($_.Exception.Message)"
    }
}
