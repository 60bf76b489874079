# What is done in an image of what its nodes need.
BeforeAll {
    . "$PSScriptRoot/support/Image.ps1"
}

Describe 'programs of the CD' {
    BeforeEach {
        $MediaFolder = Join-Path $TestDrive 'media'
        $source = Join-Path $TestDrive 'programs'
        $null = New-Item -Path (Join-Path $source 'abc') -ItemType Directory -Force
        [IO.File]::WriteAllText((Join-Path $source 'abc/kubelet.exe'), 'kubelet')
    }

    It 'Copy-Program brings them to where the steps look, twice in a row too' {
        Copy-Program -Source $source
        Copy-Program -Source $source
        (Get-ChildItem -LiteralPath $MediaFolder -Recurse -File).FullName |
            Should -BeExactly @(Join-Path $MediaFolder 'abc/kubelet.exe')
    }

    It 'Copy-Program has nothing to do where the CD has none' {
        Copy-Program -Source (Join-Path $TestDrive 'gone')
        Test-Path -LiteralPath $MediaFolder | Should -BeTrue
    }

    It 'Remove-Program removes them, and may be too late' {
        Copy-Program -Source $source
        Remove-Program
        Remove-Program
        Test-Path -LiteralPath $MediaFolder | Should -BeFalse
    }
}

Describe 'Invoke-BakedStep' {
    BeforeEach {
        $said = @{ Output = '' }
        Mock Invoke-NativeCommand { $said.Output }
        $parameters = [pscustomobject]@{ Version = '2.3.4'; RegistryMirrors = ''; DefenderExclusions = 1 }
    }

    It 'runs the step with its parameters, an empty one too' {
        $said.Output = "words`r`n{`"step`":`"x`",`"rebootRequired`":false}`r`n"
        Invoke-BakedStep -Script 'E:\kindows\Install-Containerd.ps1' -Parameters $parameters | Should -BeFalse
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            ($ArgumentList[5..12] -join '|') -eq ('-File|E:\kindows\Install-Containerd.ps1|-Version|2.3.4|' +
                '-RegistryMirrors||-DefenderExclusions|1')
        }
    }

    It 'says on the serial port what the step warns of' {
        Mock Write-SerialLine { return }
        $said.Output = '{"step":"x","rebootRequired":false,"facts":{"warning":"no registry"}}'
        Invoke-BakedStep -Script 'E:\x.ps1' -Parameters ([pscustomobject]@{}) | Should -BeFalse
        $said.Output = '{"step":"x","rebootRequired":false,"facts":{"warning":""}}'
        Invoke-BakedStep -Script 'E:\x.ps1' -Parameters ([pscustomobject]@{}) | Should -BeFalse
        Should -Invoke Write-SerialLine -Times 1 -Exactly -ParameterFilter { $Message -eq 'warning: no registry' }
    }
}

Describe 'Invoke-Bake' {
    BeforeEach {
        $steps = New-Object -TypeName System.Collections.Generic.List[string]
        $reboot = @{ Step = '' }
        [IO.File]::WriteAllText((Join-Path $ImageFolder 'bake.json'),
            '{"steps": [{"step": "One", "parameters": {"A": 1}}, {"step": "Two", "parameters": {}}]}')
        Mock Write-SerialLine { return }
        Mock Copy-Program { return }
        Mock Remove-Program { return }
        Mock Invoke-BakedStep {
            $name = [IO.Path]::GetFileNameWithoutExtension($Script)
            $steps.Add($name)
            $name -eq $reboot.Step
        }
    }

    It 'runs all steps in their order, and takes away what they installed from' {
        (& "$ImageFolder/Invoke-Bake.ps1").Facts['steps'] | Should -Be 2
        $steps | Should -BeExactly @('One', 'Two')
        Should -Invoke Remove-Program -Times 1 -Exactly
    }

    It 'stops at a reboot, to be run again' {
        $reboot.Step = 'One'
        (Get-StepFailure { & "$ImageFolder/Invoke-Bake.ps1" }).Code | Should -BeExactly 'RebootNotDone'
        $steps | Should -BeExactly @('One')
        Should -Invoke Remove-Program -Times 0 -Exactly
        Should -Invoke Write-SerialLine -Times 0 -Exactly -ParameterFilter { $Message -like 'failed:*' }
    }

    It 'says what failed' {
        Mock Invoke-BakedStep { Stop-Step -Code 'CommandFailed' -Message 'No room.' -Remedy 'x' }
        (Get-StepFailure { & "$ImageFolder/Invoke-Bake.ps1" }).Code | Should -BeExactly 'CommandFailed'
        Should -Invoke Write-SerialLine -Times 1 -Exactly -ParameterFilter { $Message -eq 'failed: No room. x' }
    }
}
