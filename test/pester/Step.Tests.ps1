BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    . "$LibFolder/Step.ps1"
}

Describe 'Write-StepProgress' {
    It 'writes one line to standard error and nothing to standard output' {
        $written = New-Object -TypeName System.IO.StringWriter
        $before = [Console]::Error
        [Console]::SetError($written)
        try {
            Write-StepProgress -Message 'at work' | Should -BeNullOrEmpty
        }
        finally {
            [Console]::SetError($before)
        }
        $written.ToString().TrimEnd() | Should -BeExactly 'at work'
    }
}

Describe 'Stop-Step' {
    It 'fails with code, message and remedy' {
        $failure = Get-StepFailure { Stop-Step -Code 'CommandFailed' -Message 'It broke.' -Remedy 'Mend it.' }
        $failure.Code | Should -BeExactly 'CommandFailed'
        $failure.Message | Should -BeExactly 'It broke.'
        $failure.Remedy | Should -BeExactly 'Mend it.'
    }
}

Describe 'New-StepResult' {
    It 'is told apart from what else a body writes, and needs no reboot unless it says so' {
        $result = New-StepResult -Changed $true -Facts @{ a = 1 }
        $result.PSObject.TypeNames[0] | Should -BeExactly 'Kindows.StepResult'
        $result.Changed | Should -BeTrue
        $result.RebootRequired | Should -BeFalse
        $result.Facts['a'] | Should -Be 1
    }
}

Describe 'Write-JsonLine' {
    BeforeEach {
        $written = New-Object -TypeName System.IO.StringWriter
        $before = [Console]::Out
        [Console]::SetOut($written)
    }
    AfterEach {
        [Console]::SetOut($before)
    }

    It 'writes one line of plain ASCII that reads as what it was' {
        $text = 'Gr' + [char]0xfc + [char]0xdf + "e`nzwei"
        Write-JsonLine -Value ([ordered]@{ message = $text; facts = @{ list = @('one') } })
        $line = $written.ToString().TrimEnd("`r", "`n")
        $line | Should -Match '^[\x20-\x7e]+$'
        $read = ConvertFrom-Json -InputObject $line
        $read.message | Should -BeExactly $text
        @($read.facts.list).Count | Should -Be 1
    }
}

Describe 'Enter-StepLock' -Skip:(-not $OnWindows) {
    It 'is got when nobody has it' {
        $lock = Enter-StepLock -TimeoutSeconds 5
        $lock.ReleaseMutex()
        $lock.Dispose()
    }

    It 'is not got while another process has it, and says so' {
        $shell = (Get-Process -Id $PID).Path
        $holder = Start-Process -FilePath $shell -PassThru -WindowStyle Hidden -ArgumentList '-NoProfile', '-Command', (
            '$m = New-Object System.Threading.Mutex $true, ''Global\kindows-step''; Start-Sleep -Seconds 20')
        try {
            Start-Sleep -Seconds 5
            $failure = Get-StepFailure { Enter-StepLock -TimeoutSeconds 1 }
            $failure.Code | Should -BeExactly 'StepBusy'
        }
        finally {
            $holder.Kill()
        }
        # Killed, it has abandoned the lock: the next one gets it.
        $lock = Enter-StepLock -TimeoutSeconds 30
        $lock.ReleaseMutex()
        $lock.Dispose()
    }
}

Describe 'Assert-Administrator' -Skip:(-not $OnWindows) {
    It 'agrees with Windows' {
        $principal = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
        if ($principal.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
            { Assert-Administrator } | Should -Not -Throw
        }
        else {
            (Get-StepFailure { Assert-Administrator }).Code | Should -BeExactly 'NotAdministrator'
        }
    }
}

Describe 'Test-DiskFull' {
    It 'knows a full disk by its HRESULT <Code>, also as the cause of another error' -ForEach @(
        @{ Code = -2147024857 }
        @{ Code = -2147024784 }
    ) {
        $full = New-Object -TypeName System.IO.IOException -ArgumentList 'There is not enough space.', $Code
        $outer = New-Object -TypeName System.InvalidOperationException -ArgumentList 'Copying failed.', $full
        Test-DiskFull -Exception $full | Should -BeTrue
        Test-DiskFull -Exception $outer | Should -BeTrue
    }

    It 'takes no other error for one' {
        Test-DiskFull -Exception (New-Object -TypeName System.IO.IOException -ArgumentList 'In use.') |
            Should -BeFalse
    }
}

