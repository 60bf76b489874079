BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
}

Describe 'Invoke-NativeCommand' -Skip:(-not $OnWindows) {
    BeforeAll {
        $cmd = "$env:SystemRoot\System32\cmd.exe"
    }

    It 'returns what the program writes' {
        (Invoke-NativeCommand -FilePath $cmd -ArgumentList '/c', 'echo hello' -TimeoutSeconds 20 -Remedy 'x').Trim() |
            Should -BeExactly 'hello'
    }

    It 'refuses another exit code, with its last words' {
        $failure = Get-StepFailure {
            Invoke-NativeCommand -FilePath $cmd -ArgumentList '/c', 'echo broken 1>&2 & exit 3' -TimeoutSeconds 20 `
                -Remedy 'Mend it.'
        }
        $failure.Code | Should -BeExactly 'CommandFailed'
        $failure.Message | Should -Match 'exit code 3\. It wrote: broken'
        $failure.Remedy | Should -BeExactly 'Mend it.'
    }

    It 'takes an exit code that means success' {
        { Invoke-NativeCommand -FilePath $cmd -ArgumentList '/c', 'exit 3' -TimeoutSeconds 20 -Remedy 'x' `
                -SuccessExitCodes 0, 3 } | Should -Not -Throw
    }

    It 'hides secrets in its errors' {
        $failure = Get-StepFailure {
            Invoke-NativeCommand -FilePath $cmd -ArgumentList '/c', 'echo abc.def & exit 1' -TimeoutSeconds 20 `
                -Hidden 'abc.def' -Remedy 'x' -FailureCode 'JoinFailed'
        }
        $failure.Code | Should -BeExactly 'JoinFailed'
        $failure.Message | Should -Match '\*\*\*$'
        $failure.Message | Should -Not -Match 'abc\.def'
    }

    It 'stops a program that does not end' {
        $failure = Get-StepFailure {
            Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\ping.exe" -ArgumentList '-n', '30', '127.0.0.1' `
                -TimeoutSeconds 1 -Remedy 'x' -TimeoutCode 'JoinTimedOut'
        }
        $failure.Code | Should -BeExactly 'JoinTimedOut'
        $failure.Message | Should -Match 'did not end within 1 s'
    }

    It 'gives the program no standard input to wait for' {
        { Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\sort.exe" -TimeoutSeconds 20 -Remedy 'x' } |
            Should -Not -Throw
    }
}
