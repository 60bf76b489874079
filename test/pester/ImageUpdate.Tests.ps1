# The update that is put into an image, and the look at what came of it.
BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    $ImageFolder = New-ImageFolder -Path (Join-Path $TestDrive 'cd')
    foreach ($lib in Get-ChildItem -LiteralPath (Join-Path $ImageFolder 'lib') -Filter '*.ps1' -File) {
        . $lib.FullName
    }
    Mock Write-StepProgress { return }
    # The frame ends the process, and has tests of its own.
    Mock Invoke-Step { & $Body }
}

Describe 'Install-ImageUpdate' {
    It 'installs without a question and a reboot, and takes an update that is there already' {
        Mock Invoke-NativeCommand { return }
        Install-ImageUpdate -Package 'E:\kindows\media\update.msu'
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            $FilePath -like '*\System32\wusa.exe' -and
            ($ArgumentList -join ' ') -eq 'E:\kindows\media\update.msu /quiet /norestart' -and
            ($SuccessExitCodes -join ' ') -eq '0 1641 3010 2359301 2359302' -and $Remedy -match '0x80240017.*another Windows'
        }
    }
}

Describe 'Get-ImageBuild' {
    It 'reads numbers, whatever the registry has them as' {
        Mock Get-ItemProperty { [pscustomobject]@{ CurrentBuildNumber = '20348'; UBR = 2762 } }
        $build = Get-ImageBuild
        $build.Build | Should -BeExactly 20348
        $build.Revision | Should -BeExactly 2762
    }
}

Describe 'Write-SerialFailure' {
    It 'says what to do as well, in one line' {
        $said = @{ Line = '' }
        Mock Write-SerialLine { $said.Line = $Message }
        try {
            Stop-Step -Code 'CommandFailed' -Message "It ended with 1.`r`nIt wrote: x" -Remedy 'Try another.'
        }
        catch {
            Write-SerialFailure -Exception $_.Exception
        }
        $said.Line | Should -BeExactly 'failed: It ended with 1. It wrote: x Try another.'
    }

    It 'does without where nobody knows' {
        $said = @{ Line = '' }
        Mock Write-SerialLine { $said.Line = $Message }
        Write-SerialFailure -Exception (New-Object -TypeName System.Exception -ArgumentList 'No idea.')
        $said.Line | Should -BeExactly 'failed: No idea.'
    }
}

Describe 'Confirm-ImageBuild' {
    BeforeEach {
        $windows = @{ Build = 20348; Revision = 2762; Waits = @() }
        $said = New-Object -TypeName System.Collections.Generic.List[string]
        Mock Write-SerialLine { $said.Add($Message) }
        Mock Get-PendingRebootReason { $windows.Waits }
        Mock Get-ImageBuild { [pscustomobject]@{ Build = $windows.Build; Revision = $windows.Revision } }
        Mock Start-Reboot { return }
        $needed = @{ MinimumBuild = 20348; MinimumRevision = 2762 }
    }

    It 'takes <Build>.<Revision>' -ForEach @(
        @{ Build = 20348; Revision = 2762 }
        @{ Build = 20348; Revision = 5139 }
        @{ Build = 26100; Revision = 1742 }
    ) {
        $windows.Build = $Build
        $windows.Revision = $Revision
        $facts = (& "$ImageFolder/Confirm-ImageBuild.ps1" @needed).Facts
        "$($facts['build']).$($facts['revision'])" | Should -BeExactly "$Build.$Revision"
        $said | Should -BeExactly @("build $Build.$Revision")
        Should -Invoke Start-Reboot -Times 0 -Exactly
    }

    It 'refuses <Build>.<Revision>, saying what is needed and what to do' -ForEach @(
        @{ Build = 20348; Revision = 2761 }
        @{ Build = 17763; Revision = 9999 }
    ) {
        $windows.Build = $Build
        $windows.Revision = $Revision
        $failure = Get-StepFailure { & "$ImageFolder/Confirm-ImageBuild.ps1" @needed }
        $failure.Code | Should -BeExactly 'HostUnsuitable'
        $failure.Message | Should -Match "Windows $Build\.$Revision, and a node needs 20348\.2762"
        $failure.Remedy | Should -Match 'windows\.image\.update'
        $said.Count | Should -Be 0
    }

    It 'reboots first where Windows waits for it, and judges nothing before' {
        $windows.Revision = 587
        $windows.Waits = @('Component Based Servicing')
        (Get-StepFailure { & "$ImageFolder/Confirm-ImageBuild.ps1" @needed }).Code | Should -BeExactly 'RebootNotDone'
        Should -Invoke Start-Reboot -Times 1 -Exactly -ParameterFilter { $DelaySeconds -eq 5 }
        $said | Should -BeExactly @('rebooting for Component Based Servicing')
    }
}
