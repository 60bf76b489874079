# Windows settings that every machine made from the image has.

$WinlogonKey = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon'
$FeatureOverrideKey = 'HKLM:\SYSTEM\CurrentControlSet\Policies\Microsoft\FeatureManagement\Overrides'

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

# Disables a change of Windows Server 2022's virtual switch that came with an update, as image-builder does since April
# 2025. Microsoft does not document the number.
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
