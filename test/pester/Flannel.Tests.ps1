BeforeDiscovery {
    $OnDesktop = $PSVersionTable.PSEdition -eq 'Desktop'
}

BeforeAll {
    . "$PSScriptRoot/support/Steps.ps1"
}

Describe 'Install-ArchivedProgram' {
    BeforeEach {
        $folder = Join-Path $TestDrive ([Guid]::NewGuid())
        $null = New-Item -Path $folder -ItemType Directory
        Mock Assert-Medium { return }
        Mock Get-Service { New-FakeService -Status 'Running' }
        Mock Stop-ServiceInTime { return }
        Mock Expand-TarArchive {
            $null = New-Item -Path $Folder -ItemType Directory -Force
            Set-Content -LiteralPath (Join-Path $Folder 'flannel-amd64.exe') -Value 'x'
        }
        Mock Move-FileIntoPlace { return }
        $given = @{
            Archive = 'C:\a.tgz'; Checksum = $sha; Folder = $folder; Name = 'plugin'
            File = @{ 'flannel-amd64.exe' = 'flannel.exe' }
        }
    }

    It 'takes the program out of the archive, its service stopped, and the second time nothing' {
        # Nothing is there but what is unpacked.
        Mock Test-Path { $LiteralPath -like '*\plugin.new\*' }
        Mock Remove-Item { return }
        Install-ArchivedProgram @given -Service 'flanneld' | Should -BeExactly 'media'
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
        Should -Invoke Move-FileIntoPlace -Times 1 -Exactly -ParameterFilter { $Target -like '*\flannel.exe' }
        [IO.File]::ReadAllText("$folder\plugin.sha256") | Should -BeExactly $sha
        Mock Test-Path { $true }
        Install-ArchivedProgram @given -Service 'flanneld' | Should -BeExactly 'installed'
        Should -Invoke Assert-Medium -Times 1 -Exactly
    }

    It 'takes nothing out of a wrong archive, and stops nothing' {
        Mock Assert-Medium { Stop-Step -Code 'ChecksumMismatch' -Message 'x' -Remedy 'y' }
        (Get-StepFailure { Install-ArchivedProgram @given -Service 'flanneld' }).Code |
            Should -BeExactly 'ChecksumMismatch'
        Should -Invoke Stop-ServiceInTime -Times 0 -Exactly
        Should -Invoke Expand-TarArchive -Times 0 -Exactly
    }
}

Describe 'Set-EncodedFile' {
    BeforeEach {
        $file = Join-Path $TestDrive ([Guid]::NewGuid())
        Mock Get-Service { New-FakeService -Status 'Running' }
        Mock Stop-ServiceInTime { return }
    }

    It 'writes the content once, the service stopped before' {
        Set-EncodedFile -Path $file -Content 'eyJhIjoxfQ==' -Service 'flanneld' | Should -BeTrue
        [IO.File]::ReadAllText($file) | Should -BeExactly '{"a":1}'
        Set-EncodedFile -Path $file -Content 'eyJhIjoxfQ==' -Service 'flanneld' | Should -BeFalse
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
    }
}

Describe 'Install-FlanneldHost' {
    BeforeEach {
        $FlanneldHostPath = Join-Path $TestDrive "$([Guid]::NewGuid()).exe"
        $FlanneldHostMarkPath = Join-Path $TestDrive "$([Guid]::NewGuid()).sha256"
        $service = @{ It = $null }
        Mock Add-Type { Set-Content -LiteralPath $OutputAssembly -Value 'compiled' }
        Mock Get-Service { $service.It }
        Mock Stop-ServiceInTime { return }
    }

    It 'compiles the program once' {
        Install-FlanneldHost | Should -BeExactly 'compiled'
        $FlanneldHostPath | Should -Exist
        Install-FlanneldHost | Should -BeExactly 'installed'
        Should -Invoke Add-Type -Times 1 -Exactly
        Should -Invoke Stop-ServiceInTime -Times 0 -Exactly
    }

    It 'compiles another source anew, the service stopped before' {
        $null = Install-FlanneldHost
        Set-Content -LiteralPath $FlanneldHostMarkPath -Value 'of another source'
        $service.It = New-FakeService -Status 'Running'
        Install-FlanneldHost | Should -BeExactly 'compiled'
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
    }
}

