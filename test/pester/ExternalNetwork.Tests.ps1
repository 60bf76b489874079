BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'ExternalNetworkTask') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
    Mock Get-LastBootUpTime { 'boot-1' }
}

Describe 'the record of the network' {
    BeforeEach {
        $ExternalNetworkRecordPath = Join-Path (Join-Path $TestDrive ([Guid]::NewGuid())) 'external-network.json'
    }

    It 'is none before Save-ExternalNetworkRecord' {
        (Get-ExternalNetworkRecord).State | Should -BeExactly 'none'
    }

    It 'is none where a power cut left <Text>' -ForEach @(
        @{ Text = '' }
        @{ Text = '{"state":"run' }
    ) {
        Save-ExternalNetworkRecord -State 'running'
        [IO.File]::WriteAllText($ExternalNetworkRecordPath, $Text)
        (Get-ExternalNetworkRecord).State | Should -BeExactly 'none'
    }

    It 'says what was saved in this boot, and nothing of an earlier one' {
        Save-ExternalNetworkRecord -State 'failed' -Message 'no lease'
        $record = Get-ExternalNetworkRecord
        $record.State | Should -BeExactly 'failed'
        $record.Message | Should -BeExactly 'no lease'
        Mock Get-LastBootUpTime { 'boot-2' }
        (Get-ExternalNetworkRecord).State | Should -BeExactly 'none'
    }
}

Describe 'New-ExternalNetwork' {
    BeforeAll {
        # Stands for vmcompute.dll: remembers what it was asked for.
        class FakeHostNetworkingService {
            static [string] $Request
            static [void] HNSCall([string] $method, [string] $path, [string] $request, [ref] $response) {
                [FakeHostNetworkingService]::Request = "$method $path $request"
                $response.Value = 'refused'
            }
        }
        Mock Add-Type { [FakeHostNetworkingService] }
    }

    It 'asks HNS for what Calico''s own scripts ask for' {
        Mock Test-ExternalNetwork { $true }
        New-ExternalNetwork
        $verb, $path, $request = [FakeHostNetworkingService]::Request -split ' ', 3
        "$verb $path" | Should -BeExactly 'POST /networks'
        $asked = ConvertFrom-Json -InputObject $request
        $asked.Name | Should -BeExactly 'External'
        $asked.Type | Should -BeExactly 'Overlay'
        $asked.Subnets[0].AddressPrefix | Should -BeExactly '192.168.255.0/30'
        $asked.Subnets[0].Policies[0].VSID | Should -Be 9999
    }

    It 'says what HNS answered when the network is not there' {
        Mock Test-ExternalNetwork { $false }
        { New-ExternalNetwork } | Should -Throw '*refused*'
    }
}
