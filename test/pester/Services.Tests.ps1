# Services in general, and containerd's.
BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'ServiceState', 'ServiceSettings', 'ServiceRemoval',
        'ContainerdService') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
}

Describe 'Start-AutomaticService' {
    It 'starts, with its log at hand, what is to run and does not' {
        Mock Start-ServiceInTime { return }
        Mock Get-Service { New-FakeService -Status 'Stopped' -StartType 'Automatic' }
        Start-AutomaticService -Name 'flanneld' -LogPath 'C:\var\log\a.log'
        Should -Invoke Start-ServiceInTime -Times 1 -Exactly -ParameterFilter {
            $Name -eq 'flanneld' -and $TimeoutSeconds -eq 60 -and $LogPath -eq 'C:\var\log\a.log'
        }
    }
}

Describe 'Restore-AutomaticService' {
    It 'asks for what starts with Windows and has stopped, and for nothing else' {
        $services = @{
            a = New-FakeService -Status 'Stopped' -StartType 'Automatic'
            b = New-FakeService -Status 'Stopped' -StartType 'Manual'
        }
        Mock Get-Service { $services[$Name] }
        Restore-AutomaticService -Name 'a', 'b', 'none'
        $services.a.Status | Should -BeExactly 'Running'
        $services.b.Status | Should -BeExactly 'Stopped'
    }
}

Describe 'Stop-ServiceInTime' {
    It 'stops a service that runs' {
        $service = New-FakeService -Status 'Running'
        Mock Get-Service { $service }
        Stop-ServiceInTime -Name 'kubelet'
        $service.Status | Should -BeExactly 'Stopped'
        $service.Stops | Should -Be 1
    }

    It 'has nothing to do for one that is stopped' {
        $service = New-FakeService -Status 'Stopped'
        Mock Get-Service { $service }
        Stop-ServiceInTime -Name 'kubelet'
        $service.Stops | Should -Be 0
    }

    It 'asks again when a service that is still starting takes no orders' {
        $service = New-FakeService -Status 'StartPending' -OnStop {
            $this.Stops++
            if ($this.Stops -lt 3) { throw 'The service cannot accept control messages at this time.' }
            $this.Status = 'Stopped'
        }
        Mock Get-Service { $service }
        Stop-ServiceInTime -Name 'kubelet'
        $service.Stops | Should -Be 3
    }

    It 'gives up in time, with the status and the last error' {
        $service = New-FakeService -Status 'Running' -OnStop { throw 'No.' }
        Mock Get-Service { $service }
        $failure = Get-StepFailure { Stop-ServiceInTime -Name 'kubelet' -TimeoutSeconds 1 }
        $failure.Code | Should -BeExactly 'CommandTimedOut'
        $failure.Message | Should -Match 'kubelet did not stop in 1 s: Running\. .*No\.'
    }
}

Describe 'Start-ServiceInTime' {
    BeforeAll {
        $log = Join-Path $TestDrive 'kubelet.log'
    }

    It 'starts a service that is stopped' {
        $service = New-FakeService
        Mock Get-Service { $service }
        Start-ServiceInTime -Name 'kubelet' -TimeoutSeconds 5 -LogPath $log
        $service.Starts | Should -Be 1
    }

    It 'leaves one alone that runs' {
        $service = New-FakeService -Status 'Running'
        Mock Get-Service { $service }
        Start-ServiceInTime -Name 'kubelet' -TimeoutSeconds 5 -LogPath $log
        $service.Starts | Should -Be 0
    }

    It 'waits until it is ready, not only running' {
        $service = New-FakeService -Status 'Running'
        $looks = @{ Count = 0 }
        Mock Get-Service { $service }
        Start-ServiceInTime -Name 'containerd' -TimeoutSeconds 5 -LogPath $log -Ready { (++$looks.Count) -gt 2 }
        $looks.Count | Should -Be 3
    }

    It 'starts it again when it ends at once' {
        $service = New-FakeService -OnStart {
            $this.Starts++
            $this.Status = if ($this.Starts -lt 3) { 'Stopped' } else { 'Running' }
        }
        Mock Get-Service { $service }
        Start-ServiceInTime -Name 'kubelet' -TimeoutSeconds 5 -LogPath $log
        $service.Starts | Should -Be 3
    }

    It 'gives up in time, with the end of its log' {
        $service = New-FakeService -OnStart { throw 'Cannot start service.' }
        Mock Get-Service { $service }
        Set-Content -LiteralPath $log -Value (1..20 | ForEach-Object { "line $_" })
        $failure = Get-StepFailure { Start-ServiceInTime -Name 'kubelet' -TimeoutSeconds 1 -LogPath $log }
        $failure.Code | Should -BeExactly 'ServiceNotRunning'
        $failure.Message | Should -Match 'Cannot start service\. Its log: line 11\n'
        $failure.Message | Should -Match 'line 20$'
    }

    It 'says so when there is no log' {
        $service = New-FakeService -Status 'StartPending'
        Mock Get-Service { $service }
        $failure = Get-StepFailure {
            Start-ServiceInTime -Name 'kubelet' -TimeoutSeconds 1 -LogPath (Join-Path $TestDrive 'none.log')
        }
        $failure.Message | Should -Match 'StartPending\. .*\(no log\)$'
    }
}

