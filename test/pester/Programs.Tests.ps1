BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'Media', 'ServiceState', 'VolumeCache', 'CheckedProgram',
        'InstalledProgram', 'FilePlacement', 'ArchivedProgram', 'Crictl') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
}

Describe 'Test-FileChecksum' {
    BeforeAll {
        $file = Join-Path $TestDrive 'kubelet.exe'
        [IO.File]::WriteAllText($file, 'abc')
        # SHA-256 of "abc", from FIPS 180-2, appendix B.1.
        $checksum = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    }

    It 'knows a file by its content, in either case' {
        Test-FileChecksum -Path $file -Checksum $checksum | Should -BeTrue
        Test-FileChecksum -Path $file -Checksum $checksum.ToUpperInvariant() | Should -BeTrue
    }

    It 'knows other content' {
        Test-FileChecksum -Path $file -Checksum ('0' * 64) | Should -BeFalse
    }

    It 'says no for a file that is not there' {
        Test-FileChecksum -Path (Join-Path $TestDrive 'nothing') -Checksum $checksum | Should -BeFalse
    }
}

Describe 'Assert-Medium' {
    BeforeAll {
        $file = Join-Path $TestDrive 'kubelet.exe'
        [IO.File]::WriteAllText($file, 'abc')
        $checksum = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    }

    It 'passes the right file' {
        { Assert-Medium -Path $file -Checksum $checksum } | Should -Not -Throw
    }

    It 'says that a file is not there' {
        $failure = Get-StepFailure { Assert-Medium -Path (Join-Path $TestDrive 'nothing') -Checksum $checksum }
        $failure.Code | Should -BeExactly 'MediumMissing'
        $failure.Remedy | Should -Match 'pushed again'
    }

    It 'names both checksums of a half-pushed file' {
        $failure = Get-StepFailure { Assert-Medium -Path $file -Checksum ('0' * 64) }
        $failure.Code | Should -BeExactly 'ChecksumMismatch'
        $failure.Message | Should -Match "SHA-256 $checksum, expected was 0{64}\.$"
    }
}

Describe 'Install-Program' {
    BeforeEach {
        $medium = Join-Path $TestDrive 'medium.exe'
        $path = Join-Path $TestDrive 'kubelet.exe'
        [IO.File]::WriteAllText($medium, 'abc')
        [IO.File]::WriteAllText($path, 'old')
        $checksum = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
        Mock Get-Service { New-FakeService -Status 'Running' }
        Mock Stop-ServiceInTime { return }
        Mock Write-DriveCache { return }
        Mock Invoke-NativeCommand { 'Kubernetes v1.36.4' }
    }
    AfterEach {
        Remove-Item -LiteralPath "$path.checked" -ErrorAction SilentlyContinue
    }

    It 'asks a program its version, and neither hashes nor asks it again as long as it is the same file' {
        $given = @{
            Path = $path; Medium = $medium; Checksum = $checksum
            Version = '1.36.4'; VersionArgument = '--version'
        }
        Install-Program @given | Should -BeExactly 'media'
        Mock Get-FileHash { throw 'hashed again' }
        Install-Program @given | Should -BeExactly 'installed'
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter { $ArgumentList -contains '--version' }
    }

    It 'is not content with a program of another version, now or later' {
        $given = @{
            Path = $path; Medium = $medium; Checksum = $checksum
            Version = '1.36.3'; VersionArgument = '--version'
        }
        foreach ($time in 1, 2) {
            (Get-StepFailure { Install-Program @given }).Code | Should -BeExactly 'VersionMismatch'
        }
    }

    It 'looks again at a program that was changed' {
        $given = @{ Path = $path; Medium = $medium; Checksum = $checksum }
        $null = Install-Program @given
        [IO.File]::WriteAllText($path, 'abd')
        Install-Program @given | Should -BeExactly 'media'
        [IO.File]::ReadAllText($path) | Should -BeExactly 'abc'
    }

    It 'puts the program in place, its service stopped before' {
        Install-Program -Path $path -Medium $medium -Checksum $checksum -Service 'kubelet' | Should -BeExactly 'media'
        [IO.File]::ReadAllText($path) | Should -BeExactly 'abc'
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly -ParameterFilter { $Name -eq 'kubelet' }
        "$path.new" | Should -Not -Exist
    }

    It 'leaves the right one alone, without its medium, and its service running' {
        [IO.File]::WriteAllText($path, 'abc')
        Remove-Item -LiteralPath $medium
        Install-Program -Path $path -Medium $medium -Checksum $checksum -Service 'kubelet' |
            Should -BeExactly 'installed'
        Should -Invoke Stop-ServiceInTime -Times 0 -Exactly
    }

    It 'goes on after a run that was killed before the program was in place' {
        [IO.File]::WriteAllText("$path.new", 'ab')
        Install-Program -Path $path -Medium $medium -Checksum $checksum | Should -BeExactly 'media'
        [IO.File]::ReadAllText($path) | Should -BeExactly 'abc'
    }

    It 'touches nothing when the medium is wrong' {
        [IO.File]::WriteAllText($medium, 'other')
        (Get-StepFailure { Install-Program -Path $path -Medium $medium -Checksum $checksum -Service 'kubelet' }).Code |
            Should -BeExactly 'ChecksumMismatch'
        [IO.File]::ReadAllText($path) | Should -BeExactly 'old'
        Should -Invoke Stop-ServiceInTime -Times 0 -Exactly
    }
}

