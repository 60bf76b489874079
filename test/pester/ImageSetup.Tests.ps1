# Preparing an image.
BeforeAll {
    . "$PSScriptRoot/support/Image.ps1"
    $programs = New-Object -TypeName System.Collections.Generic.List[string]
    Mock Invoke-NativeCommand { $programs.Add("$(Split-Path -Path $FilePath -Leaf) $($ArgumentList -join ' ')") }
}

Describe 'Write-SerialLine' {
    It 'goes on where nobody takes the line' {
        $taken = @{ Disposed = $false }
        $port = [pscustomobject]@{ WriteTimeout = 0 }
        $port | Add-Member -MemberType ScriptMethod -Name Open -Value { throw (New-Object -TypeName IO.IOException) }
        $port | Add-Member -MemberType ScriptMethod -Name Dispose -Value { $taken.Disposed = $true }
        Mock New-Object { $port } -ParameterFilter { $TypeName -eq 'System.IO.Ports.SerialPort' }
        Write-SerialLine -Message 'hello'
        $taken.Disposed | Should -BeTrue
        Should -Invoke Write-StepProgress -Times 1 -Exactly -ParameterFilter { $Message -eq 'hello' }
    }

    It 'writes one line that says whose it is' {
        $lines = New-Object -TypeName System.Collections.Generic.List[string]
        $port = [pscustomobject]@{ WriteTimeout = 0 }
        foreach ($name in 'Open', 'Dispose') {
            $port | Add-Member -MemberType ScriptMethod -Name $name -Value { return }
        }
        $port | Add-Member -MemberType ScriptMethod -Name WriteLine -Value { $lines.Add($args[0]) }
        Mock New-Object { $port } -ParameterFilter { $TypeName -eq 'System.IO.Ports.SerialPort' }
        Write-SerialLine -Message 'sealing'
        $lines | Should -BeExactly @('kindows: sealing')
    }
}

Describe 'settings of every machine' {
    BeforeEach {
        $programs.Clear()
    }

    It 'Set-PowerPlan: fast, awake, without a file for hibernation' {
        Set-PowerPlan
        $programs | Should -Contain 'powercfg.exe /hibernate off'
        $programs[0] | Should -Match '^powercfg\.exe /setactive 8c5e7fda-'
    }

    It 'Stop-RemoteManagement: WinRM stays closed' {
        Mock Stop-ServiceInTime { return }
        Mock Set-Service { return }
        Stop-RemoteManagement
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly -ParameterFilter { $Name -eq 'WinRM' }
        Should -Invoke Set-Service -Times 1 -Exactly -ParameterFilter { $StartupType -eq 'Disabled' }
    }

    It 'Stop-ConsoleMenu: where there is one' {
        Mock Set-SConfig { return }
        Mock Get-Command { return } -ParameterFilter { $Name -eq 'Set-SConfig' }
        Stop-ConsoleMenu
        Should -Invoke Set-SConfig -Times 0 -Exactly
        Mock Get-Command { $true } -ParameterFilter { $Name -eq 'Set-SConfig' }
        Stop-ConsoleMenu
        Should -Invoke Set-SConfig -Times 1 -Exactly -ParameterFilter { $AutoLaunch -eq $false }
    }

    It 'Stop-AutomaticLogon: once, with the password it needed' {
        $key = @{ DefaultPassword = 'x'; Shell = 'explorer.exe' }
        Mock Set-ItemProperty { return }
        Mock Get-ItemProperty { [pscustomobject]$key }
        # The real cmdlet takes a list of names.
        Mock Remove-ItemProperty { $key.Remove([string]$Name) }
        Stop-AutomaticLogon
        Stop-AutomaticLogon
        Should -Invoke Remove-ItemProperty -Times 1 -Exactly -ParameterFilter { $Name -eq 'DefaultPassword' }
        Should -Invoke Set-ItemProperty -Times 2 -Exactly -ParameterFilter {
            $Name -eq 'AutoAdminLogon' -and $Value -eq '0'
        }
    }
}

Describe 'Initialize-Image' {
    BeforeEach {
        $calls = New-Object -TypeName System.Collections.Generic.List[string]
        Mock Write-SerialLine { $calls.Add($Message) }
        Mock New-Item { return }
        Mock Disable-AutomaticUpdate { $true }
        Mock Set-PowerPlan { return }
        Mock Stop-ConsoleMenu { return }
        Mock Stop-AutomaticLogon { return }
        Mock Set-SwitchOverride { return }
        Mock Install-GuestTools { return }
        Mock Install-SshServer { return }
        Mock Set-SshServer { return }
        Mock Add-SshFirewallRule { return }
        Mock Enable-SshServer { return }
        Mock Start-SshServer { $calls.Add('ssh') }
        Mock Install-ImageUpdate { $calls.Add('update') }
        Mock Start-Reboot { $calls.Add('reboot') }
        $onDisc = @{ IsThere = $true; HasUpdate = $false }
        Mock Test-Path { $onDisc.IsThere }
        Mock Test-Path { $onDisc.HasUpdate } -ParameterFilter { $LiteralPath -like '*update.msu' }
    }

    It 'installs OpenSSH from the CD where it has it, and opens the machine last' {
        (& "$ImageFolder/Initialize-Image.ps1").Facts['openSsh'] | Should -BeExactly 'archive'
        Should -Invoke Install-SshServer -Times 1 -Exactly
        $calls[$calls.Count - 2] | Should -BeExactly 'ssh'
        $calls[$calls.Count - 1] | Should -BeExactly 'initialized'
    }

    It 'takes Windows'' own OpenSSH otherwise' {
        $onDisc.IsThere = $false
        (& "$ImageFolder/Initialize-Image.ps1").Facts['openSsh'] | Should -BeExactly 'windows'
        Should -Invoke Install-SshServer -Times 0 -Exactly
    }

    It 'installs an update last, and opens the machine after its reboot only' {
        $onDisc.HasUpdate = $true
        (& "$ImageFolder/Initialize-Image.ps1").RebootRequired | Should -BeTrue
        ($calls | Select-Object -Last 4) |
            Should -BeExactly @('installing the update', 'update', 'updated, rebooting', 'reboot')
        $calls | Should -Not -Contain 'ssh'
        Should -Invoke Enable-SshServer -Times 1 -Exactly
    }

    It 'does not reboot after an update that failed' {
        $onDisc.HasUpdate = $true
        Mock Install-ImageUpdate { Stop-Step -Code 'CommandFailed' -Message 'It is for another.' -Remedy 'Take mine.' }
        (Get-StepFailure { & "$ImageFolder/Initialize-Image.ps1" }).Code | Should -BeExactly 'CommandFailed'
        $calls[$calls.Count - 1] | Should -BeExactly 'failed: It is for another. Take mine.'
        $calls | Should -Not -Contain 'reboot'
    }

    It 'says what failed' {
        Mock Install-GuestTools { throw 'No drivers.' }
        (Get-StepFailure { & "$ImageFolder/Initialize-Image.ps1" }).Message | Should -Match 'No drivers'
        $calls | Should -Contain 'failed: No drivers.'
        $calls | Should -Not -Contain 'ssh'
    }
}
