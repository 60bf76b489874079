# The machine's hosts file.
BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'HostsFile') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
}

Describe 'Merge-HostsLine' {
    BeforeAll {
        $foreign = @('# a comment', '127.0.0.1 localhost')
        $wanted = @(@{ Address = '192.168.150.128'; Name = 'control-plane' })
        $ours = '192.168.150.128 control-plane # kindows'
    }

    It 'adds what is wanted behind what is there' {
        Merge-HostsLine -Line $foreign -Wanted $wanted | Should -Be ($foreign + $ours)
    }

    It 'changes nothing the second time' {
        Merge-HostsLine -Line ($foreign + $ours) -Wanted $wanted | Should -Be ($foreign + $ours)
    }

    It 'replaces its own earlier address' {
        Merge-HostsLine -Line ($foreign + '10.0.0.9 control-plane # kindows') -Wanted $wanted |
            Should -Be ($foreign + $ours)
    }

    It 'takes its own lines away, and nobody else''s' {
        Merge-HostsLine -Line ($foreign + $ours) -Wanted @() | Should -Be $foreign
    }

    It 'does not mind a foreign line that says the same' {
        $line = '192.168.150.128 control-plane'
        Merge-HostsLine -Line @($line) -Wanted $wanted | Should -Be @($line, $ours)
    }

    It 'refuses a foreign line that says another address: <Line>' -ForEach @(
        @{ Line = '10.0.0.9 control-plane' }
        @{ Line = "10.0.0.9`tother control-plane # mine" }
    ) {
        $failure = Get-StepFailure { Merge-HostsLine -Line @($Line) -Wanted $wanted }
        $failure.Code | Should -BeExactly 'ForeignHostsEntry'
        $failure.Message | Should -Match 'control-plane must be 192\.168\.150\.128'
    }

    It 'does not mind a name in a comment' {
        { Merge-HostsLine -Line @('# 10.0.0.9 control-plane') -Wanted $wanted } | Should -Not -Throw
    }
}

Describe 'Invoke-HostsFile' {
    It 'tries again while somebody holds the file, and gives up after some seconds' {
        $tries = @{ Count = 0 }
        $body = {
            $tries.Count++
            if ($tries.Count -lt 3) { throw (New-Object -TypeName System.IO.IOException -ArgumentList 'held') }
            'read'
        }
        Invoke-HostsFile -File 'hosts' -Body $body | Should -BeExactly 'read'
        $tries.Count = -100
        (Get-StepFailure { Invoke-HostsFile -File 'hosts' -Body $body }).Code | Should -BeExactly 'HostsFileBusy'
    }
}

Describe 'Get-HostsLine' {
    It 'returns the lines, and none without a file' {
        $path = Join-Path $TestDrive 'lines'
        Get-HostsLine -Path $path | Should -BeNullOrEmpty
        [IO.File]::WriteAllText($path, "a`r`n`r`nb")
        Get-HostsLine -Path $path | Should -Be @('a', '', 'b')
    }
}

Describe 'Save-HostsFile' {
    It 'writes the lines' {
        $path = Join-Path $TestDrive 'hosts'
        Save-HostsFile -Path $path -Line 'a', '', 'b'
        [IO.File]::ReadAllLines($path) | Should -Be @('a', '', 'b')
    }
}

Describe 'Remove-HostsLine' {
    BeforeEach {
        $path = Join-Path $TestDrive 'hosts'
        Mock Clear-DnsClientCache { return }
    }

    It 'takes our lines away and says how many' {
        [IO.File]::WriteAllLines($path, @('127.0.0.1 localhost', '10.0.0.1 a # kindows', '10.0.0.2 b # kindows'))
        Remove-HostsLine -Path $path | Should -BeExactly '2 hosts entries'
        [IO.File]::ReadAllLines($path) | Should -Be @('127.0.0.1 localhost')
        Should -Invoke Clear-DnsClientCache -Times 1 -Exactly
    }

    It 'has nothing to do the second time' {
        [IO.File]::WriteAllLines($path, @('127.0.0.1 localhost'))
        Remove-HostsLine -Path $path | Should -BeNullOrEmpty
        Should -Invoke Clear-DnsClientCache -Times 0 -Exactly
    }
}
