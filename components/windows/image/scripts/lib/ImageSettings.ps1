# Settings of Windows that every machine made from the image shall have.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$WinlogonKey = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon'

<#
.SYNOPSIS
Keeps the machine awake and fast: the plan High performance, no sleep, no hibernation and so no file for it.
#>
function Set-PowerPlan {
    [CmdletBinding()]
    param()

    $settings = @(
        , @('/setactive', '8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c')
        , @('/hibernate', 'off')
        , @('/change', 'standby-timeout-ac', '0')
        , @('/change', 'monitor-timeout-ac', '0')
    )
    foreach ($arguments in $settings) {
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\powercfg.exe" -ArgumentList $arguments `
            -TimeoutSeconds 60 -Remedy 'Run it by hand on the machine.'
    }
}

<#
.SYNOPSIS
Closes WinRM, which Windows Server opens by itself: SSH is the only way in.
#>
function Stop-RemoteManagement {
    [CmdletBinding()]
    param()

    Stop-ServiceInTime -Name 'WinRM'
    Set-Service -Name 'WinRM' -StartupType Disabled
}

<#
.SYNOPSIS
Keeps the menu of Windows Server without a desktop from taking the console.
#>
function Stop-ConsoleMenu {
    [CmdletBinding()]
    param()

    if ($null -ne (Get-Command -Name 'Set-SConfig' -ErrorAction SilentlyContinue)) {
        Set-SConfig -AutoLaunch $false
    }
}

<#
.SYNOPSIS
Ends automatic logons: nobody is logged on after the next boot, and the password is not kept for one.
#>
function Stop-AutomaticLogon {
    [CmdletBinding()]
    param()

    Set-ItemProperty -LiteralPath $WinlogonKey -Name 'AutoAdminLogon' -Value '0'
    $present = (Get-ItemProperty -LiteralPath $WinlogonKey).PSObject.Properties.Name
    foreach ($name in 'DefaultPassword', 'AutoLogonCount') {
        if ($present -contains $name) {
            Remove-ItemProperty -LiteralPath $WinlogonKey -Name $name
        }
    }
}
