# Sealing an image: what of this machine must not be in it, and the task that ends the work.
BeforeAll {
    . "$PSScriptRoot/support/Image.ps1"
}

Describe 'sealing' {
    It 'Remove-AnswerFile removes those that are there' {
        $AnswerFilePaths = @((Join-Path $TestDrive 'unattend.xml'), (Join-Path $TestDrive 'gone.xml'))
        [IO.File]::WriteAllText($AnswerFilePaths[0], '')
        Remove-AnswerFile
        Test-Path -LiteralPath $AnswerFilePaths[0] | Should -BeFalse
    }

    It 'New-RandomPassword meets the rules of complexity, and is another one each time' {
        $password = New-RandomPassword
        $password.Length | Should -BeGreaterThan 40
        $password | Should -MatchExactly '^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).*-$'
        New-RandomPassword | Should -Not -BeExactly $password
    }

    It 'Reset-AdministratorPassword finds the account whatever it is called' {
        $accounts = @(
            [pscustomobject]@{ Name = 'Gast'; SID = [pscustomobject]@{ Value = 'S-1-5-21-1-2-3-501' } }
            [pscustomobject]@{ Name = 'Administrateur'; SID = [pscustomobject]@{ Value = 'S-1-5-21-1-2-3-500' } }
        )
        Mock Get-LocalUser { $accounts }
        Mock Set-LocalUser { return } -RemoveParameterType 'InputObject'
        Reset-AdministratorPassword
        Should -Invoke Set-LocalUser -Times 1 -Exactly -ParameterFilter {
            $InputObject.Name -eq 'Administrateur' -and $Password.Length -gt 40
        }
    }

    It 'Write-SealedAnswerFile puts a password into the mark''s place' {
        $written = @{ Text = '' }
        $template = Join-Path $TestDrive 'sealed.xml'
        [IO.File]::WriteAllText($template, '<Value>@ADMINISTRATOR-PASSWORD@</Value>')
        Mock Write-ProtectedFile { $written.Text = $Text }
        Write-SealedAnswerFile -Template $template
        $written.Text | Should -MatchExactly '^<Value>([A-Za-z0-9+/=]+)</Value>$'
        $encoded = $written.Text -replace '</?Value>', ''
        [Text.Encoding]::Unicode.GetString([Convert]::FromBase64String($encoded)) |
            Should -BeLike '*AdministratorPassword'
    }

    It 'Write-SealedAnswerFile refuses a file without the mark' {
        $template = Join-Path $TestDrive 'other.xml'
        [IO.File]::WriteAllText($template, '<unattend/>')
        (Get-StepFailure { Write-SealedAnswerFile -Template $template }).Code |
            Should -BeExactly 'ConfigurationUnknown'
    }

    It 'Start-Sealing leaves it to a task, which outlives the session' {
        Mock New-ScheduledTaskAction { $Argument }
        Mock New-ScheduledTaskPrincipal { 'SYSTEM' }
        Mock Register-ScheduledTask { return } -RemoveParameterType 'Action', 'Principal'
        Mock Start-ScheduledTask { return }
        Start-Sealing -DelaySeconds 5
        Should -Invoke Register-ScheduledTask -Times 1 -Exactly -ParameterFilter {
            $Action -match "Sealing\.ps1'; Invoke-Sysprep -DelaySeconds 5"
        }
        Should -Invoke Start-ScheduledTask -Times 1 -Exactly
    }
}

Describe 'Invoke-Sysprep' {
    BeforeEach {
        $windows = @{ State = 'IMAGE_STATE_GENERALIZE_RESEAL_TO_OOBE' }
        $lines = New-Object -TypeName System.Collections.Generic.List[string]
        $SysprepErrorLog = Join-Path $TestDrive 'setuperr.log'
        [IO.File]::WriteAllText($SysprepErrorLog, "SYSPRP Package Edge was installed for a user`r`n")
        Mock Unregister-ScheduledTask { return }
        Mock Invoke-NativeCommand { return }
        Mock Get-ItemProperty { [pscustomobject]@{ ImageState = $windows.State } }
        Mock Write-SerialLine { $lines.Add($Message) }
    }

    It 'generalizes, and says nothing where that is done' {
        Invoke-Sysprep -DelaySeconds 1
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            "$ArgumentList" -match '^/oobe /generalize /mode:vm /shutdown /quiet /unattend:'
        }
        $lines | Should -BeNullOrEmpty
    }

    It 'says why it was not done' {
        $windows.State = 'IMAGE_STATE_COMPLETE'
        Invoke-Sysprep -DelaySeconds 1
        $lines | Should -HaveCount 1
        $lines[0] | Should -Match '^failed: sysprep ended .*STATE_COMPLETE.*Package Edge'
    }

    It 'says that sysprep did not end' {
        Mock Invoke-NativeCommand { Stop-Step -Code 'CommandTimedOut' -Message 'It hangs.' -Remedy 'x' }
        Invoke-Sysprep -DelaySeconds 1
        $lines | Should -BeExactly @('failed: It hangs. x')
    }
}