Describe 'Test-CheckedProgram' {
    BeforeEach {
        $path = Join-Path $TestDrive 'kubeadm.exe'
        [IO.File]::WriteAllText($path, 'abc')
        Mock Write-DriveCache { return }
        Save-CheckedProgram -Path $path -Checksum 'AB' -Version '1.36.4'
    }

    It 'writes down checksum, version, length and time' {
        $note = Get-ProgramNote -Path $path -Checksum 'AB' -Version '1.36.4'
        $note | Should -Match '^ab 1\.36\.4 3 [0-9]{18}$'
        [IO.File]::ReadAllText("$path.checked") | Should -BeExactly $note
        Get-ProgramNote -Path "$path.missing" -Checksum 'AB' | Should -BeExactly ''
    }

    It 'knows a program that was checked, its checksum in either case' {
        Test-CheckedProgram -Path $path -Checksum 'ab' -Version '1.36.4' | Should -BeTrue
        Should -Invoke Write-DriveCache -Times 1 -Exactly
    }

    It 'does not know one with another <What>' -ForEach @(
        @{ What = 'checksum'; Checksum = 'cd'; Version = '1.36.4' }
        @{ What = 'version'; Checksum = 'ab'; Version = '1.36.3' }
    ) {
        Test-CheckedProgram -Path $path -Checksum $Checksum -Version $Version | Should -BeFalse
    }

    It 'does not know one that was <What> since' -ForEach @(
        @{ What = 'written'; Change = { [IO.File]::SetLastWriteTimeUtc($path, [DateTime]::UtcNow.AddHours(1)) } }
        @{ What = 'cut'; Change = { [IO.File]::WriteAllText($path, 'ab') } }
        @{ What = 'removed'; Change = { Remove-Item -LiteralPath $path } }
    ) {
        . $Change
        Test-CheckedProgram -Path $path -Checksum 'ab' -Version '1.36.4' | Should -BeFalse
    }

    It 'does not know one whose note is half written' {
        [IO.File]::WriteAllText("$path.checked", 'ab 1.36')
        Test-CheckedProgram -Path $path -Checksum 'ab' -Version '1.36.4' | Should -BeFalse
    }
}

