# What the API server is asked: whether it is there, and the time.
BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'ApiServer', 'Clock') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
}

Describe 'Wait-ApiServer' {
    It 'ends as soon as somebody answers' {
        $listener = New-Object -TypeName System.Net.Sockets.TcpListener -ArgumentList ([Net.IPAddress]::Loopback), 0
        $listener.Start()
        try {
            { Wait-ApiServer -Endpoint "127.0.0.1:$($listener.LocalEndpoint.Port)" -TimeoutSeconds 10 } |
                Should -Not -Throw
        }
        finally {
            $listener.Stop()
        }
    }

    It 'gives up in time where nobody listens' {
        $failure = Get-StepFailure { Wait-ApiServer -Endpoint '127.0.0.1:1' -TimeoutSeconds 1 }
        $failure.Code | Should -BeExactly 'ApiServerUnreachable'
        $failure.Message | Should -Match '127\.0\.0\.1:1 could not be reached in 1 s; last seen: .+'
    }
}

Describe 'Get-ApiServerTime' {
    It 'reads the time of the answer' {
        Mock Invoke-NativeCommand { "HTTP/1.1 401 Unauthorized`r`nDate: Sat, 21 Nov 2026 10:00:00 GMT`r`n`r`n" }
        $time = Get-ApiServerTime -Endpoint 'cp:6443'
        $time.Kind | Should -Be ([DateTimeKind]::Utc)
        $time.ToString('yyyy-MM-ddTHH:mm:ss') | Should -BeExactly '2026-11-21T10:00:00'
    }

    It 'is nothing where the answer has none, or there is none' {
        Mock Invoke-NativeCommand { 'HTTP/1.1 200 OK' }
        Get-ApiServerTime -Endpoint 'cp:6443' | Should -BeNullOrEmpty
        Mock Invoke-NativeCommand { throw 'no answer' }
        Get-ApiServerTime -Endpoint 'cp:6443' | Should -BeNullOrEmpty
    }
}

Describe 'Sync-Clock' {
    BeforeEach {
        Mock Set-Date { return }
    }

    It 'sets a clock that is off by <Seconds> s: <Sets> times' -ForEach @(
        @{ Seconds = 0; Sets = 0 }
        @{ Seconds = 20; Sets = 0 }
        @{ Seconds = 7200; Sets = 1 }
        @{ Seconds = -86400; Sets = 1 }
    ) {
        Mock Get-ApiServerTime { [DateTime]::UtcNow.AddSeconds($Seconds) }
        $moved = Sync-Clock -Endpoint 'cp:6443'
        Should -Invoke Set-Date -Times $Sets -Exactly
        [math]::Abs($moved - $(if ($Sets -eq 0) { 0 } else { $Seconds })) | Should -BeLessThan 3
    }

    It 'leaves it alone where nobody tells the time' {
        Mock Get-ApiServerTime { return }
        Sync-Clock -Endpoint 'cp:6443' | Should -Be 0
        Should -Invoke Set-Date -Times 0 -Exactly
    }
}
