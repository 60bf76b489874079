# Container images that are pulled while an image of Windows is made.
BeforeAll {
    . "$PSScriptRoot/support/Steps.ps1"
}

Describe 'Get-WholeImage' {
    It 'asks for what is fetched and unpacked, among kubelet''s images' {
        Mock Invoke-NativeCommand { "a:1`nb:1`n" }
        Get-WholeImage -Ctr 'C:\ctr.exe' | Should -BeExactly @('a:1', 'b:1')
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            ($ArgumentList -join ' ') -eq '--namespace k8s.io images check --quiet'
        }
    }

    It 'is nothing where there is none' {
        Mock Invoke-NativeCommand { '' }
        @(Get-WholeImage -Ctr 'C:\ctr.exe').Count | Should -Be 0
    }
}

Describe 'Add-Image' {
    It 'pulls by ctr itself, in the time that is left' {
        Mock Invoke-NativeCommand { 'done' }
        Add-Image -Ctr 'C:\ctr.exe' -Image 'a:1' -TimeoutSeconds 90 | Should -BeExactly ''
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            $TimeoutSeconds -eq 90 -and ($ArgumentList -join ' ') -eq '--namespace k8s.io images pull --local a:1'
        }
    }

    It 'tells why it could not be pulled, in one line: <Code>' -ForEach @(
        @{ Code = 'CommandFailed' }
        @{ Code = 'CommandTimedOut' }
    ) {
        $kind = $Code
        Mock Invoke-NativeCommand { Stop-Step -Code $kind -Message "ctr wrote:`n no such host" -Remedy 'x' }
        Add-Image -Ctr 'C:\ctr.exe' -Image 'a:1' -TimeoutSeconds 90 | Should -BeExactly 'ctr wrote: no such host'
    }

    It 'keeps the end of long words' {
        Mock Invoke-NativeCommand { Stop-Step -Code 'CommandFailed' -Message (('x' * 900) + ' refused') -Remedy 'x' }
        $words = Add-Image -Ctr 'C:\ctr.exe' -Image 'a:1' -TimeoutSeconds 90
        $words.Length | Should -Be 303
        $words | Should -BeLike '...*refused'
    }

    It 'is not tried without time' {
        Mock Invoke-NativeCommand { throw 'not to be called' }
        Add-Image -Ctr 'C:\ctr.exe' -Image 'a:1' -TimeoutSeconds 0 | Should -BeExactly 'no time was left for it'
    }

    It 'hides no other error' {
        Mock Invoke-NativeCommand { throw 'something else' }
        { Add-Image -Ctr 'C:\ctr.exe' -Image 'a:1' -TimeoutSeconds 90 } | Should -Throw 'something else'
    }
}

Describe 'Add-ContainerImage' {
    BeforeEach {
        $before = $env:HTTPS_PROXY
        $seen = @{ Proxy = '' }
        Mock Get-Service { New-FakeService -Status 'Running' }
        Mock Start-Containerd { return }
        Mock Test-Path { $true }
        Mock Get-WholeImage { 'a:1' }
        Mock Add-Image {
            $seen.Proxy = $env:HTTPS_PROXY
            if ($Image -eq 'c:1') { 'no such host' } else { '' }
        }
    }
    AfterEach {
        $env:HTTPS_PROXY = $before
    }

    It 'pulls what is not there, by the proxy, and tells what could not be pulled' {
        $result = & "$StepsFolder/Add-ContainerImage.ps1" -Images 'a:1,b:1,c:1' -Proxy 'https://127.0.0.1:3128'
        $result.Changed | Should -BeTrue
        $result.Facts['present'] | Should -BeExactly @('a:1')
        $result.Facts['pulled'] | Should -BeExactly @('b:1')
        $result.Facts['missing'] | Should -BeExactly @('c:1')
        $result.Facts['warning'] | Should -BeExactly ('1 of 3 container images were not pulled, so each node pulls ' +
            'them: c:1: no such host')
        $seen.Proxy | Should -BeExactly 'https://127.0.0.1:3128'
    }

    It 'changes nothing where all are there' {
        $result = & "$StepsFolder/Add-ContainerImage.ps1" -Images 'a:1'
        $result.Changed | Should -BeFalse
        $result.Facts['warning'] | Should -BeExactly ''
        Should -Invoke Add-Image -Times 0 -Exactly
    }

    It 'warns, and does not fail, without ctr.exe' {
        Mock Test-Path { $false }
        $result = & "$StepsFolder/Add-ContainerImage.ps1" -Images 'a:1,b:1'
        $result.Changed | Should -BeFalse
        $result.Facts['missing'] | Should -BeExactly @('a:1', 'b:1')
        $result.Facts['warning'] | Should -BeLike '2 of 2 container images were not pulled,*there is no *ctr.exe'
    }

    It 'wants containerd' {
        Mock Get-Service { $null }
        (Get-StepFailure { & "$StepsFolder/Add-ContainerImage.ps1" -Images 'a:1' }).Code |
            Should -BeExactly 'ContainerdMissing'
    }
}
