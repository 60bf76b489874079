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
            $Action -match 'Start-Sleep -Seconds 5' -and $Action -match '/oobe /generalize /mode:vm /shutdown'
        }
        Should -Invoke Start-ScheduledTask -Times 1 -Exactly
    }
}

Describe 'Complete-Image' {
    BeforeEach {
        $calls = New-Object -TypeName System.Collections.Generic.List[string]
        Mock Write-SerialLine { return }
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
        foreach ($done in 'password', 'first boot', 'closed', 'keys') {
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
