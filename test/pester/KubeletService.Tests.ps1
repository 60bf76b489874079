# The service kubelet.
BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'ServiceState', 'KubeletService') {
        . "$LibFolder/$name.ps1"
    }
}

Describe 'Get-KubeletCommandLine' {
    It 'runs kubelet natively behind kube-log-runner, with the node''s arguments last' {
        $line = Get-KubeletCommandLine -NodeArgument '--hostname-override=win-1', '--node-ip=10.0.0.1'
        $line | Should -Match '^C:\\k\\kube-log-runner\.exe .* C:\\k\\kubelet\.exe --windows-service '
        $line | Should -Match '--hostname-override=win-1 --node-ip=10\.0\.0\.1$'
        $line | Should -Not -Match 'pod-infra-container-image|nssm'
    }

    It 'has no blank at its end without arguments of a node' {
        Get-KubeletCommandLine | Should -Match '\S$'
    }
}

Describe 'Assert-KubeletArgument' {
    It 'has kubelet itself read them' {
        Mock Invoke-NativeCommand { 'Kubernetes v1.36.4' }
        Assert-KubeletArgument -Argument '--v=4'
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            ($ArgumentList -join ' ') -ceq '--v=4 --version' -and $FailureCode -eq 'KubeletArgsRefused'
        }
    }
}

Describe 'Register-KubeletService' {
    BeforeEach {
        Mock New-Service { return }
    }

    It 'registers it, manual and after containerd' {
        Mock Get-Service { return }
        Register-KubeletService | Should -BeTrue
        Should -Invoke New-Service -Times 1 -Exactly -ParameterFilter {
            $Name -eq 'kubelet' -and $StartupType -eq 'Manual' -and $DependsOn -eq 'containerd'
        }
    }

    It 'leaves the one alone that is there' {
        Mock Get-Service { New-FakeService }
        Register-KubeletService | Should -BeFalse
        Should -Invoke New-Service -Times 0 -Exactly
    }
}

Describe 'Set-KubeletService' {
    BeforeEach {
        Mock Get-CimInstance { [pscustomobject]@{ PathName = 'C:\k\a.exe --x'; StartMode = 'Auto' } }
        Mock Invoke-CimMethod { [pscustomobject]@{ ReturnValue = 0 } } -RemoveParameterType 'InputObject'
    }

    It 'changes nothing that is as wanted' {
        Set-KubeletService -CommandLine 'C:\k\a.exe --x' -StartMode Automatic | Should -BeFalse
        Should -Invoke Invoke-CimMethod -Times 0 -Exactly
    }

    It 'changes <What>' -ForEach @(
        @{ What = 'the start'; Line = 'C:\k\a.exe --x'; Mode = 'Manual' }
        @{ What = 'the command line'; Line = 'C:\k\a.exe --y'; Mode = 'Automatic' }
        @{ What = 'its case'; Line = 'C:\k\a.exe --X'; Mode = 'Automatic' }
    ) {
        Set-KubeletService -CommandLine $Line -StartMode $Mode | Should -BeTrue
        Should -Invoke Invoke-CimMethod -Times 1 -Exactly -ParameterFilter {
            $MethodName -eq 'Change' -and $Arguments.PathName -ceq $Line -and $Arguments.StartMode -eq $Mode
        }
    }

    It 'says what Windows answered when it refuses' {
        Mock Invoke-CimMethod { [pscustomobject]@{ ReturnValue = 16 } } -RemoveParameterType 'InputObject'
        $failure = Get-StepFailure { Set-KubeletService -CommandLine 'x' -StartMode Manual }
        $failure.Code | Should -BeExactly 'CommandFailed'
        $failure.Message | Should -Match 'Change returned 16'
    }
}

Describe 'Start-JoinedKubelet' {
    It '<What>' -ForEach @(
        @{ What = 'starts one that has joined and stands still'; Type = 'Automatic'; Status = 'Stopped'; Times = 1 }
        @{ What = 'leaves one alone that runs'; Type = 'Automatic'; Status = 'Running'; Times = 0 }
        @{ What = 'does not start one that has not joined'; Type = 'Manual'; Status = 'Stopped'; Times = 0 }
    ) {
        Mock Start-ServiceInTime { return }
        Mock Get-Service { New-FakeService -Status $Status -StartType $Type }
        Start-JoinedKubelet
        Should -Invoke Start-ServiceInTime -Times $Times -Exactly
    }

    It 'does not mind that there is none' {
        Mock Get-Service { return }
        { Start-JoinedKubelet } | Should -Not -Throw
    }
}
