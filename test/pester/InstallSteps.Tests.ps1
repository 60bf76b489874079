BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
}

BeforeAll {
    . "$PSScriptRoot/support/Steps.ps1"
}

Describe 'Install-Containerd' -Skip:(-not $OnWindows) {
    BeforeEach {
        $programFiles = $env:ProgramFiles
        $env:ProgramFiles = Join-Path $TestDrive ([Guid]::NewGuid())
        $folder = "$env:ProgramFiles\containerd"
        $archive = Join-Path $TestDrive 'containerd-2.3.4-windows-amd64.tar.gz'
        $registered = @{ It = $null }
        $cni = (Join-Path $TestDrive 'cni').Replace('\', '/')
        Mock Get-ContainersFeatureState { 'Installed' }
        Mock Set-DefenderExclusion { @{ Changed = $false; State = 'set' } }
        Mock Get-Service { $registered.It }
        Mock Assert-Medium { return }
        Mock Stop-ServiceInTime { return }
        Mock Expand-TarArchive {
            $null = New-Item -Path $Folder -ItemType Directory -Force
            Set-Content -LiteralPath "$Folder\containerd.exe" -Value 'x'
        }
        Mock Add-MachinePath { $false }
        Mock Invoke-NativeCommand {
            if ($ArgumentList -contains '--version') { 'containerd github.com/containerd/containerd/v2 v2.3.4 abc' }
            if ($ArgumentList -contains '--register-service') { $registered.It = New-FakeService }
            if ($ArgumentList -contains 'default') { 'default' }
        }
        Mock Edit-ContainerdConfig { 'edited' }
        Mock Set-ServiceRecovery { return }
        Mock Set-ServiceProxy { $false }
        Mock Write-DriveCache { return }
        Mock Start-Containerd { $registered.It.Status = 'Running' }
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
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter { $ArgumentList -contains '--version' }
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter { $ArgumentList -contains 'default' }
    }

    It 'asks a program that was changed again' {
        $null = & "$StepsFolder/Install-Containerd.ps1" @given
        Set-Content -LiteralPath "$folder\containerd.exe" -Value 'another'
        $null = & "$StepsFolder/Install-Containerd.ps1" @given
        Should -Invoke Invoke-NativeCommand -Times 2 -Exactly -ParameterFilter { $ArgumentList -contains 'default' }
    }

    It 'unpacks again what a killed run left half unpacked' {
        $null = New-Item -Path $folder -ItemType Directory -Force
        Set-Content -LiteralPath "$folder\containerd.exe" -Value 'half'
        (& "$StepsFolder/Install-Containerd.ps1" @given).Facts['archiveFrom'] | Should -BeExactly 'media'
    }

    It 'unpacks again what a power cut has left an empty mark of' {
        $null = & "$StepsFolder/Install-Containerd.ps1" @given
        [IO.File]::WriteAllText("$folder\unpacked.sha256", '')
        (& "$StepsFolder/Install-Containerd.ps1" @given).Facts['archiveFrom'] | Should -BeExactly 'media'
    }

    It 'passes crictl''s archive on, and reports what became of it' {
        Mock Install-Crictl { [pscustomobject]@{ State = 'media'; Changed = $true } }
        $given.CrictlPath = 'C:\crictl.tar.gz'
        $given.CrictlSha256 = $sha
        $result = & "$StepsFolder/Install-Containerd.ps1" @given
        $result.Changed | Should -BeTrue
        $result.Facts['crictlFrom'] | Should -BeExactly 'media'
        Should -Invoke Install-Crictl -Times 1 -Exactly -ParameterFilter {
            $Archive -eq 'C:\crictl.tar.gz' -and $Checksum -eq $sha
        }
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
        Mock Add-MachinePath { $false }
        Mock Register-KubeletService { $false }
        Mock Get-NetFirewallRule { [pscustomobject]@{ Name = 'kubelet' } }
        Mock New-NetFirewallRule { return }
        Mock Disable-AutomaticUpdate { $false }
        Mock Restore-AutomaticUpdate { return }
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
        Should -Invoke Install-Program -Times 2 -Exactly -ParameterFilter { $Version -eq '1.36.4' }
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

    It 'leaves Windows'' updates <What>' -ForEach @(
        @{ What = 'off'; Updates = 0; Restored = $null; Expected = $true }
        @{ What = 'on'; Updates = 1; Restored = $null; Expected = $false }
        @{ What = 'on again'; Updates = 1; Restored = 'policy NoAutoUpdate'; Expected = $true }
    ) {
        $from.Program = 'installed'
        Mock Disable-AutomaticUpdate { $true }
        Mock Restore-AutomaticUpdate { $Restored }
        $given.AutomaticUpdates = $Updates
        (& "$StepsFolder/Install-Kubernetes.ps1" @given).Changed | Should -Be $Expected
        Should -Invoke Disable-AutomaticUpdate -Times (1 - $Updates) -Exactly
        Should -Invoke Restore-AutomaticUpdate -Times $Updates -Exactly
    }

    It 'wants containerd first' {
        Mock Get-Service { return }
        (Get-StepFailure { & "$StepsFolder/Install-Kubernetes.ps1" @given }).Code |
            Should -BeExactly 'ContainerdMissing'
    }
}
