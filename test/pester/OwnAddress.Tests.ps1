BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'OwnAddress') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
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
