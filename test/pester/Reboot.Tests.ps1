# Reboots: ordered, recorded, and those that Windows waits for.
BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'PendingReboot') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
}

Describe 'the record of a reboot' {
    BeforeEach {
        $RebootRecordPath = Join-Path (Join-Path $TestDrive 'state') 'reboot.json'
        $booted = [DateTime]::SpecifyKind([DateTime]'2026-11-21T10:00:00', [DateTimeKind]::Utc)
        Mock Get-CimInstance { [pscustomobject]@{ LastBootUpTime = $booted } }
    }

    It 'Get-LastBootUpTime gives UTC to the second' {
        Get-LastBootUpTime | Should -BeExactly '2026-11-21T10:00:00Z'
    }

    It 'Save-RebootRecord writes what Get-RebootRecord reads' {
        Save-RebootRecord
        Get-RebootRecord | ForEach-Object { ([DateTime]$_).ToUniversalTime() } | Should -Be $booted
    }

    It 'Get-RebootRecord takes a file for none that a power cut left as: <Text>' -ForEach @(
        @{ Text = '' }
        @{ Text = '{"lastBootUpTime":"2026' }
    ) {
        Save-RebootRecord
        [IO.File]::WriteAllText($RebootRecordPath, $Text)
        Get-RebootRecord | Should -BeNullOrEmpty
    }

    It 'Remove-RebootRecord removes it, twice in a row too' {
        Save-RebootRecord
        Remove-RebootRecord
        { Remove-RebootRecord } | Should -Not -Throw
        Get-RebootRecord | Should -BeNullOrEmpty
    }
}

Describe 'Start-Reboot' {
    BeforeEach {
        $sshd = New-FakeService -Status 'Running'
        Mock Get-Service { $sshd }
        Mock Invoke-NativeCommand { return }
    }

    It 'orders the reboot, also where one is ordered already, and closes the SSH port' {
        Start-Reboot -DelaySeconds 5 -Comment 'kindows: test'
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            $FilePath -match 'shutdown\.exe$' -and ($ArgumentList -join '|') -match '^/r\|/f\|/t\|5\|' -and
            $SuccessExitCodes -contains 1115 -and $SuccessExitCodes -contains 1190
        }
        $sshd.Status | Should -BeExactly 'Stopped'
    }

    It 'leaves the port open when the reboot can not be ordered' {
        Mock Invoke-NativeCommand { Stop-Step -Code 'CommandFailed' -Message 'no' -Remedy 'x' }
        (Get-StepFailure { Start-Reboot -DelaySeconds 5 -Comment 'x' }).Code | Should -BeExactly 'CommandFailed'
        $sshd.Status | Should -BeExactly 'Running'
    }
}

Describe 'Get-PendingRebootReason' {
    It 'names <Reasons> for <Pattern>' -ForEach @(
        @{ Pattern = 'nothing'; Reasons = @() }
        @{ Pattern = 'RebootPending'; Reasons = @('Component Based Servicing') }
        @{ Pattern = 'RebootRequired'; Reasons = @('Windows Update') }
        @{ Pattern = 'Reboot'; Reasons = @('Component Based Servicing', 'Windows Update') }
    ) {
        Mock Test-Path { $LiteralPath -match $Pattern }
        @(Get-PendingRebootReason) | Should -Be $Reasons
    }
}

Describe 'Get-PendingComputerName' {
    It 'gives <Expected> where <Later> follows <Now>' -ForEach @(
        @{ Now = 'WIN-1'; Later = 'WIN-1'; Expected = '' }
        @{ Now = 'WIN-ABC'; Later = 'WIN-1'; Expected = 'WIN-1' }
    ) {
        Mock Get-ItemProperty {
            [pscustomobject]@{ ComputerName = $(if ($LiteralPath -match 'Active') { $Now } else { $Later }) }
        }
        Get-PendingComputerName | Should -BeExactly $Expected
    }
}
