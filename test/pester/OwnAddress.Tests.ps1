BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'OwnAddress') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
}

Describe 'Get-OwnAddress' {
    It 'returns what Windows has, the loopback''s too' {
        Mock Get-NetIPAddress {
            foreach ($each in '127.0.0.1', '10.0.0.1') { [pscustomobject]@{ IPAddress = $each } }
        }
        Get-OwnAddress | Should -Be @('127.0.0.1', '10.0.0.1')
        Should -Invoke Get-NetIPAddress -Times 1 -Exactly -ParameterFilter { $AddressFamily -eq 'IPv4' }
    }
}

Describe 'Test-OwnAddress' {
    It 'is <Expected> for <Address>' -ForEach @(
        @{ Address = '10.0.0.1'; Expected = $true }
        @{ Address = '10.0.0.11'; Expected = $false }
    ) {
        Mock Get-NetIPAddress {
            foreach ($each in '127.0.0.1', '10.0.0.1') { [pscustomobject]@{ IPAddress = $each } }
        }
        Test-OwnAddress -Address $Address | Should -Be $Expected
    }
}

Describe 'Assert-NodeAddress' {
    BeforeEach {
        Mock Get-NetIPAddress {
            foreach ($each in '127.0.0.1', '10.0.0.1', '10.1.0.1') { [pscustomobject]@{ IPAddress = $each } }
        }
    }

    It 'takes an address that the machine has' {
        { Assert-NodeAddress -Address '10.1.0.1' } | Should -Not -Throw
    }

    It 'refuses another, and names those there are' {
        $failure = Get-StepFailure { Assert-NodeAddress -Address '10.2.0.1' }
        $failure.Code | Should -BeExactly 'NodeIpMissing'
        $failure.Message | Should -Match '10\.2\.0\.1, which .* It has: 10\.0\.0\.1, 10\.1\.0\.1\.$'
        $failure.Remedy | Should -Match 'nodes\[\]\.nodeIp'
    }
}

Describe 'Wait-OwnAddress' {
    It 'ends when the address, and the switch, have been there six times in a row' {
        $looks = @{ Count = 0 }
        Mock Test-OwnAddress { (++$looks.Count) -ne 3 }
        { Wait-OwnAddress -Address '10.0.0.1' -TimeoutSeconds 60 -Ready { $looks.Count -ne 4 } } | Should -Not -Throw
        $looks.Count | Should -Be 10
    }

    It 'renews the leases once, then gives up and names what the machine has' {
        Mock Test-OwnAddress { $false }
        Mock Get-NetIPAddress { [pscustomobject]@{ IPAddress = '169.254.1.1' } }
        Mock Get-CimInstance { [pscustomobject]@{ Index = 1 } }
        Mock Invoke-CimMethod { [pscustomobject]@{ ReturnValue = 84 } } -RemoveParameterType 'InputObject'
        { Wait-OwnAddress -Address '10.0.0.1' -TimeoutSeconds 1 -Ready { $true } } | Should -Throw '*169.254.1.1*'
        Should -Invoke Invoke-CimMethod -Times 1 -Exactly -ParameterFilter { $MethodName -eq 'RenewDHCPLease' }
    }
}
