BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'AutomaticUpdate') {
        . "$LibFolder/$name.ps1"
    }
}

Describe 'Get-AutomaticUpdatePolicy' {
    It 'is <Expected> where the key has <Value>' -ForEach @(
        @{ Value = @{ NoAutoUpdate = 1 }; Expected = 1 }
        @{ Value = @{ NoAutoUpdate = 0 }; Expected = 0 }
        @{ Value = @{ AUOptions = 3 }; Expected = $null }
        @{ Value = @{}; Expected = $null }
    ) {
        $held = $Value
        Mock Test-Path { $true }
        Mock Get-Item {
            $key = [pscustomobject]@{}
            $key | Add-Member -MemberType ScriptMethod -Name GetValue -Value { $held[$args[0]] } -PassThru
        }
        Get-AutomaticUpdatePolicy | Should -Be $Expected
    }

    It 'is nothing where there is no key' {
        Mock Test-Path { $false }
        Get-AutomaticUpdatePolicy | Should -BeNullOrEmpty
    }
}

Describe 'the policy about updates' {
    BeforeEach {
        $AutomaticUpdateRecordPath = Join-Path (Join-Path $TestDrive ([Guid]::NewGuid())) 'automatic-update.json'
        $policy = @{ Value = $null; HasKey = $false; Removed = @() }
        # The registry alone: files are real.
        Mock Test-Path { $policy.HasKey } -ParameterFilter { $LiteralPath -like 'HKLM:*' }
        Mock New-Item { $policy.HasKey = $true } -ParameterFilter { $Path -like 'HKLM:*' }
        # Nothing at all where there is none, as the real one, and not a $null.
        Mock Get-AutomaticUpdatePolicy { if ($null -ne $policy.Value) { $policy.Value } }
        Mock Set-ItemProperty { $policy.Value = $Value }
        Mock Remove-ItemProperty { $policy.Value = $null }
        Mock Get-Item { [pscustomobject]@{ ValueCount = 0; SubKeyCount = 0 } }
        Mock Remove-Item { $policy.Removed += $LiteralPath } -ParameterFilter { $LiteralPath -like 'HKLM:*' }
    }

    It 'is set by Disable-AutomaticUpdate once, and taken back by Restore-AutomaticUpdate once' {
        Disable-AutomaticUpdate | Should -BeTrue
        $policy.Value | Should -Be 1
        [IO.File]::ReadAllText($AutomaticUpdateRecordPath) | Should -BeExactly '{"noAutoUpdate":null,"hadKey":false}'
        Disable-AutomaticUpdate | Should -BeFalse
        Restore-AutomaticUpdate | Should -BeExactly 'policy NoAutoUpdate'
        $policy.Value | Should -BeNullOrEmpty
        # The key and the one above it, which were not there.
        $policy.Removed.Count | Should -Be 2
        Restore-AutomaticUpdate | Should -BeNullOrEmpty
    }

    It 'becomes what it was, in a key that stays' {
        $policy.HasKey = $true
        $policy.Value = 0
        $null = Disable-AutomaticUpdate
        $null = Restore-AutomaticUpdate
        $policy.Value | Should -Be 0
        $policy.Removed.Count | Should -Be 0
    }

    It 'is given back also where its key has gone since' {
        $policy.HasKey = $true
        $policy.Value = 0
        $null = Disable-AutomaticUpdate
        $policy.HasKey = $false
        Mock Set-ItemProperty { throw 'there is no key' }
        Restore-AutomaticUpdate | Should -BeExactly 'policy NoAutoUpdate'
        $AutomaticUpdateRecordPath | Should -Not -Exist
    }

    It 'that forbids updates already is its owner''s, and stays' {
        $policy.HasKey = $true
        $policy.Value = 1
        Disable-AutomaticUpdate | Should -BeFalse
        Restore-AutomaticUpdate | Should -BeNullOrEmpty
        $policy.Value | Should -Be 1
    }

    It 'keeps what it was before when a killed run had not got further' {
        $null = Disable-AutomaticUpdate
        $policy.Value = $null
        Disable-AutomaticUpdate | Should -BeTrue
        $null = Restore-AutomaticUpdate
        $policy.Value | Should -BeNullOrEmpty
    }
}