# Windows PowerShell's own compiler, which the steps use; PowerShell 7 makes no programs.
Describe 'the program around flanneld' -Skip:(-not $OnDesktop) {
    It 'compiles' {
        $FlanneldHostPath = Join-Path $TestDrive 'flanneld-service.exe'
        $FlanneldHostMarkPath = Join-Path $TestDrive 'flanneld-service.sha256'
        Mock Get-Service { return }
        Install-FlanneldHost | Should -BeExactly 'compiled'
        [Reflection.AssemblyName]::GetAssemblyName($FlanneldHostPath).Name | Should -BeLike 'flanneld-service*'
    }
}

Describe 'Register-FlanneldService' {
    BeforeEach {
        $line = Get-FlanneldCommandLine -NodeIp '10.0.0.1'
        $service = @{ It = $null }
        Mock Get-Service { $service.It }
        Mock New-Service { return }
        Mock Stop-ServiceInTime { return }
        Mock Get-CimInstance { [pscustomobject]@{ PathName = $line } }
        Mock Invoke-CimMethod { [pscustomobject]@{ ReturnValue = 0 } } -RemoveParameterType 'InputObject'
    }

    It 'registers it manual, behind kube-log-runner' {
        Register-FlanneldService -CommandLine $line | Should -BeTrue
        Should -Invoke New-Service -Times 1 -Exactly -ParameterFilter {
            $StartupType -eq 'Manual' -and $BinaryPathName -like '*kube-log-runner.exe*--iface=10.0.0.1'
        }
    }

    It 'leaves one that is there, and changes its command line only stopped' {
        $service.It = New-FakeService -Status 'Running'
        Register-FlanneldService -CommandLine $line | Should -BeFalse
        Register-FlanneldService -CommandLine (Get-FlanneldCommandLine -NodeIp '10.0.0.2') | Should -BeTrue
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
        Should -Invoke Invoke-CimMethod -Times 1 -Exactly -ParameterFilter { $Arguments.PathName -like '*10.0.0.2' }
    }

    It 'says what Windows answers to a change it refuses' {
        Mock Invoke-CimMethod { [pscustomobject]@{ ReturnValue = 16 } } -RemoveParameterType 'InputObject'
        $failure = Get-StepFailure { Edit-Service -Name 'flanneld' -Setting @{ StartMode = 'Automatic' } }
        $failure.Code | Should -BeExactly 'CommandFailed'
        $failure.Message | Should -Match 'returned 16'
    }
}

Describe 'Set-FlanneldNode' {
    BeforeEach {
        $held = @{ Value = @('NODE_NAME=win-1') }
        Mock Get-Item {
            [pscustomobject]@{} | Add-Member -MemberType ScriptMethod -Name GetValue -Value { $held.Value } -PassThru
        }
        Mock New-ItemProperty { return }
        Mock Stop-ServiceInTime { return }
    }

    It 'tells it its Node, and not twice' {
        Set-FlanneldNode -NodeName 'win-1' | Should -BeFalse
        $held.Value = @()
        Set-FlanneldNode -NodeName 'win-1' | Should -BeTrue
        Should -Invoke New-ItemProperty -Times 1 -Exactly -ParameterFilter { $Value -contains 'NODE_NAME=win-1' }
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
    }

    It 'leaves it the variables that somebody else has given it' {
        $held.Value = @('OWN=1', 'NODE_NAME=old')
        Set-FlanneldNode -NodeName 'win-1' | Should -BeTrue
        Should -Invoke New-ItemProperty -Times 1 -Exactly -ParameterFilter {
            ($Value -join ' ') -eq 'OWN=1 NODE_NAME=win-1'
        }
    }
}

Describe 'Start-UsedFlanneld' {
    BeforeEach {
        Mock Start-ServiceInTime { return }
    }

    It 'starts <Times> of a service that is <StartType> and <Status>' -ForEach @(
        @{ StartType = 'Manual'; Status = 'Stopped'; Times = 0 }
        @{ StartType = 'Automatic'; Status = 'Running'; Times = 0 }
        @{ StartType = 'Automatic'; Status = 'Stopped'; Times = 1 }
    ) {
        Mock Get-Service { New-FakeService -Status $Status -StartType $StartType }
        Start-UsedFlanneld
        Should -Invoke Start-ServiceInTime -Times $Times -Exactly
    }
}

Describe 'Stop-UsedFlanneld' {
    It 'stops one that is there, and minds none that is not' {
        $service = @{ It = $null }
        Mock Get-Service { $service.It }
        Mock Stop-ServiceInTime { return }
        Stop-UsedFlanneld
        Should -Invoke Stop-ServiceInTime -Times 0 -Exactly
        $service.It = New-FakeService -Status 'Running'
        Stop-UsedFlanneld
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly -ParameterFilter { $Name -eq 'flanneld' }
    }
}

