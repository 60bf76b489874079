BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'ExternalNetworkTask') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
    Mock Get-LastBootUpTime { 'boot-1' }
}

Describe 'Test-ExternalNetwork' {
    It 'is <Expected> where the networks are <Names>' -ForEach @(
        @{ Names = @(); Expected = $false }
        @{ Names = @('nat'); Expected = $false }
        @{ Names = @('nat', 'External'); Expected = $true }
    ) {
        Mock Get-HnsNetwork { foreach ($name in $Names) { [pscustomobject]@{ Name = $name } } }
        Test-ExternalNetwork | Should -Be $Expected
    }
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

Describe 'Start-ExternalNetworkTask' {
    BeforeEach {
        $sshd = New-FakeService -Status 'Running'
        Mock Get-Service { $sshd }
        Mock Save-ExternalNetworkRecord { return }
        Mock Invoke-NativeCommand { return }
        Mock New-ScheduledTaskAction { [pscustomobject]@{ Argument = $Argument } }
        Mock New-ScheduledTaskPrincipal { [pscustomobject]@{ UserId = $UserId } }
        # The real cmdlet takes objects of Windows' own only; what it is given is looked at above.
        Mock Register-ScheduledTask { return } -RemoveParameterType 'Action', 'Principal'
        Mock Start-ScheduledTask { return }
    }

    It 'runs apart from this session, a reboot scheduled for the case that it fails, and SSH closed' {
        Start-ExternalNetworkTask -DelaySeconds 5 -Address '10.0.0.1'
        Should -Invoke Save-ExternalNetworkRecord -Times 1 -Exactly -ParameterFilter { $State -eq 'running' }
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter { $ArgumentList -contains '/r' }
        Should -Invoke New-ScheduledTaskAction -Times 1 -Exactly -ParameterFilter {
            $Argument -match 'Initialize-ExternalNetwork -DelaySeconds 5 -Address 10\.0\.0\.1'
        }
        Should -Invoke New-ScheduledTaskPrincipal -Times 1 -Exactly -ParameterFilter { $UserId -eq 'SYSTEM' }
        Should -Invoke Start-ScheduledTask -Times 1 -Exactly
        $sshd.Status | Should -BeExactly 'Stopped'
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
