BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    . "$LibFolder/SystemTask.ps1"
}

Describe 'Start-SystemTask' {
    BeforeEach {
        Mock New-ScheduledTaskAction { [pscustomobject]@{ Argument = $Argument } }
        Mock New-ScheduledTaskPrincipal { [pscustomobject]@{ UserId = $UserId } }
        # The real cmdlet takes objects of Windows' own only; what it is given is looked at above.
        Mock Register-ScheduledTask { return } -RemoveParameterType 'Action', 'Principal'
        Mock Start-ScheduledTask { return }
    }

    It 'starts PowerShell as SYSTEM, in the place of a task of that name' {
        Start-SystemTask -Name 'kindows-test' -Command 'Get-Date'
        Should -Invoke New-ScheduledTaskAction -Times 1 -Exactly -ParameterFilter {
            $Argument -match '-Command "Get-Date"$'
        }
        Should -Invoke New-ScheduledTaskPrincipal -Times 1 -Exactly -ParameterFilter { $UserId -eq 'SYSTEM' }
        Should -Invoke Register-ScheduledTask -Times 1 -Exactly -ParameterFilter {
            $TaskName -eq 'kindows-test' -and $Force
        }
        Should -Invoke Start-ScheduledTask -Times 1 -Exactly -ParameterFilter { $TaskName -eq 'kindows-test' }
    }

    It 'starts nothing where Windows does not take the task' {
        Mock Register-ScheduledTask { throw 'refused' } -RemoveParameterType 'Action', 'Principal'
        { Start-SystemTask -Name 'kindows-test' -Command 'Get-Date' } | Should -Throw 'refused'
        Should -Invoke Start-ScheduledTask -Times 0 -Exactly
    }
}
