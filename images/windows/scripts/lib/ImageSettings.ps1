# Windows settings that every machine made from the image has.

$WinlogonKey = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon'

# High performance, no sleep, and no hibernation, which also removes its file.
function Set-PowerPlan {
    $settings = @(
        , @('/setactive', '8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c')
        , @('/hibernate', 'off')
        , @('/change', 'standby-timeout-ac', '0')
        , @('/change', 'monitor-timeout-ac', '0')
    )
    foreach ($arguments in $settings) {
        # 1: the machine does not support the state, e.g. hibernation.
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\powercfg.exe" -ArgumentList $arguments `
            -TimeoutSeconds 60 -SuccessExitCodes 0, 1 -Remedy 'Run it by hand on the machine.'
    }
}

# Windows Server enables WinRM by default. Only SSH stays open.
function Stop-RemoteManagement {
    Stop-ServiceInTime -Name 'WinRM'
    Set-Service -Name 'WinRM' -StartupType Disabled
}

# Disables the menu that Windows Server without a desktop shows at logon.
function Stop-ConsoleMenu {
    if ($null -ne (Get-Command -Name 'Set-SConfig' -ErrorAction SilentlyContinue)) {
        Set-SConfig -AutoLaunch $false
    }
}

# Also removes the stored password.
function Stop-AutomaticLogon {
    Set-ItemProperty -LiteralPath $WinlogonKey -Name 'AutoAdminLogon' -Value '0'
    $present = (Get-ItemProperty -LiteralPath $WinlogonKey).PSObject.Properties.Name
    foreach ($name in 'DefaultPassword', 'AutoLogonCount') {
        if ($present -contains $name) {
            Remove-ItemProperty -LiteralPath $WinlogonKey -Name $name
        }
    }
}

# After two power cuts Windows would wait in its recovery environment, without a network, until somebody sits at the
# machine (Microsoft's list for images of Azure, prepare-for-upload-vhd-image).
function Stop-AutomaticRepair {
    $settings = @(
        , @('/set', '{default}', 'recoveryenabled', 'No')
        , @('/set', '{default}', 'bootstatuspolicy', 'IgnoreAllFailures')
    )
    foreach ($arguments in $settings) {
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\bcdedit.exe" -ArgumentList $arguments `
            -TimeoutSeconds 60 -Remedy 'See what `bcdedit` prints on the machine.'
    }
}

# The machine's clock is UTC whatever Windows' time zone is, which is another one between sysprep and the answer file.
function Set-UtcClock {
    $null = New-ItemProperty -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control\TimeZoneInformation' `
        -Name 'RealTimeIsUniversal' -PropertyType DWord -Value 1 -Force
}

# On a busy first boot a service may need more than the 30 s that Windows gives it to start. Windows does not try again
# (events 7000 and 7009; learn.microsoft.com, service-not-start-events-7000-7011-time-out-error), and sshd would be
# missing until the next boot.
function Set-ServiceStartLimit {
    $null = New-ItemProperty -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control' -Name 'ServicesPipeTimeout' `
        -PropertyType DWord -Value 180000 -Force
}
