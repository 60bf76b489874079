# The steps' own bodies; what they call has tests of its own and is mocked here.
BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
    $HasShortName = [Net.Dns]::GetHostName() -match '^[A-Za-z0-9]([-A-Za-z0-9]{0,13}[A-Za-z0-9])?$'
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($lib in Get-ChildItem -LiteralPath $LibFolder -Filter '*.ps1' -File) {
        . $lib.FullName
    }
    $sha = 'ab' * 32
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
    # The frame ends the process, and has tests of its own.
    Mock Invoke-Step { & $Body }
}

Describe 'Test-WindowsHost' -Skip:(-not $HasShortName) {
    BeforeEach {
        $windows = [pscustomobject]@{
            CurrentBuildNumber = '20348'; UBR = 4405
            ProductName = 'Windows Server 2022'; EditionID = 'ServerStandard'
        }
        $system = [pscustomobject]@{ ProductType = 3; Caption = 'Windows Server'; TotalVisibleMemorySize = 4194304 }
        $drive = [pscustomobject]@{ FreeSpace = 60gb }
        $sshd = [pscustomobject]@{ StartMode = 'Auto' }
        $licence = @{ Ends = ''; IsExpired = $false }
        $nextName = @{ Name = '' }
        Mock Get-ItemProperty { $windows }
        Mock Get-CimInstance {
            switch ($ClassName) {
                'Win32_OperatingSystem' { $system }
                'Win32_LogicalDisk' { $drive }
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
        @{ What = 'a client edition'; Spoil = { $system.ProductType = 1 }; Message = 'client edition' }
        @{ What = 'an old build'; Spoil = { $windows.CurrentBuildNumber = '17763' }; Message = '17763 is older' }
        @{ What = 'an old revision'; Spoil = { $windows.UBR = 2582 }; Message = '20348\.2582 is older' }
        @{ What = 'a full disk'; Spoil = { $drive.FreeSpace = 5gb }; Message = '5 GiB free, 20 GiB' }
        @{ What = 'little memory'; Spoil = { $system.TotalVisibleMemorySize = 1048576 }; Message = 'memory is 1024' }
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
        $system.ProductType = 1
        $drive.FreeSpace = 1gb
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

Describe 'Install-Containerd' -Skip:(-not $OnWindows) {
    BeforeEach {
        $programFiles = $env:ProgramFiles
        $env:ProgramFiles = Join-Path $TestDrive ([Guid]::NewGuid())
        $folder = "$env:ProgramFiles\containerd"
        $archive = Join-Path $TestDrive 'containerd-2.3.4-windows-amd64.tar.gz'
        $service = @{ It = $null }
        $cni = (Join-Path $TestDrive 'cni').Replace('\', '/')
        Mock Get-ContainersFeatureState { 'Installed' }
        Mock Set-DefenderExclusion { @{ Changed = $false; State = 'set' } }
        Mock Get-Service { $service.It }
        Mock Assert-Medium { return }
        Mock Stop-ServiceInTime { return }
        Mock Expand-TarArchive {
            $null = New-Item -Path $Folder -ItemType Directory -Force
            Set-Content -LiteralPath "$Folder\containerd.exe" -Value 'x'
        }
        Mock Add-MachinePath { $false }
        Mock Invoke-NativeCommand {
            if ($ArgumentList -contains '--version') { 'containerd github.com/containerd/containerd/v2 v2.3.4 abc' }
            if ($ArgumentList -contains '--register-service') { $service.It = New-FakeService }
            if ($ArgumentList -contains 'default') { 'default' }
        }
        Mock Edit-ContainerdConfig { 'edited' }
        Mock Set-ServiceRecovery { return }
        Mock Set-ServiceProxy { $false }
        Mock Start-Containerd { $service.It.Status = 'Running' }
        Mock Start-JoinedKubelet { return }
        $given = @{
            Version = '2.3.4'; ArchivePath = $archive; ArchiveSha256 = $sha
            CniBinDirectory = "$cni/bin"; CniConfDirectory = "$cni/conf"
        }
    }
    AfterEach {
        $env:ProgramFiles = $programFiles
    }

    It 'unpacks, configures, registers and starts it' {
        $result = & "$StepsFolder/Install-Containerd.ps1" @given
        $result.Changed | Should -BeTrue
        $result.Facts['archiveFrom'] | Should -BeExactly 'media'
        "$folder\containerd.exe" | Should -Exist
        "$folder\unpacked.new" | Should -Not -Exist
        [IO.File]::ReadAllText("$folder\config.toml") | Should -BeExactly 'edited'
        [IO.File]::ReadAllText("$folder\unpacked.sha256") | Should -BeExactly $sha
    }

    It 'changes nothing the second time, and stops nothing' {
        $null = & "$StepsFolder/Install-Containerd.ps1" @given
        $result = & "$StepsFolder/Install-Containerd.ps1" @given
        $result.Changed | Should -BeFalse
        $result.Facts['archiveFrom'] | Should -BeExactly 'installed'
        Should -Invoke Stop-ServiceInTime -Times 0 -Exactly
        Should -Invoke Assert-Medium -Times 1 -Exactly
    }

    It 'unpacks again what a killed run left half unpacked' {
        $null = New-Item -Path $folder -ItemType Directory -Force
        Set-Content -LiteralPath "$folder\containerd.exe" -Value 'half'
        (& "$StepsFolder/Install-Containerd.ps1" @given).Facts['archiveFrom'] | Should -BeExactly 'media'
    }

    It 'stops the service before another configuration is written' {
        $null = & "$StepsFolder/Install-Containerd.ps1" @given
        Mock Edit-ContainerdConfig { 'other' }
        (& "$StepsFolder/Install-Containerd.ps1" @given).Changed | Should -BeTrue
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
    }

    It 'refuses a machine without the feature' {
        Mock Get-ContainersFeatureState { 'InstallPending' }
        (Get-StepFailure { & "$StepsFolder/Install-Containerd.ps1" @given }).Code | Should -BeExactly 'FeatureMissing'
    }

    It 'refuses a program of another version' {
        $given.Version = '2.4.2'
        (Get-StepFailure { & "$StepsFolder/Install-Containerd.ps1" @given }).Code | Should -BeExactly 'VersionMismatch'
    }

    It 'unpacks nothing of a wrong archive' {
        Mock Assert-Medium { Stop-Step -Code 'ChecksumMismatch' -Message 'x' -Remedy 'y' }
        (Get-StepFailure { & "$StepsFolder/Install-Containerd.ps1" @given }).Code | Should -BeExactly 'ChecksumMismatch'
        Should -Invoke Expand-TarArchive -Times 0 -Exactly
    }
}

Describe 'Install-Kubernetes' {
    BeforeEach {
        $from = @{ Program = 'media' }
        Mock Get-Service { New-FakeService }
        Mock Initialize-KubernetesFolder { return }
        Mock Install-Program { $from.Program }
        Mock Set-DefenderExclusion { @{ Changed = $false; State = 'set' } }
        Mock Remove-ReplacedFile { return }
        Mock Set-ServiceProxy { $false }
        Mock Assert-ProgramVersion { return }
        Mock Add-MachinePath { $false }
        Mock Register-KubeletService { $false }
        Mock Get-NetFirewallRule { [pscustomobject]@{ Name = 'kubelet' } }
        Mock New-NetFirewallRule { return }
        Mock Start-JoinedKubelet { return }
        $given = @{ Version = '1.36.4' }
        foreach ($program in 'Kubelet', 'Kubeadm', 'KubeLogRunner') {
            $given["$($program)Path"] = "C:\kindows\media\$sha\$program.exe"
            $given["$($program)Sha256"] = $sha
        }
    }

    It 'installs the three programs, kubelet stopped for the two it runs' {
        $result = & "$StepsFolder/Install-Kubernetes.ps1" @given
        $result.Changed | Should -BeTrue
        Should -Invoke Install-Program -Times 3 -Exactly
        Should -Invoke Install-Program -Times 2 -Exactly -ParameterFilter { $Service -eq 'kubelet' }
        Should -Invoke Assert-ProgramVersion -Times 2 -Exactly
    }

    It 'changes nothing the second time' {
        $from.Program = 'installed'
        (& "$StepsFolder/Install-Kubernetes.ps1" @given).Changed | Should -BeFalse
        Should -Invoke New-NetFirewallRule -Times 0 -Exactly
    }

    It 'opens kubelet''s port where it is closed' {
        $from.Program = 'installed'
        Mock Get-NetFirewallRule { return }
        (& "$StepsFolder/Install-Kubernetes.ps1" @given).Changed | Should -BeTrue
        Should -Invoke New-NetFirewallRule -Times 1 -Exactly -ParameterFilter { $LocalPort -eq 10250 }
    }

    It 'wants containerd first' {
        Mock Get-Service { return }
        (Get-StepFailure { & "$StepsFolder/Install-Kubernetes.ps1" @given }).Code |
            Should -BeExactly 'ContainerdMissing'
    }
}

Describe 'Add-ExternalNetwork' {
    BeforeEach {
        $there = @{ Network = $false }
        Mock Get-ContainersFeatureState { 'Installed' }
        Mock Get-NetFirewallRule { return }
        Mock New-NetFirewallRule { return }
        Mock Test-ExternalNetwork { $there.Network }
        Mock Start-ExternalNetworkTask { return }
    }

    It 'opens VXLAN''s port and starts what makes the network' {
        (& "$StepsFolder/Add-ExternalNetwork.ps1" -Address '10.0.0.1').Changed | Should -BeTrue
        Should -Invoke New-NetFirewallRule -Times 1 -Exactly -ParameterFilter { $LocalPort -eq 4789 }
        Should -Invoke Start-ExternalNetworkTask -Times 1 -Exactly -ParameterFilter { $Address -eq '10.0.0.1' }
    }

    It 'has nothing to do the second time' {
        $there.Network = $true
        Mock Get-NetFirewallRule { [pscustomobject]@{ Name = 'OverlayTraffic4789UDP' } }
        (& "$StepsFolder/Add-ExternalNetwork.ps1" -Address '10.0.0.1').Changed | Should -BeFalse
        Should -Invoke Start-ExternalNetworkTask -Times 0 -Exactly
    }

    It 'wants the feature first' {
        Mock Get-ContainersFeatureState { 'InstallPending' }
        (Get-StepFailure { & "$StepsFolder/Add-ExternalNetwork.ps1" -Address '10.0.0.1' }).Code |
            Should -BeExactly 'FeatureMissing'
    }
}

Describe 'Confirm-ExternalNetwork' {
    BeforeEach {
        $record = @{ State = 'done'; Message = '' }
        Mock Get-ExternalNetworkRecord { $record }
        Mock Save-ExternalNetworkRecord { return }
        Mock Test-ExternalNetwork { $true }
        Mock Test-OwnAddress { $true }
        Mock Start-ExternalNetworkTask { return }
        Mock Invoke-NativeCommand { return }
    }

    It 'confirms the network and the address' {
        $result = & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1'
        $result.Changed | Should -BeFalse
        $result.Facts['address'] | Should -BeExactly '10.0.0.1'
        Should -Invoke Invoke-NativeCommand -Times 0 -Exactly
    }

    It 'waits while it is being made' {
        $looks = @{ Count = 0 }
        Mock Get-ExternalNetworkRecord {
            @{ State = $(if ((++$looks.Count) -lt 3) { 'running' } else { 'done' }); Message = '' }
        }
        { & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1' } | Should -Not -Throw
        $looks.Count | Should -Be 3
    }

    It 'has it made once more when it is not there' {
        Mock Test-ExternalNetwork { $false }
        (Get-StepFailure { & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1' }).Code |
            Should -BeExactly 'NetworkNotReady'
        Should -Invoke Start-ExternalNetworkTask -Times 1 -Exactly
    }

    It 'says that the address is lost' {
        Mock Test-OwnAddress { $false }
        (Get-StepFailure { & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1' }).Message |
            Should -Match 'lost its address 10\.0\.0\.1'
    }

    It 'calls off the rescue of an address that came late' {
        $record.State = 'failed'
        $null = & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1'
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter { $ArgumentList -contains '/a' }
        Should -Invoke Save-ExternalNetworkRecord -Times 1 -Exactly -ParameterFilter { $State -eq 'done' }
    }
}

Describe 'Set-HostsEntry' {
    BeforeEach {
        $systemRoot = $env:SystemRoot
        $env:SystemRoot = Join-Path $TestDrive 'root'
        $null = New-Item -Path "$env:SystemRoot/System32/drivers/etc" -ItemType Directory -Force
        $hosts = "$env:SystemRoot\System32\drivers\etc\hosts"
        [IO.File]::WriteAllLines($hosts, @('127.0.0.1 localhost'))
        Mock Clear-DnsClientCache { return }
    }
    AfterEach {
        $env:SystemRoot = $systemRoot
    }

    It 'adds an entry once, and takes it away again' {
        (& "$StepsFolder/Set-HostsEntry.ps1" -Entry '10.0.0.1=cp').Changed | Should -BeTrue
        [IO.File]::ReadAllLines($hosts) | Should -Be @('127.0.0.1 localhost', '10.0.0.1 cp # kindows')
        (& "$StepsFolder/Set-HostsEntry.ps1" -Entry '10.0.0.1=cp').Changed | Should -BeFalse
        (& "$StepsFolder/Set-HostsEntry.ps1" -Entry '').Changed | Should -BeTrue
        [IO.File]::ReadAllLines($hosts) | Should -Be @('127.0.0.1 localhost')
        Should -Invoke Clear-DnsClientCache -Times 2 -Exactly
    }

    It 'leaves the file as it is when a foreign line is in the way' {
        [IO.File]::WriteAllLines($hosts, @('10.9.9.9 cp'))
        (Get-StepFailure { & "$StepsFolder/Set-HostsEntry.ps1" -Entry '10.0.0.1=cp' }).Code |
            Should -BeExactly 'ForeignHostsEntry'
        [IO.File]::ReadAllLines($hosts) | Should -Be @('10.9.9.9 cp')
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

Describe 'Join-Node' {
    BeforeEach {
        $state = @{ Record = $null; Remains = $false }
        Mock Read-JoinSecret { [pscustomobject]@{ token = 'abcdef.0123456789abcdef'; caCertHashes = @("sha256:$sha") } }
        Mock Test-Path { $true }
        Mock Get-Service { New-FakeService -Status 'Running' -StartType 'Automatic' }
        Mock Update-ProcessPath { return }
        Mock Assert-KubeletArgument { return }
        Mock Wait-ApiServer { return }
        Mock Sync-Clock { 0 }
        Mock Get-JoinRecord { $state.Record }
        Mock Test-NodeCredentials { $null -ne $state.Record }
        Mock Test-JoinRemains { $state.Remains }
        Mock Reset-Membership { return }
        Mock Join-Cluster { return }
        Mock Set-KubeletService { $false }
        Mock Stop-ServiceInTime { return }
        Mock Start-ServiceInTime { return }
        $given = @{ NodeName = 'win-1'; ApiServerEndpoint = 'cp:6443'; NodeIp = '10.0.0.1'; NodeLabels = 'a=b' }
    }

    It 'joins a fresh machine, without a reset' {
        $result = & "$StepsFolder/Join-Node.ps1" @given
        $result.Changed | Should -BeTrue
        $result.Facts['alreadyJoined'] | Should -BeFalse
        $result.Facts['wasReset'] | Should -BeFalse
        Should -Invoke Join-Cluster -Times 1 -Exactly -ParameterFilter { $CommandLine -match '--node-labels=a=b' }
        Should -Invoke Reset-Membership -Times 0 -Exactly
    }

    It 'leaves one alone that has joined this cluster' {
        $state.Record = "cp:6443 sha256:$sha"
        $state.Remains = $true
        $result = & "$StepsFolder/Join-Node.ps1" @given
        $result.Changed | Should -BeFalse
        $result.Facts['alreadyJoined'] | Should -BeTrue
        Should -Invoke Join-Cluster -Times 0 -Exactly
    }

    It 'resets and joins one that <What>' -ForEach @(
        @{ What = 'has joined another cluster'; Record = 'other:6443 sha256:00' }
        @{ What = 'has half joined'; Record = $null }
    ) {
        $state.Record = $Record
        $state.Remains = $true
        $result = & "$StepsFolder/Join-Node.ps1" @given
        $result.Facts['wasReset'] | Should -BeTrue
        Should -Invoke Reset-Membership -Times 1 -Exactly
        Should -Invoke Join-Cluster -Times 1 -Exactly
    }

    It 'gives a node that has joined other labels, kubelet stopped for it' {
        $state.Record = "cp:6443 sha256:$sha"
        Mock Set-KubeletService { $true }
        (& "$StepsFolder/Join-Node.ps1" @given).Changed | Should -BeTrue
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
    }

    It 'has kubelet read extra arguments before anything else' {
        $null = & "$StepsFolder/Join-Node.ps1" @given -KubeletArgs 'v=4'
        Should -Invoke Assert-KubeletArgument -Times 1 -Exactly -ParameterFilter { $Argument -contains '--v=4' }
    }

    It 'wants Kubernetes first' {
        Mock Get-Service { return }
        (Get-StepFailure { & "$StepsFolder/Join-Node.ps1" @given }).Code | Should -BeExactly 'KubernetesMissing'
    }

    It 'counts a clock that was set as a change' {
        $state.Record = "cp:6443 sha256:$sha"
        Mock Sync-Clock { 7200 }
        $result = & "$StepsFolder/Join-Node.ps1" @given
        $result.Changed | Should -BeTrue
        $result.Facts['clockMovedSeconds'] | Should -Be 7200
    }
}

Describe 'Reset-Node' {
    BeforeEach {
        $parts = @(
            'Remove-ServiceInTime', 'Remove-NodeImage', 'Remove-NodeFirewallRule', 'Remove-NodeVariable'
            'Restore-MachineProxy', 'Remove-MachinePath', 'Remove-CalicoRegistryKey', 'Remove-NodeExclusion'
            'Remove-HostsLine', 'Remove-NodeFolder', 'Remove-NodeNetwork', 'Reset-Membership', 'Update-ProcessPath'
        )
        foreach ($part in $parts) {
            Mock $part { return }
        }
        Mock Test-JoinRemains { $true }
        Mock Test-Path { $true }
        Mock Get-Service { New-FakeService }
    }

    It 'leaves the cluster, then removes everything and names it' {
        Mock Remove-ServiceInTime { "service $Name" }
        $result = & "$StepsFolder/Reset-Node.ps1"
        $result.Changed | Should -BeTrue
        $result.Facts['wasJoined'] | Should -BeTrue
        $result.Facts['removed'] | Should -Be @('service kubelet', 'service containerd')
        Should -Invoke Reset-Membership -Times 1 -Exactly
        Should -Invoke Remove-NodeNetwork -Times 1 -Exactly
    }

    It 'changes nothing the second time' {
        Mock Test-JoinRemains { $false }
        $result = & "$StepsFolder/Reset-Node.ps1"
        $result.Changed | Should -BeFalse
        Should -Invoke Reset-Membership -Times 0 -Exactly
    }

    It 'removes the rest when kubeadm can not reset' {
        Mock Reset-Membership { throw 'containerd is gone' }
        { & "$StepsFolder/Reset-Node.ps1" } | Should -Not -Throw
        Should -Invoke Remove-NodeFolder -Times 1 -Exactly
    }

    It 'names what could not be removed, after it has tried everything' {
        Mock Remove-NodeFirewallRule { throw 'not allowed' }
        Mock Remove-NodeNetwork { throw 'in use' }
        $failure = Get-StepFailure { & "$StepsFolder/Reset-Node.ps1" }
        $failure.Code | Should -BeExactly 'ResetFailed'
        $failure.Message | Should -Match 'firewall: not allowed; networks: in use'
        Should -Invoke Remove-NodeFolder -Times 1 -Exactly
    }
}

Describe 'Export-NodeLog' {
    BeforeEach {
        Mock Protect-Folder { return }
        Mock New-Item { return }
        Mock Remove-Item { return }
        Mock Copy-NodeLog { return }
        Mock Save-NodeText { return }
        Mock Get-ChildItem { 1..3 }
    }

    It 'takes all away again where packing fails' {
        Mock Invoke-NativeCommand { throw 'no room' }
        (Get-StepFailure { & "$StepsFolder/Export-NodeLog.ps1" }).Message | Should -BeExactly 'no room'
        Should -Invoke Copy-NodeLog -Times 1 -Exactly -ParameterFilter { $TailKiB -eq 1024 }
        Should -Invoke Save-NodeText -Times 1 -Exactly
        Should -Invoke Remove-Item -Times 1 -Exactly -ParameterFilter { $LiteralPath -eq 'C:\kindows\logs' }
    }
}