Describe 'Start-FlannelNetwork' {
    BeforeEach {
        Mock Get-Service { New-FakeService }
        Mock Edit-Service { return }
        # As the real one: with a $Name of its own.
        Mock Start-ServiceInTime { $null = & $Ready }
        Mock Test-ExternalNetwork { $true }
        Mock Save-BridgeAddress { return }
    }

    It 'has the service start with Windows, and waits for its network' {
        Start-FlannelNetwork -Name 'flannel.4096'
        Should -Invoke Edit-Service -Times 1 -Exactly -ParameterFilter {
            $Name -eq 'flanneld' -and $Setting.StartMode -eq 'Automatic'
        }
        Should -Invoke Start-ServiceInTime -Times 1 -Exactly -ParameterFilter { $Name -eq 'flanneld' }
        Should -Invoke Test-ExternalNetwork -Times 1 -Exactly -ParameterFilter { $Name -eq 'flannel.4096' }
        Should -Invoke Save-BridgeAddress -Times 0 -Exactly
    }

    It 'keeps the bridge''s address from the pods' {
        Start-FlannelNetwork -Name 'cbr0'
        Should -Invoke Save-BridgeAddress -Times 1 -Exactly
    }

    It 'wants the service first' {
        Mock Get-Service { return }
        { Start-FlannelNetwork -Name 'cbr0' } | Should -Throw '*Install-Flannel first*'
    }
}

Describe 'Save-BridgeAddress' {
    It 'writes host-local''s record once, of the second address' {
        Mock Get-HnsNetwork {
            [pscustomobject]@{ Name = 'cbr0'; Subnets = @([pscustomobject]@{ AddressPrefix = '10.244.3.0/24' }) }
        }
        Save-BridgeAddress -Name 'cbr0' -RecordFolder "$TestDrive"
        Save-BridgeAddress -Name 'cbr0' -RecordFolder "$TestDrive"
        $record = Join-Path $TestDrive 'cbr0/10.244.3.2'
        @(Get-Content -LiteralPath $record)[0] | Should -BeExactly 'cbr0_ep'
    }
}

Describe 'Install-Flannel' {
    BeforeEach {
        $from = @{ Program = 'media'; Host = 'compiled'; File = $true }
        Mock Test-Path { $true }
        Mock New-Item { return }
        Mock Install-ArchivedProgram { $from.Program }
        Mock Install-FlanneldHost { $from.Host }
        Mock Remove-ReplacedFile { return }
        Mock Set-EncodedFile { $from.File }
        Mock Register-FlanneldService { $from.File }
        Mock Set-ServiceRecovery { return }
        Mock Set-FlanneldNode { $from.File }
        Mock Start-UsedFlanneld { return }
        $given = @{ NodeName = 'win-1'; NodeIp = '10.0.0.1'; NetConf = 'e30='; CniConf = 'e30=' }
        foreach ($program in 'Daemon', 'Plugin', 'CniPlugins') {
            $given["$($program)Path"] = "C:\kindows\media\$sha\$program.tgz"
            $given["$($program)Sha256"] = $sha
        }
    }

    It 'installs programs, files and the service, and starts no new one' {
        $result = & "$StepsFolder/Install-Flannel.ps1" @given
        $result.Changed | Should -BeTrue
        $result.Facts['serviceHost'] | Should -BeExactly 'compiled'
        Should -Invoke Install-ArchivedProgram -Times 3 -Exactly
        Should -Invoke Install-ArchivedProgram -Times 1 -Exactly -ParameterFilter { $Service -eq 'flanneld' }
        Should -Invoke Set-ServiceRecovery -Times 1 -Exactly -ParameterFilter { $Restart }
        Should -Invoke Start-UsedFlanneld -Times 1 -Exactly
    }

    It 'changes nothing the second time' {
        $from.Program = 'installed'
        $from.Host = 'installed'
        $from.File = $false
        (& "$StepsFolder/Install-Flannel.ps1" @given).Changed | Should -BeFalse
    }

    It 'wants Kubernetes first' {
        Mock Test-Path { $false }
        (Get-StepFailure { & "$StepsFolder/Install-Flannel.ps1" @given }).Code | Should -BeExactly 'KubernetesMissing'
    }
}