Describe 'Invoke-Step' {
    BeforeAll {
        # It ends its process, so each run is one of its own; lock and rights are another matter.
        function Invoke-Frame {
            param([string] $Body)

            # Windows PowerShell 5.1 ends at what a program writes to a standard error that is redirected.
            $ErrorActionPreference = 'Continue'
            $script = Join-Path $TestDrive "frame-$([Guid]::NewGuid()).ps1"
            $lines = @(
                ". '$LibFolder/Step.ps1'"
                'function Enter-StepLock { param([int] $TimeoutSeconds) New-Object System.Threading.Mutex $true }'
                'function Assert-Administrator { }'
                'function Remove-SecretRemains { }'
                "Invoke-Step -Name 'Some-Step' -Body {"
                $Body
                '}'
            )
            [IO.File]::WriteAllLines($script, $lines)
            $output = & (Get-Process -Id $PID).Path -NoProfile -NonInteractive -File $script 2>$null
            [pscustomobject]@{ ExitCode = $LASTEXITCODE; Last = ConvertFrom-Json -InputObject @($output)[-1] }
        }
    }

    It 'ends with the result as its last line and exit code 0' {
        $run = Invoke-Frame "'noise'; New-StepResult -Changed `$true -Facts @{ a = 'b' }"
        $run.ExitCode | Should -Be 0
        $run.Last.step | Should -BeExactly 'Some-Step'
        $run.Last.changed | Should -BeTrue
        $run.Last.rebootRequired | Should -BeFalse
        $run.Last.facts.a | Should -BeExactly 'b'
    }

    It 'ends a known failure with its code, message and remedy' {
        $run = Invoke-Frame "Stop-Step -Code 'JoinFailed' -Message 'No.' -Remedy 'Try.'"
        $run.ExitCode | Should -Be $StepExitCodes['JoinFailed']
        $run.Last.error.code | Should -BeExactly 'JoinFailed'
        $run.Last.error.message | Should -BeExactly 'No.'
        $run.Last.error.remedy | Should -BeExactly 'Try.'
    }

    It 'ends an unknown failure as Unexpected, and says where it was' {
        $run = Invoke-Frame "throw 'boom'"
        $run.ExitCode | Should -Be $StepExitCodes['Unexpected']
        $run.Last.error.code | Should -BeExactly 'Unexpected'
        $run.Last.error.message | Should -BeExactly 'boom'
        $run.Last.error.remedy | Should -Match 'failed at .*frame-.*\.ps1:\d+'
    }

    It 'ends a reading of what is not set as a failure: it is strict' {
        (Invoke-Frame '$nothing.Here').ExitCode | Should -Be $StepExitCodes['Unexpected']
    }
}

Describe 'Invoke-Cleanup' {
    BeforeAll {
        . "$LibFolder/Cleanup.ps1"
        Mock Write-StepProgress { return }
    }

    It 'names what was removed' {
        $part = Invoke-Cleanup -Name 'things' -Body { 'one'; 'two' }
        $part.Removed | Should -Be @('one', 'two')
        $part.Problem | Should -BeExactly ''
    }

    It 'has nothing to name where nothing was there' {
        @((Invoke-Cleanup -Name 'things' -Body { return }).Removed).Count | Should -Be 0
    }

    It 'keeps what was removed before a failure, and goes on' {
        $part = Invoke-Cleanup -Name 'things' -Body { 'one'; throw 'in use' }
        $part.Removed | Should -Be @('one')
        $part.Problem | Should -BeExactly 'things: in use'
        Should -Invoke Write-StepProgress -Times 1 -Exactly
    }
}

Describe 'Remove-SecretRemains' {
    BeforeEach {
        $JoinConfigurationPath = Join-Path $TestDrive 'join-configuration.json'
        $JoinRecordPath = Join-Path $TestDrive 'join.json'
        $BootstrapConfigPath = Join-Path $TestDrive 'bootstrap-kubelet.conf'
        foreach ($path in $JoinConfigurationPath, $JoinRecordPath, $BootstrapConfigPath) {
            if (Test-Path -LiteralPath $path) { Remove-Item -LiteralPath $path }
        }
    }

    It 'has nothing to do on a machine that never joined' {
        { Remove-SecretRemains } | Should -Not -Throw
    }

    It 'removes the file with the token' {
        Set-Content -LiteralPath $JoinConfigurationPath -Value 'x'
        Remove-SecretRemains
        $JoinConfigurationPath | Should -Not -Exist
    }

    It 'removes kubelet''s bootstrap file of our join, and leaves somebody else''s' {
        Set-Content -LiteralPath $BootstrapConfigPath -Value 'x'
        Remove-SecretRemains
        $BootstrapConfigPath | Should -Exist
        Set-Content -LiteralPath $JoinRecordPath -Value '{}'
        Remove-SecretRemains
        $BootstrapConfigPath | Should -Not -Exist
        $JoinRecordPath | Should -Exist
    }
}
