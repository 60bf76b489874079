# An image's SSH server.
BeforeAll {
    . "$PSScriptRoot/support/Image.ps1"
    $programs = New-Object -TypeName System.Collections.Generic.List[string]
    Mock Invoke-NativeCommand { $programs.Add("$(Split-Path -Path $FilePath -Leaf) $($ArgumentList -join ' ')") }
}

Describe 'the SSH server' {
    BeforeEach {
        $programs.Clear()
        $SshDataFolder = Join-Path $TestDrive 'ssh'
        $null = New-Item -Path $SshDataFolder -ItemType Directory -Force
        Mock Protect-Folder { return }
        Mock Write-ProtectedFile { [IO.File]::WriteAllText($Path.Replace('\', '/'), $Text) }
        Mock Stop-ServiceInTime { return }
        Mock Start-ServiceInTime { return }
        Mock Set-ServiceRecovery { return }
        Mock Get-Service { [pscustomobject]@{ Status = 'Stopped' } }
    }

    It 'Install-SshServer takes the archive''s folder, over what an earlier run left' {
        $SshProgramFolder = Join-Path $TestDrive 'OpenSSH'
        foreach ($left in $SshProgramFolder, "$SshProgramFolder.new") {
            $null = New-Item -Path (Join-Path $left 'left') -ItemType Directory -Force
        }
        Mock Expand-Archive {
            $null = New-Item -Path (Join-Path $DestinationPath 'OpenSSH-Win64/new') -ItemType Directory -Force
        }
        Install-SshServer -Archive 'E:\kindows\media\OpenSSH-Win64.zip'
        Test-Path -LiteralPath (Join-Path $SshProgramFolder 'new') | Should -BeTrue
        Test-Path -LiteralPath (Join-Path $SshProgramFolder 'left') | Should -BeFalse
        $programs[0] | Should -Match 'install-sshd\.ps1 -Confirm'
    }

    It 'Set-SshServer takes keys and settings from the CD' {
        $folder = Join-Path $TestDrive 'cd-ssh'
        $null = New-Item -Path $folder -ItemType Directory -Force
        $names = 'ssh_host_ed25519_key', 'ssh_host_ed25519_key.pub', 'administrators_authorized_keys', 'sshd_config'
        foreach ($name in $names) {
            [IO.File]::WriteAllText((Join-Path $folder $name), $name)
        }
        Set-SshServer -Folder $folder
        Should -Invoke Write-ProtectedFile -Times 4 -Exactly
        Should -Invoke Protect-Folder -Times 1 -Exactly -ParameterFilter { $Path -eq $SshDataFolder }
    }

    It 'Set-SshIdentity writes the machine''s own keys, closed to others' {
        Set-SshIdentity -HostKey "pem`n" -HostPublicKey 'ssh-ed25519 A' -AuthorizedKeys 'ssh-ed25519 B', 'ssh-ed25519 C'
        [IO.File]::ReadAllText((Join-Path $SshDataFolder 'ssh_host_ed25519_key')) | Should -BeExactly "pem`n"
        [IO.File]::ReadAllText((Join-Path $SshDataFolder 'administrators_authorized_keys')) |
            Should -BeExactly "ssh-ed25519 B`nssh-ed25519 C`n"
        Should -Invoke Protect-Folder -Times 1 -Exactly
    }

    It 'Add-SshFirewallRule opens the port once, in every profile' {
        $rule = @{ Made = $null }
        Mock Get-NetFirewallRule { $rule.Made }
        Mock New-NetFirewallRule { $rule.Made = $Profile }
        Add-SshFirewallRule
        Add-SshFirewallRule
        Should -Invoke New-NetFirewallRule -Times 1 -Exactly -ParameterFilter { $LocalPort -eq 22 }
        $rule.Made | Should -Be 'Any'
    }

    It 'Enable-SshServer has it start with Windows, and again when it dies' {
        Enable-SshServer
        $programs | Should -BeExactly @('sc.exe config sshd start= auto')
        Should -Invoke Set-ServiceRecovery -Times 1 -Exactly -ParameterFilter { $Name -eq 'sshd' -and $Restart }
    }

    It 'Enable-SshServer refuses a Windows that has none' {
        Mock Get-Service { return }
        $failure = Get-StepFailure { Enable-SshServer }
        $failure.Code | Should -BeExactly 'ServiceNotRunning'
        $failure.Remedy | Should -Match 'image\.openSsh'
    }

    It 'Start-SshServer starts it anew' {
        Start-SshServer
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
        Should -Invoke Start-ServiceInTime -Times 1 -Exactly
    }

    It 'Disable-SshServer keeps it from starting' {
        Mock Set-Service { return }
        Disable-SshServer
        Should -Invoke Set-Service -Times 1 -Exactly -ParameterFilter {
            $Name -eq 'sshd' -and $StartupType -eq 'Disabled'
        }
    }

    It 'Remove-SshKey removes keys and nothing else' {
        foreach ($name in 'ssh_host_rsa_key', 'ssh_host_rsa_key.pub', 'administrators_authorized_keys', 'sshd_config') {
            [IO.File]::WriteAllText((Join-Path $SshDataFolder $name), '')
        }
        Remove-SshKey
        (Get-ChildItem -LiteralPath $SshDataFolder -File).Name | Should -BeExactly @('sshd_config')
    }
}