Describe 'Assert-ProgramVersion' {
    It 'takes <Answer> for <Version>' -ForEach @(
        @{ Answer = 'Kubernetes v1.36.4'; Version = '1.36.4' }
        @{ Answer = "v1.36.4`r`n"; Version = '1.36.4' }
        @{ Answer = 'Kubernetes v1.37.0-rc.1'; Version = '1.37.0-rc.1' }
    ) {
        Mock Invoke-NativeCommand { $Answer }
        { Assert-ProgramVersion -Path 'C:\k\kubelet.exe' -ArgumentList '--version' -Version $Version } |
            Should -Not -Throw
    }

    It 'does not take <Answer> for <Version>' -ForEach @(
        @{ Answer = 'Kubernetes v1.36.4'; Version = '1.36.3' }
        @{ Answer = 'Kubernetes v1.37.0-rc.1'; Version = '1.37.0' }
        @{ Answer = 'no version'; Version = '1.36.4' }
        @{ Answer = ''; Version = '1.36.4' }
    ) {
        Mock Invoke-NativeCommand { $Answer }
        $failure = Get-StepFailure {
            Assert-ProgramVersion -Path 'C:\k\kubelet.exe' -ArgumentList '--version' -Version $Version
        }
        $failure.Code | Should -BeExactly 'VersionMismatch'
    }
}

Describe 'Move-FileIntoPlace' {
    BeforeEach {
        $folder = Join-Path $TestDrive ([Guid]::NewGuid())
        $null = New-Item -Path $folder -ItemType Directory
        $source = Join-Path $folder 'new.exe'
        $target = Join-Path $folder 'containerd.exe'
        [IO.File]::WriteAllText($source, 'new')
    }

    It 'moves a file to where none is' {
        Move-FileIntoPlace -Source $source -Target $target
        [IO.File]::ReadAllText($target) | Should -BeExactly 'new'
        $source | Should -Not -Exist
    }

    It 'moves the old one aside, which may still run' {
        [IO.File]::WriteAllText($target, 'old')
        Move-FileIntoPlace -Source $source -Target $target
        [IO.File]::ReadAllText($target) | Should -BeExactly 'new'
        $aside = @(Get-ChildItem -LiteralPath $folder -Filter '*.replaced' -File)
        $aside.Count | Should -Be 1
        [IO.File]::ReadAllText($aside[0].FullName) | Should -BeExactly 'old'
    }

    It 'leaves all as it was where one can not be replaced' {
        [IO.File]::WriteAllText($target, 'old')
        $failure = Get-StepFailure {
            Move-FileIntoPlace -Source $source, (Join-Path $folder 'none') -Target $target, (Join-Path $folder 'b.exe')
        }
        $failure.Message | Should -Match 'b\.exe can''t be replaced'
        [IO.File]::ReadAllText($target) | Should -BeExactly 'old'
        [IO.File]::ReadAllText($source) | Should -BeExactly 'new'
        @(Get-ChildItem -LiteralPath $folder -File).Count | Should -Be 2
    }

    It 'says what can not be replaced' {
        Remove-Item -LiteralPath $source
        $failure = Get-StepFailure { Move-FileIntoPlace -Source $source -Target $target }
        $failure.Code | Should -BeExactly 'FileInUse'
        $failure.Message | Should -Match 'containerd\.exe can''t be replaced'
    }
}

Describe 'Remove-ReplacedFile' {
    BeforeEach {
        $folder = Join-Path $TestDrive ([Guid]::NewGuid())
        $null = New-Item -Path $folder -ItemType Directory
        foreach ($name in 'a.exe', 'a.exe.1.replaced', 'b.exe.2.replaced') {
            [IO.File]::WriteAllText((Join-Path $folder $name), 'x')
        }
    }

    It 'removes what an earlier run moved aside, and nothing else' {
        Remove-ReplacedFile -Folder $folder
        @(Get-ChildItem -LiteralPath $folder -File).Name | Should -Be @('a.exe')
    }

    It 'leaves what still runs to a later run, and says so' {
        Mock Remove-Item { throw 'Access is denied.' }
        { Remove-ReplacedFile -Folder $folder } | Should -Not -Throw
        Should -Invoke Write-StepProgress -Times 2 -Exactly -ParameterFilter { $Message -match 'still running' }
    }
}

