# Settings of Windows that every machine made from the image shall have.

$WinlogonKey = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon'
$FeatureOverrideKey = 'HKLM:\SYSTEM\CurrentControlSet\Policies\Microsoft\FeatureManagement\Overrides'

# High performance, no sleep, no hibernation and so no file for it.
function Set-PowerPlan {
    $settings = @(
        , @('/setactive', '8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c')
        , @('/hibernate', 'off')
        , @('/change', 'standby-timeout-ac', '0')
        , @('/change', 'monitor-timeout-ac', '0')
    )
    foreach ($arguments in $settings) {
        # 1: the machine has no such state, hibernation for one.
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\powercfg.exe" -ArgumentList $arguments `
            -TimeoutSeconds 60 -SuccessExitCodes 0, 1 -Remedy 'Run it by hand on the machine.'
    }
}

# Windows Server opens WinRM by itself; SSH is the only way in.
function Stop-RemoteManagement {
    Stop-ServiceInTime -Name 'WinRM'
    Set-Service -Name 'WinRM' -StartupType Disabled
}

# The menu that Windows Server without a desktop shows.
function Stop-ConsoleMenu {
    if ($null -ne (Get-Command -Name 'Set-SConfig' -ErrorAction SilentlyContinue)) {
        Set-SConfig -AutoLaunch $false
    }
}

# Nobody is logged on after the next boot, and the password is not kept for one.
function Stop-AutomaticLogon {
    Set-ItemProperty -LiteralPath $WinlogonKey -Name 'AutoAdminLogon' -Value '0'
    $present = (Get-ItemProperty -LiteralPath $WinlogonKey).PSObject.Properties.Name
    foreach ($name in 'DefaultPassword', 'AutoLogonCount') {
        if ($present -contains $name) {
            Remove-ItemProperty -LiteralPath $WinlogonKey -Name $name
        }
    }
}

# Keeps Windows Server 2022 from a change of its virtual switch that came with an update, as image-builder does since
# April 2025. Microsoft does not say what the number stands for.
function Set-SwitchOverride {
    $windows = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
    if ($windows.CurrentBuildNumber -ne '20348') {
        return
    }
    if (-not (Test-Path -LiteralPath $FeatureOverrideKey)) {
        $null = New-Item -Path $FeatureOverrideKey -Force
    }
    $null = New-ItemProperty -LiteralPath $FeatureOverrideKey -Name '1114842764' -PropertyType DWord -Value 0 -Force
}
