# The DNS servers that the machine asks.
BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'DnsServers') {
        . "$LibFolder/$name.ps1"
    }

    function New-DnsRule {
        [CmdletBinding()]
        param([string] $Name, [string] $Comment, [string[]] $NameServers, [string[]] $Namespace = @('.'))

        [pscustomobject]@{ Name = $Name; Comment = $Comment; NameServers = $NameServers; Namespace = $Namespace }
    }
}

Describe 'Set-DnsServer' {
    BeforeEach {
        $table = [Collections.Generic.List[object]]::new()
        Mock Get-DnsClientNrptRule { $table }
        Mock Add-DnsClientNrptRule {
            $table.Add((New-DnsRule -Name '{new}' -Comment $Comment -NameServers $NameServers -Namespace $Namespace))
        }
        Mock Remove-DnsClientNrptRule {
            $null = $table.RemoveAll([Predicate[object]] { param($each) $each.Name -eq $Name })
        }
        Mock Clear-DnsClientCache { return }
        Mock Test-Path { $false } -ParameterFilter { $LiteralPath -eq $DnsPolicyKey }
    }

    It 'makes one rule for all names, once, changes and removes it' {
        Set-DnsServer -Server '1.1.1.1', '8.8.8.8' | Should -BeTrue
        Set-DnsServer -Server '1.1.1.1', '8.8.8.8' | Should -BeFalse
        Set-DnsServer -Server '8.8.8.8' | Should -BeTrue
        $table.Count | Should -Be 1
        $table[0].NameServers | Should -Be @('8.8.8.8')
        Set-DnsServer -Server @() | Should -BeTrue
        $table.Count | Should -Be 0
        Set-DnsServer -Server @() | Should -BeFalse
        Should -Invoke Clear-DnsClientCache -Times 3 -Exactly
    }

    It 'makes one rule of two that a run which was cut short has left' {
        foreach ($name in '{a}', '{b}') {
            $table.Add((New-DnsRule -Name $name -Comment 'kindows' -NameServers '1.1.1.1'))
        }
        Set-DnsServer -Server '1.1.1.1' | Should -BeTrue
        $table.Count | Should -Be 1
    }

    It 'leaves somebody else''s rule for some names' {
        $table.Add((New-DnsRule -Name '{a}' -Comment 'VPN' -NameServers '10.9.9.9' -Namespace '.example.com'))
        Set-DnsServer -Server '1.1.1.1' | Should -BeTrue
        Set-DnsServer -Server @() | Should -BeTrue
        $table.Count | Should -Be 1
        $table[0].Comment | Should -BeExactly 'VPN'
    }

    It 'refuses somebody else''s rule for all names, and changes nothing' {
        $table.Add((New-DnsRule -Name '{a}' -Comment '' -NameServers '10.9.9.9'))
        $failure = Get-StepFailure { Set-DnsServer -Server '1.1.1.1' }
        $failure.Code | Should -BeExactly 'ForeignDnsRule'
        $failure.Message | Should -Match '10\.9\.9\.9'
        Should -Invoke Add-DnsClientNrptRule -Times 0 -Exactly
        Set-DnsServer -Server @() | Should -BeFalse
    }

    It 'refuses a group policy that hides every rule of the machine' {
        Mock Test-Path { $true } -ParameterFilter { $LiteralPath -eq $DnsPolicyKey }
        (Get-StepFailure { Set-DnsServer -Server '1.1.1.1' }).Code | Should -BeExactly 'ForeignDnsRule'
        Should -Invoke Add-DnsClientNrptRule -Times 0 -Exactly
    }
}

Describe 'Get-DnsRule' {
    It 'returns ours, by their comment' {
        Mock Get-DnsClientNrptRule {
            New-DnsRule -Name '{a}' -Comment 'VPN' -NameServers '10.9.9.9'
            New-DnsRule -Name '{b}' -Comment 'kindows' -NameServers '1.1.1.1'
        }
        @(Get-DnsRule).Name | Should -Be @('{b}')
        Mock Get-DnsClientNrptRule { return }
        Get-DnsRule | Should -BeNullOrEmpty
    }
}

Describe 'Assert-DnsRuleFree' {
    BeforeEach {
        Mock Test-Path { $false } -ParameterFilter { $LiteralPath -eq $DnsPolicyKey }
    }

    It 'minds neither our own rule nor others'' for some names' {
        Mock Get-DnsClientNrptRule {
            New-DnsRule -Name '{a}' -Comment 'VPN' -NameServers '10.9.9.9' -Namespace '.example.com'
            New-DnsRule -Name '{b}' -Comment 'kindows' -NameServers '1.1.1.1'
        }
        { Assert-DnsRuleFree } | Should -Not -Throw
    }

    It 'ends the step at a rule for all names that is somebody else''s' {
        Mock Get-DnsClientNrptRule { New-DnsRule -Name '{a}' -Comment 'VPN' -NameServers '10.9.9.9' }
        (Get-StepFailure { Assert-DnsRuleFree }).Remedy | Should -Match 'Remove-DnsClientNrptRule'
    }

    It 'ends the step where a group policy has rules, whatever they are' {
        Mock Test-Path { $true } -ParameterFilter { $LiteralPath -eq $DnsPolicyKey }
        (Get-StepFailure { Assert-DnsRuleFree }).Message | Should -Match 'group policy'
    }
}

Describe 'Remove-DnsServer' {
    BeforeEach {
        Mock Remove-DnsClientNrptRule { return }
        Mock Clear-DnsClientCache { return }
    }

    It 'removes our rule, and says so' {
        Mock Get-DnsClientNrptRule {
            New-DnsRule -Name '{a}' -Comment 'kindows' -NameServers '1.1.1.1'
            New-DnsRule -Name '{b}' -Comment 'VPN' -NameServers '10.9.9.9'
        }
        Remove-DnsServer | Should -BeExactly 'the DNS servers'
        Should -Invoke Remove-DnsClientNrptRule -Times 1 -Exactly -ParameterFilter { $Name -eq '{a}' -and $Force }
    }

    It 'has nothing to do where there is none' {
        Mock Get-DnsClientNrptRule { return }
        Remove-DnsServer | Should -BeNullOrEmpty
        Should -Invoke Remove-DnsClientNrptRule -Times 0 -Exactly
    }
}