Describe 'Remove-RecoveryPartition' {
    BeforeEach {
        $windows = [pscustomobject]@{ DiskNumber = 0; PartitionNumber = 3; GptType = '{ebd0}'; MbrType = $null }
        $disk = @{ Partitions = @($windows) }
        Mock Get-Partition { $disk.Partitions }
        Mock Remove-Partition { return }
        Mock Invoke-NativeCommand { return }
    }

    It 'leaves a disk alone that has none' {
        Remove-RecoveryPartition
        Should -Invoke Remove-Partition -Times 0 -Exactly
        Should -Invoke Invoke-NativeCommand -Times 0 -Exactly
    }

    It 'removes one behind drive C:, of a <Kind>, once nothing recovers from it' -ForEach @(
        @{ Kind = 'GPT'; GptType = '{de94bba4-06d1-4d40-a16a-bfd50179d6ac}'; MbrType = $null }
        @{ Kind = 'MBR'; GptType = $null; MbrType = 39 }
    ) {
        $disk.Partitions += [pscustomobject]@{
            DiskNumber = 0; PartitionNumber = 4; GptType = $GptType; MbrType = $MbrType
        }
        Remove-RecoveryPartition
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter { $ArgumentList -contains '/disable' }
        Should -Invoke Remove-Partition -Times 1 -Exactly -ParameterFilter { $PartitionNumber -eq 4 }
    }
}

Describe 'Remove-UserPackage' {
    BeforeEach {
        $lines = New-Object -TypeName System.Collections.Generic.List[string]
        Mock Write-SerialLine { $lines.Add($Message) }
        Mock Get-AppxPackage {
            foreach ($name in 'Microsoft.MicrosoftEdge.Stable', 'Microsoft.WindowsTerminal') {
                [pscustomobject]@{ Name = $name; PackageFullName = "${name}_1.0_neutral__8wekyb3d8bbwe" }
            }
        }
        Mock Remove-AppxPackage { return }
    }

    It 'removes Edge''s, for all users, and no other' {
        Remove-UserPackage
        Should -Invoke Remove-AppxPackage -Times 1 -Exactly
        Should -Invoke Remove-AppxPackage -Times 1 -Exactly -ParameterFilter {
            $AllUsers -and $Package -like 'Microsoft.MicrosoftEdge.Stable_*'
        }
    }

    It 'does nothing where Windows knows no packages' {
        Mock Get-Command { return } -ParameterFilter { $Name -eq 'Get-AppxPackage' }
        Remove-UserPackage
        Should -Invoke Remove-AppxPackage -Times 0 -Exactly
    }

    It 'goes on where one stays, and tells' {
        Mock Remove-AppxPackage { throw 'In use.' }
        Remove-UserPackage
        $lines | Should -BeExactly @("warning: Edge's package stays: In use.")
    }
}

Describe 'Complete-Image' {
    BeforeEach {
        $calls = New-Object -TypeName System.Collections.Generic.List[string]
        Mock Write-SerialLine { return }
        Mock Stop-RemoteManagement { $calls.Add('WinRM') }
        Mock Remove-RecoveryPartition { $calls.Add('recovery partition') }
        Mock Remove-UserPackage { $calls.Add('package') }
        Mock Remove-AnswerFile { $calls.Add('answer files') }
        Mock Reset-AdministratorPassword { $calls.Add('password') }
        Mock Write-SealedAnswerFile { $calls.Add('sealed answer file') }
        Mock Install-FirstBoot { $calls.Add('first boot') }
        Mock Disable-SshServer { $calls.Add('closed') }
        Mock Remove-SshKey { $calls.Add('keys') }
        Mock Start-Sealing { $calls.Add('sealing') }
    }

    It 'takes passwords and keys out, closes the machine, and seals last' {
        $null = & "$ImageFolder/Complete-Image.ps1" -SealedAnswerFile 'E:\kindows\sealed.xml'
        $calls[$calls.Count - 1] | Should -BeExactly 'sealing'
        $calls.IndexOf('sealed answer file') | Should -BeGreaterThan $calls.IndexOf('answer files')
        foreach ($done in 'WinRM', 'recovery partition', 'package', 'password', 'first boot', 'closed', 'keys') {
            $calls | Should -Contain $done
        }
    }

    It 'does not seal what still has something in it' {
        Mock Remove-SshKey { throw 'In use.' }
        (Get-StepFailure { & "$ImageFolder/Complete-Image.ps1" -SealedAnswerFile 'E:\sealed.xml' }).Message |
            Should -Match 'In use'
        $calls | Should -Not -Contain 'sealing'
    }
}
