# Parts of Windows itself: its licence, Defender, the feature Containers.
BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'EvaluationLicence', 'DefenderExclusion', 'ContainersFeature') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
}

Describe 'Get-EvaluationLicence' {
    It 'is no matter for a licence that does not end' {
        Mock Get-CimInstance { [pscustomobject]@{ Description = 'VOLUME_KMSCLIENT channel' } }
        (Get-EvaluationLicence).Ends | Should -BeExactly ''
        Mock Get-CimInstance { return }
        (Get-EvaluationLicence).IsExpired | Should -BeFalse
    }

    It 'says when an evaluation ends' {
        Mock Get-CimInstance {
            [pscustomobject]@{ Description = 'TIMEBASED_EVAL channel'; GracePeriodRemaining = 1440; LicenseStatus = 1 }
        }
        $licence = Get-EvaluationLicence
        $licence.Ends | Should -Match '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$'
        $left = ([DateTime]$licence.Ends).ToUniversalTime() - [DateTime]::UtcNow
        [math]::Abs($left.TotalHours - 24) | Should -BeLessThan 0.1
        $licence.IsExpired | Should -BeFalse
    }

    It 'knows one that has ended' {
        Mock Get-CimInstance {
            [pscustomobject]@{ Description = 'TIMEBASED_EVAL channel'; GracePeriodRemaining = 0; LicenseStatus = 5 }
        }
        (Get-EvaluationLicence).IsExpired | Should -BeTrue
    }
}

Describe 'Set-DefenderExclusion' {
    BeforeEach {
        $preference = [pscustomobject]@{ ExclusionPath = @('D:\mine'); ExclusionProcess = $null }
        Mock Get-MpPreference { $preference }
        Mock Add-MpPreference { return }
        Mock Remove-MpPreference { return }
        $asked = @{ Folder = @('C:\a'); Program = @('C:\a\a.exe') }
    }

    It 'sets what is missing' {
        $result = Set-DefenderExclusion -Enabled $true @asked
        $result.Changed | Should -BeTrue
        $result.State | Should -BeExactly 'set'
        Should -Invoke Add-MpPreference -Times 1 -Exactly
    }

    It 'changes nothing the second time' {
        $preference.ExclusionPath = @('D:\mine', 'C:\a')
        $preference.ExclusionProcess = @('C:\a\a.exe')
        (Set-DefenderExclusion -Enabled $true @asked).Changed | Should -BeFalse
        Should -Invoke Add-MpPreference -Times 0 -Exactly
    }

    It 'finishes what was half done' {
        $preference.ExclusionPath = @('C:\a')
        (Set-DefenderExclusion -Enabled $true @asked).Changed | Should -BeTrue
    }

    It 'takes its own back when it is switched off, and only if they are there' {
        (Set-DefenderExclusion -Enabled $false @asked).Changed | Should -BeFalse
        Should -Invoke Remove-MpPreference -Times 0 -Exactly
        $preference.ExclusionPath = @('C:\a')
        $result = Set-DefenderExclusion -Enabled $false @asked
        $result.Changed | Should -BeTrue
        $result.State | Should -BeExactly 'off'
        Should -Invoke Remove-MpPreference -Times 1 -Exactly -ParameterFilter { $ExclusionPath -eq 'C:\a' }
    }

    It 'is no failure where Defender is not, or does not answer' {
        Mock Get-MpPreference { throw 'The service cannot be started.' }
        (Set-DefenderExclusion -Enabled $true @asked).State | Should -BeExactly 'unavailable'
        Mock Get-Command { return }
        (Set-DefenderExclusion -Enabled $true @asked).State | Should -BeExactly 'unavailable'
    }

    It 'is no failure where a policy forbids it' {
        Mock Add-MpPreference { throw 'Access denied.' }
        (Set-DefenderExclusion -Enabled $true @asked).State | Should -BeExactly 'unavailable'
    }
}

Describe 'Get-ContainersFeatureState' {
    It 'gives the state as text' {
        Mock Get-WindowsFeature { [pscustomobject]@{ InstallState = 'InstallPending' } }
        Get-ContainersFeatureState | Should -BeExactly 'InstallPending'
        Should -Invoke Get-WindowsFeature -Times 1 -Exactly -ParameterFilter { $Name -eq 'Containers' }
    }
}
