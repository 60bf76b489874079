# The guest agent and the drivers that Setup did not need.

# A failure is only reported: Setup has installed the drivers that a machine needs, and nothing needs the guest agent.
function Install-GuestTools {
    param([string] $Installer)
    $log = 'C:\kindows\state\virtio-win-guest-tools.log'
    try {
        # 1641 and 3010: done, with a reboot pending, which sealing includes.
        $null = Invoke-NativeCommand -FilePath $Installer -TimeoutSeconds 900 -SuccessExitCodes 0, 1641, 3010 `
            -ArgumentList '/install', '/norestart', '/quiet', '/log', $log -Remedy "Read $log on the machine."
    }
    catch {
        Write-SerialLine -Message "warning: no guest tools: $($_.Exception.Message)"
    }
}