Describe 'Set-ServiceRecovery' {
    It 'gives sc.exe <Actions> for <Restart>' -ForEach @(
        @{ Restart = $true; Actions = 'restart/5000/restart/5000/restart/5000' }
        @{ Restart = $false; Actions = '' }
    ) {
        Mock Invoke-NativeCommand { return }
        Set-ServiceRecovery -Name 'containerd' -Restart $Restart
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            ($ArgumentList -join '|') -ceq "failure|containerd|reset=|3600|actions=|$Actions"
        }
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            ($ArgumentList -join '|') -ceq 'failureflag|containerd|1'
        }
    }
}

Describe 'Set-ServiceProxy' {
    BeforeEach {
        $environment = @('OTHER=1')
        $key = New-Object -TypeName PSObject
        $key | Add-Member -MemberType ScriptMethod -Name GetValue -Value { , $environment }
        Mock Get-Item { $key }
        Mock Stop-ServiceInTime { return }
        Mock New-ItemProperty { return }
        Mock Remove-ItemProperty { return }
        Mock Get-MachineProxy { return }
    }

    It 'has nothing to do where there is no proxy and none was' {
        Set-ServiceProxy -Name 'containerd' | Should -BeFalse
        Should -Invoke Stop-ServiceInTime -Times 0 -Exactly
    }

    It 'adds the machine''s proxy to what others have set, the service stopped before' {
        Mock Get-MachineProxy { 'HTTPS_PROXY=http://proxy.test:3128' }
        Set-ServiceProxy -Name 'containerd' | Should -BeTrue
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
        Should -Invoke New-ItemProperty -Times 1 -Exactly -ParameterFilter {
            ($Value -join '|') -ceq 'OTHER=1|HTTPS_PROXY=http://proxy.test:3128'
        }
    }

    It 'changes nothing the second time' {
        $environment = @('OTHER=1', 'HTTPS_PROXY=http://proxy.test:3128')
        Mock Get-MachineProxy { 'HTTPS_PROXY=http://proxy.test:3128' }
        Set-ServiceProxy -Name 'containerd' | Should -BeFalse
        Should -Invoke New-ItemProperty -Times 0 -Exactly
    }

    It 'takes it off again, and the value when nothing is left in it' {
        $environment = @('HTTPS_PROXY=http://proxy.test:3128')
        Set-ServiceProxy -Name 'containerd' | Should -BeTrue
        Should -Invoke Remove-ItemProperty -Times 1 -Exactly -ParameterFilter { $Name -eq 'Environment' }
    }
}

Describe 'Start-Containerd' {
    It 'waits for its pipe, two minutes at most' {
        Mock Start-ServiceInTime { return }
        Start-Containerd
        Should -Invoke Start-ServiceInTime -Times 1 -Exactly -ParameterFilter {
            $Name -eq 'containerd' -and $TimeoutSeconds -eq 120 -and "$Ready" -match 'pipe\\containerd-containerd'
        }
    }
}

Describe 'Remove-ServiceInTime' {
    BeforeEach {
        Mock Stop-ServiceInTime { return }
        Mock Get-CimInstance { [pscustomobject]@{ Name = 'kubelet' } }
    }

    It 'has nothing to do where the service is not' {
        Mock Get-Service { return }
        Remove-ServiceInTime -Name 'kubelet' | Should -BeNullOrEmpty
        Should -Invoke Stop-ServiceInTime -Times 0 -Exactly
    }

    It 'stops, deletes and waits until it is gone (Delete says <Answer>)' -ForEach @(
        @{ Answer = 0 }
        @{ Answer = 16 }
    ) {
        $looks = @{ Count = 0 }
        Mock Get-Service { if ((++$looks.Count) -le 2) { New-FakeService -Status 'Running' } }
        Mock Invoke-CimMethod { [pscustomobject]@{ ReturnValue = $Answer } } -RemoveParameterType 'InputObject'
        Remove-ServiceInTime -Name 'kubelet' | Should -BeExactly 'service kubelet'
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
        Should -Invoke Invoke-CimMethod -Times 1 -Exactly -ParameterFilter { $MethodName -eq 'Delete' }
    }

    It 'says what Windows answered when it refuses' {
        Mock Get-Service { New-FakeService }
        Mock Invoke-CimMethod { [pscustomobject]@{ ReturnValue = 2 } } -RemoveParameterType 'InputObject'
        $failure = Get-StepFailure { Remove-ServiceInTime -Name 'kubelet' }
        $failure.Code | Should -BeExactly 'ResetFailed'
        $failure.Message | Should -Match 'Delete of kubelet returned 2'
    }

    It 'gives up when something keeps it from going' {
        Mock Get-Service { New-FakeService }
        Mock Invoke-CimMethod { [pscustomobject]@{ ReturnValue = 0 } } -RemoveParameterType 'InputObject'
        $failure = Get-StepFailure { Remove-ServiceInTime -Name 'kubelet' -TimeoutSeconds 1 }
        $failure.Message | Should -Match 'still there after 1 s'
    }
}
