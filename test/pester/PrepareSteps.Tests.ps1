BeforeDiscovery {
    $HasShortName = [Net.Dns]::GetHostName() -match '^[A-Za-z0-9]([-A-Za-z0-9]{0,13}[A-Za-z0-9])?$'
}

BeforeAll {
    . "$PSScriptRoot/support/Steps.ps1"
}

Describe 'Test-WindowsHost' -Skip:(-not $HasShortName) {
    BeforeEach {
        $windows = [pscustomobject]@{
            CurrentBuildNumber = '20348'; UBR = 4405
            ProductName = 'Windows Server 2022'; EditionID = 'ServerStandard'
        }
        $os = [pscustomobject]@{ ProductType = 3; Caption = 'Windows Server'; TotalVisibleMemorySize = 4194304 }
        $disk = [pscustomobject]@{ FreeSpace = 60gb }
        $sshd = [pscustomobject]@{ StartMode = 'Auto' }
        $licence = @{ Ends = ''; IsExpired = $false }
        $nextName = @{ Name = '' }
        Mock Get-ItemProperty { $windows }
        Mock Get-CimInstance {
            switch ($ClassName) {
                'Win32_OperatingSystem' { $os }
                'Win32_LogicalDisk' { $disk }
                'Win32_Service' { $sshd }
            }
        }
        Mock Get-EvaluationLicence { $licence }
        Mock Get-PendingComputerName { $nextName.Name }
        Mock Get-PendingRebootReason { return }
        Mock Get-LastBootUpTime { '2026-11-21T10:00:00Z' }
        $name = [Net.Dns]::GetHostName()
    }

    It 'reports a machine that will do, and changes nothing' {
        $result = & "$StepsFolder/Test-WindowsHost.ps1" -ComputerName $name
        $result.Changed | Should -BeFalse
        $result.Facts['build'] | Should -BeExactly '10.0.20348'
        $result.Facts['revision'] | Should -Be 4405
        $result.Facts['freeDiskGiB'] | Should -Be 60
        $result.Facts['memoryMiB'] | Should -Be 4096
    }

    It 'refuses <What>' -ForEach @(
        @{ What = 'a client edition'; Spoil = { $os.ProductType = 1 }; Message = 'client edition' }
        @{ What = 'an old build'; Spoil = { $windows.CurrentBuildNumber = '17763' }; Message = '17763 is older' }
        @{ What = 'an old revision'; Spoil = { $windows.UBR = 2582 }; Message = '20348\.2582 is older' }
        @{ What = 'a full disk'; Spoil = { $disk.FreeSpace = 5gb }; Message = '5 GiB free, 20 GiB' }
        @{ What = 'little memory'; Spoil = { $os.TotalVisibleMemorySize = 1048576 }; Message = 'memory is 1024' }
        @{ What = 'an sshd that stays down'; Spoil = { $sshd.StartMode = 'Manual' }; Message = 'sshd .* Manual' }
        @{ What = 'an ended licence'; Spoil = { $licence.IsExpired = $true }; Message = 'licence has ended' }
        @{ What = 'a name that comes'; Spoil = { $nextName.Name = 'other' }; Message = 'will be named other' }
    ) {
        . $Spoil
        $failure = Get-StepFailure { & "$StepsFolder/Test-WindowsHost.ps1" -ComputerName $name }
        $failure.Code | Should -BeExactly 'HostUnsuitable'
        $failure.Message | Should -Match $Message
    }

    It 'names all that is wrong at once' {
        $os.ProductType = 1
        $disk.FreeSpace = 1gb
        $failure = Get-StepFailure { & "$StepsFolder/Test-WindowsHost.ps1" -ComputerName $name }
        $failure.Message | Should -Match 'client edition.*; .*1 GiB free'
    }

    It 'refuses Server 2025 with Calico only' {
        $windows.CurrentBuildNumber = '26100'
        (& "$StepsFolder/Test-WindowsHost.ps1" -ComputerName $name).Facts['build'] | Should -BeExactly '10.0.26100'
        $failure = Get-StepFailure { & "$StepsFolder/Test-WindowsHost.ps1" -ComputerName $name -PodNetwork calico }
        $failure.Message | Should -Match 'Calico does not support'
    }

    It 'refuses another name' {
        $failure = Get-StepFailure { & "$StepsFolder/Test-WindowsHost.ps1" -ComputerName 'not-this-one' }
        $failure.Message | Should -Match 'expected was not-this-one'
    }
}

