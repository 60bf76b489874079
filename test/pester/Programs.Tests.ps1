BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'Media', 'ServiceState', 'InstalledProgram', 'FilePlacement') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
}

Describe 'ConvertTo-NativeArgument' {
    It 'writes <Argument> as <Expected>' -ForEach @(
        @{ Argument = 'reset'; Expected = 'reset' }
        @{ Argument = 'C:\k\kubelet.exe'; Expected = 'C:\k\kubelet.exe' }
        @{ Argument = ''; Expected = '""' }
        @{ Argument = 'two words'; Expected = '"two words"' }
        @{ Argument = 'C:\Program Files\'; Expected = '"C:\Program Files\\"' }
        @{ Argument = 'say "no"'; Expected = '"say \"no\""' }
        @{ Argument = 'end \"'; Expected = '"end \\\""' }
    ) {
        ConvertTo-NativeArgument -Argument $Argument | Should -BeExactly $Expected
    }
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