Describe 'Expand-TarArchive' {
    It 'unpacks into an empty folder, whatever a killed run left there' {
        $folder = Join-Path $TestDrive 'unpacked.new'
        $null = New-Item -Path $folder -ItemType Directory
        [IO.File]::WriteAllText((Join-Path $folder 'half'), 'x')
        Mock Invoke-NativeCommand { return }
        Expand-TarArchive -Archive 'C:\a.tar.gz' -Folder $folder -StripComponents 1
        @(Get-ChildItem -LiteralPath $folder).Count | Should -Be 0
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            $FilePath -match 'tar\.exe$' -and
            ($ArgumentList -join ' ') -eq "-x -z -f C:\a.tar.gz -C $folder --strip-components 1"
        }
    }
}

# Paths with backslashes name files on Windows only.
Describe 'Install-Crictl' -Skip:(-not $OnWindows) {
    BeforeEach {
        $folder = Join-Path $TestDrive ([Guid]::NewGuid())
        $null = New-Item -Path $folder -ItemType Directory
        $sha = 'a' * 64
        Mock Assert-Medium { return }
        Mock Expand-TarArchive {
            $null = New-Item -Path $Folder -ItemType Directory -Force
            Set-Content -LiteralPath "$Folder\crictl.exe" -Value 'x'
        }
    }

    It 'takes crictl from its archive, and tells it where containerd serves' {
        $result = Install-Crictl -Folder $folder -Archive 'C:\crictl.tar.gz' -Checksum $sha
        $result.State | Should -BeExactly 'media'
        $result.Changed | Should -BeTrue
        "$folder\crictl.exe" | Should -Exist
        "$folder\crictl.new" | Should -Not -Exist
        [IO.File]::ReadAllText("$folder\crictl.yaml") |
            Should -Match '^runtime-endpoint: npipe:////\./pipe/containerd-containerd\n'
    }

    It 'changes nothing the second time' {
        $null = Install-Crictl -Folder $folder -Archive 'C:\crictl.tar.gz' -Checksum $sha
        $result = Install-Crictl -Folder $folder -Archive 'C:\crictl.tar.gz' -Checksum $sha
        $result.State | Should -BeExactly 'installed'
        $result.Changed | Should -BeFalse
        Should -Invoke Expand-TarArchive -Times 1 -Exactly
    }

    It 'unpacks again what a killed run left half unpacked' {
        Set-Content -LiteralPath "$folder\crictl.exe" -Value 'half'
        (Install-Crictl -Folder $folder -Archive 'C:\crictl.tar.gz' -Checksum $sha).State |
            Should -BeExactly 'media'
    }

    It 'writes its configuration again where somebody has changed it' {
        $null = Install-Crictl -Folder $folder -Archive 'C:\crictl.tar.gz' -Checksum $sha
        Set-Content -LiteralPath "$folder\crictl.yaml" -Value 'debug: true'
        $result = Install-Crictl -Folder $folder -Archive 'C:\crictl.tar.gz' -Checksum $sha
        $result.State | Should -BeExactly 'installed'
        $result.Changed | Should -BeTrue
    }

    It 'takes it away where there shall be none, once' {
        $null = Install-Crictl -Folder $folder -Archive 'C:\crictl.tar.gz' -Checksum $sha
        $result = Install-Crictl -Folder $folder -Archive '' -Checksum ''
        $result.State | Should -BeExactly 'none'
        $result.Changed | Should -BeTrue
        @(Get-ChildItem -LiteralPath $folder).Count | Should -Be 0
        (Install-Crictl -Folder $folder -Archive '' -Checksum '').Changed | Should -BeFalse
    }
}