Describe 'Enable-ContainersFeature' {
    BeforeEach {
        $feature = @{ State = 'Available' }
        $record = @{ Time = $null }
        Mock Get-LastBootUpTime { '2026-11-21T10:00:00Z' }
        Mock Get-ContainersFeatureState { $feature.State }
        Mock Save-RebootRecord { $record.Time = '2026-11-21T10:00:00Z' }
        Mock Remove-RebootRecord { $record.Time = $null }
        Mock Get-RebootRecord { $record.Time }
        Mock Get-PendingRebootReason { return }
        Mock Start-Reboot { return }
        Mock Install-WindowsFeature {
            $feature.State = 'InstallPending'
            [pscustomobject]@{ Success = $true; RestartNeeded = 'Yes'; ExitCode = 'SuccessRestartRequired' }
        }
    }

    It 'installs the feature and orders the reboot' {
        $result = & "$StepsFolder/Enable-ContainersFeature.ps1"
        $result.Changed | Should -BeTrue
        $result.RebootRequired | Should -BeTrue
        Should -Invoke Start-Reboot -Times 1 -Exactly
    }

    It 'reboots a machine that refuses to install before a reboot, and says to run again' {
        Mock Get-PendingRebootReason { 'Windows Update' }
        Mock Install-WindowsFeature { throw 'The request to add features failed.' }
        $failure = Get-StepFailure { & "$StepsFolder/Enable-ContainersFeature.ps1" }
        $failure.Code | Should -BeExactly 'RebootPending'
        $failure.Message | Should -Match 'Windows Update'
        Should -Invoke Start-Reboot -Times 1 -Exactly
    }

    It 'has nothing to do where it is installed' {
        $feature.State = 'Installed'
        $result = & "$StepsFolder/Enable-ContainersFeature.ps1"
        $result.Changed | Should -BeFalse
        $result.RebootRequired | Should -BeFalse
        Should -Invoke Install-WindowsFeature -Times 0 -Exactly
        Should -Invoke Start-Reboot -Times 0 -Exactly
    }

    It 'orders the reboot of a run that was killed before it did' {
        $feature.State = 'InstallPending'
        $result = & "$StepsFolder/Enable-ContainersFeature.ps1"
        $result.RebootRequired | Should -BeTrue
        Should -Invoke Install-WindowsFeature -Times 0 -Exactly
    }

    It 'needs no reboot where Windows says so' {
        Mock Install-WindowsFeature {
            $feature.State = 'Installed'
            [pscustomobject]@{ Success = $true; RestartNeeded = 'No'; ExitCode = 'Success' }
        }
        $result = & "$StepsFolder/Enable-ContainersFeature.ps1"
        $result.Changed | Should -BeTrue
        $result.RebootRequired | Should -BeFalse
    }

    It 'forgets the reboot when installing fails' {
        Mock Install-WindowsFeature {
            [pscustomobject]@{ Success = $false; RestartNeeded = 'No'; ExitCode = 'Failed' }
        }
        (Get-StepFailure { & "$StepsFolder/Enable-ContainersFeature.ps1" }).Code | Should -BeExactly 'FeatureFailed'
        $record.Time | Should -BeNullOrEmpty
    }
}

Describe 'Confirm-Reboot' {
    BeforeEach {
        Mock Get-LastBootUpTime { '2026-11-21T11:00:00Z' }
        Mock Get-ContainersFeatureState { 'Installed' }
        Mock Remove-RebootRecord { return }
    }

    It 'confirms a boot after the recorded one, and forgets it' {
        Mock Get-RebootRecord { '2026-11-21T10:00:00Z' }
        $result = & "$StepsFolder/Confirm-Reboot.ps1"
        $result.Changed | Should -BeTrue
        $result.Facts['previousBootUpTime'] | Should -BeExactly '2026-11-21T10:00:00Z'
        Should -Invoke Remove-RebootRecord -Times 1 -Exactly
    }

    It 'has nothing to do where none was ordered' {
        Mock Get-RebootRecord { return }
        $result = & "$StepsFolder/Confirm-Reboot.ps1"
        $result.Changed | Should -BeFalse
        Should -Invoke Remove-RebootRecord -Times 0 -Exactly
    }

    It 'refuses a machine that still runs since before' {
        Mock Get-RebootRecord { '2026-11-21T11:00:00Z' }
        (Get-StepFailure { & "$StepsFolder/Confirm-Reboot.ps1" }).Code | Should -BeExactly 'RebootNotDone'
    }

    It 'waits for a feature that is being finished' {
        $looks = @{ Count = 0 }
        Mock Get-RebootRecord { return }
        Mock Get-ContainersFeatureState { if ((++$looks.Count) -lt 3) { 'InstallPending' } else { 'Installed' } }
        (& "$StepsFolder/Confirm-Reboot.ps1").Facts['installState'] | Should -BeExactly 'Installed'
    }
}

Describe 'Set-MachineProxy' {
    BeforeEach {
        Mock Save-ProxyRecord { return }
        Mock Remove-ProxyRecord { return }
        Mock Get-ProxyRecord { return }
        Mock Set-MachineProxy { $true }
        Mock Set-ServiceProxy { $false }
        Mock Start-Containerd { return }
        Mock Start-JoinedKubelet { return }
        Mock Get-Service { return }
        $given = @{ HttpProxy = ''; HttpsProxy = 'http://p.test:3128'; NoProxy = 'localhost' }
    }

    It 'records what was there before it sets the proxy' {
        (& "$StepsFolder/Set-MachineProxy.ps1" @given).Changed | Should -BeTrue
        Should -Invoke Save-ProxyRecord -Times 1 -Exactly
        Should -Invoke Start-Containerd -Times 0 -Exactly
    }

    It 'gives it to the services there are, and starts them again' {
        Mock Get-Service { New-FakeService }
        $null = & "$StepsFolder/Set-MachineProxy.ps1" @given
        Should -Invoke Set-ServiceProxy -Times 2 -Exactly
        Should -Invoke Start-Containerd -Times 1 -Exactly
    }

    It 'brings back what was there, and forgets it last' {
        Mock Get-ProxyRecord { @{ HTTP_PROXY = ''; HTTPS_PROXY = ''; NO_PROXY = 'mine' } }
        $null = & "$StepsFolder/Set-MachineProxy.ps1" -HttpProxy '' -HttpsProxy '' -NoProxy ''
        Should -Invoke Set-MachineProxy -Times 1 -Exactly -ParameterFilter { $Variable['NO_PROXY'] -eq 'mine' }
        Should -Invoke Remove-ProxyRecord -Times 1 -Exactly
    }

    It 'touches no proxy that it has not set' {
        (& "$StepsFolder/Set-MachineProxy.ps1" -HttpProxy '' -HttpsProxy '' -NoProxy '').Changed | Should -BeFalse
        Should -Invoke Set-MachineProxy -Times 0 -Exactly
    }
}
