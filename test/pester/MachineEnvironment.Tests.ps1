# The machine's PATH and proxy.
BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'MachinePath', 'MachineProxy') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
}

Describe 'the PATH of the machine' -Skip:(-not $OnWindows) {
    BeforeAll {
        $machinePath = Get-MachinePath
        $kind = (Get-Item -LiteralPath $MachineVariablesKey).GetValueKind('Path')
        $processPath = $env:Path
    }
    AfterAll {
        Set-MachinePath -Path $machinePath
        $env:Path = $processPath
    }

    It 'Add-MachinePath adds a folder once, whatever its last character' {
        Add-MachinePath -Folder 'C:\kindows-test' | Should -BeTrue
        Add-MachinePath -Folder 'C:\kindows-test\' | Should -BeFalse
        $env:Path -split ';' | Should -Contain 'C:\kindows-test'
    }

    It 'Update-ProcessPath takes the machine''s' {
        $env:Path = 'C:\nothing'
        Update-ProcessPath
        $env:Path | Should -BeExactly ([Environment]::GetEnvironmentVariable('Path', 'Machine'))
    }

    It 'Remove-MachinePath removes it once, and nothing else' {
        Remove-MachinePath -Folder 'C:\kindows-test' | Should -BeExactly 'C:\kindows-test on the PATH'
        Remove-MachinePath -Folder 'C:\kindows-test' | Should -BeNullOrEmpty
        Get-MachinePath | Should -BeExactly $machinePath.TrimEnd(';')
    }

    It 'stays a text with variables where it was one' {
        (Get-Item -LiteralPath $MachineVariablesKey).GetValueKind('Path') | Should -Be $kind
    }
}

Describe 'the proxy of the machine' -Skip:(-not $OnWindows) {
    BeforeAll {
        $before = @{}
        foreach ($name in $ProxyVariables) {
            $before[$name] = [Environment]::GetEnvironmentVariable($name, 'Machine')
            [Environment]::SetEnvironmentVariable($name, $null, 'Machine')
        }
        $ProxyRecordPath = Join-Path $TestDrive 'state\proxy.json'
    }
    AfterAll {
        foreach ($name in $ProxyVariables) {
            [Environment]::SetEnvironmentVariable($name, $before[$name], 'Machine')
        }
    }

    It 'Get-MachineProxy and Get-ProxyRecord find none where none is' {
        Get-MachineProxy | Should -BeNullOrEmpty
        Get-ProxyRecord | Should -BeNullOrEmpty
        Restore-MachineProxy | Should -BeNullOrEmpty
    }

    It 'Save-ProxyRecord keeps what was there before, and not what comes later' {
        [Environment]::SetEnvironmentVariable('NO_PROXY', 'mine', 'Machine')
        Save-ProxyRecord
        $lab = @{ HTTP_PROXY = ''; HTTPS_PROXY = 'http://p.test:1'; NO_PROXY = 'lab' }
        Set-MachineProxy -Variable $lab | Should -BeTrue
        Set-MachineProxy -Variable $lab | Should -BeFalse
        Get-MachineProxy | Should -Be @('HTTPS_PROXY=http://p.test:1', 'NO_PROXY=lab')
        Save-ProxyRecord
        (Get-ProxyRecord).NO_PROXY | Should -BeExactly 'mine'
    }

    It 'Restore-MachineProxy brings it back' {
        Restore-MachineProxy | Should -BeExactly "the machine's proxy"
        Get-MachineProxy | Should -Be @('NO_PROXY=mine')
        Restore-MachineProxy | Should -BeNullOrEmpty
    }

    It 'Remove-ProxyRecord forgets it, twice in a row too' {
        Remove-ProxyRecord
        { Remove-ProxyRecord } | Should -Not -Throw
        Get-ProxyRecord | Should -BeNullOrEmpty
    }
}
