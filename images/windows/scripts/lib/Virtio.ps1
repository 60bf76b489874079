# virtio's drivers and QEMU's guest agent, each by itself. The bundle virtio-win-guest-tools.exe also installs what a
# server never uses (the SPICE agent, a display driver), is silent for minutes, and ends with 1603 on some hosts
# (virtio-win/virtio-win-guest-tools-installer#60, #64, #78).

# Setup has installed the drivers of the devices that it saw. The others wait in the driver store for the machines' own
# devices, so a failure is only reported.
function Install-VirtioDriver {
    param([string] $Folder)
    # One file a call: only then does the exit code say what became of it (Microsoft, "PnPUtil return values").
    foreach ($driver in Get-ChildItem -LiteralPath $Folder -Recurse -Filter '*.inf' | Sort-Object -Property FullName) {
        try {
            # 259: no device needs it, or the device has it already. 3010: done, with a reboot pending.
            $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\pnputil.exe" -TimeoutSeconds 120 `
                -ArgumentList '/add-driver', $driver.FullName, '/install' -SuccessExitCodes 0, 259, 3010 `
                -Remedy "Read $env:SystemRoot\INF\setupapi.dev.log on the machine."
        }
        catch {
            Write-SerialLine -Message "warning: no driver $($driver.Name): $($_.Exception.Message)"
        }
    }
}

# A failure is only reported, because only KubeVirt's Multus networks need the guest agent.
function Install-GuestAgent {
    param([string] $Package)
    $log = 'C:\kindows\state\guest-agent.log'
    try {
        # 1641 and 3010: done, with a reboot pending, which sealing includes.
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\msiexec.exe" -TimeoutSeconds 300 `
            -ArgumentList '/i', $Package, '/qn', '/norestart', '/l*v', $log -SuccessExitCodes 0, 1641, 3010 `
            -Remedy "Read $log on the machine."
    }
    catch {
        Write-SerialLine -Message "warning: no guest agent: $($_.Exception.Message)"
    }
}
