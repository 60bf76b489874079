BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    . "$LibFolder/Step.ps1"
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
