BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'LogFiles', 'LogTexts') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
}

Describe 'Hide-Secret' {
    It 'hides <What>' -ForEach @(
        @{ What = 'a join token'; Text = 'token abcdef.0123456789abcdef!'; Shown = 'token [redacted]!' }
        @{ What = 'a key of a kubeconfig'; Text = 'client-key-data: LS0tLS1C'; Shown = 'client-key-data: [redacted]' }
        @{ What = 'a proxy password'; Text = '"https://me:pw@p.test"'; Shown = '"https://[redacted]@p.test"' }
        @{ What = 'a key cut off'; Text = "x -----BEGIN RSA PRIVATE KEY-----`nAAAA"; Shown = 'x [redacted]' }
    ) {
        Hide-Secret -Text $Text | Should -BeExactly $Shown
    }

    It 'leaves everything else, and nothing' {
        Hide-Secret -Text 'v1.36.4 on 10.0.0.1' | Should -BeExactly 'v1.36.4 on 10.0.0.1'
        Hide-Secret -Text '' | Should -BeExactly ''
    }
}

Describe 'Copy-LogTail' {
    It 'copies the end of a file that somebody writes to, without secrets' {
        $source = Join-Path $TestDrive 'a.log'
        [IO.File]::WriteAllText($source, ('x' * 20000) + ' abcdef.0123456789abcdef end')
        $writer = [IO.File]::Open($source, 'Open', 'ReadWrite', 'ReadWrite')
        try {
            Copy-LogTail -Source $source -Target (Join-Path $TestDrive 'b.log') -TailKiB 1
        }
        finally {
            $writer.Dispose()
        }
        $copy = [IO.File]::ReadAllText((Join-Path $TestDrive 'b.log'))
        $copy | Should -BeLike 'xxx* `[redacted`] end'
        $copy.Length | Should -BeLessThan 1025
    }

    It 'copies a file that is shorter, and an empty one' {
        $source = Join-Path $TestDrive 'empty.log'
        [IO.File]::WriteAllText($source, '')
        Copy-LogTail -Source $source -Target (Join-Path $TestDrive 'c.log') -TailKiB 1
        [IO.File]::ReadAllText((Join-Path $TestDrive 'c.log')) | Should -BeExactly ''
    }
}

Describe 'Copy-NodeLog' {
    BeforeEach {
        $logs = Join-Path $TestDrive 'logs'
        $target = Join-Path $TestDrive 'out'
        foreach ($path in $logs, $target) { $null = New-Item -Path $path -ItemType Directory -Force }
        Set-Content -LiteralPath (Join-Path $logs 'kubelet.log') -Value 'x'
        Set-Content -LiteralPath (Join-Path $logs 'join-configuration.json') -Value 'secret'
        $NodeLogFiles = @((Join-Path $logs '*'), (Join-Path $TestDrive 'nothing/*'))
    }

    It 'takes what is there, and no join configuration' {
        Copy-NodeLog -Folder $target -TailKiB 16
        @(Get-ChildItem -LiteralPath $target).Name | Should -BeLike '*kubelet.log'
    }

    It 'leaves the reason where a file cannot be read' {
        Mock Copy-LogTail { throw 'locked' }
        Copy-NodeLog -Folder $target -TailKiB 16
        Get-Content -Path (Join-Path $target '*.error.txt') | Should -Be 'locked'
    }
}

Describe 'ConvertTo-LogText' {
    It 'shows texts as they are, tables and objects by their properties, with all lines of a message' {
        ConvertTo-LogText -Answer 'a text' | Should -BeExactly 'a text'
        ConvertTo-LogText -Answer @{ B = 2; A = 1 } | Should -Be @('A: 1', 'B: 2')
        $event = [pscustomobject]@{ Id = 7; Message = "a`r`nb"; PSComputerName = 'x' }
        ConvertTo-LogText -Answer $event | Should -Be @('Id: 7', "Message: a`r`nb", '')
    }
}

Describe 'Save-LogText' {
    It 'writes the answer without secrets, or why there is none' {
        $path = Join-Path $TestDrive 'x.txt'
        Save-LogText -Path $path -Body { 'token abcdef.0123456789abcdef' }
        Get-Content -LiteralPath $path -Raw | Should -BeLike 'token `[redacted`]*'
        Save-LogText -Path $path -Body { throw 'no HNS here' }
        Get-Content -LiteralPath $path -Raw | Should -BeExactly 'could not be had: no HNS here'
    }
}

Describe 'Get-SystemAnswer' {
    It 'asks a program of Windows, bounded' {
        Mock Invoke-NativeCommand { "$FilePath $($ArgumentList -join ' ')" }
        Get-SystemAnswer -Program 'route.exe' -ArgumentList 'print' | Should -BeLike '*route.exe print'
        Get-SystemAnswer -Program 'hostname.exe' | Should -BeLike '*hostname.exe*'
        Should -Invoke Invoke-NativeCommand -Times 2 -Exactly -ParameterFilter { $TimeoutSeconds -le 20 }
    }
}

Describe 'Get-ContainerdAnswer' {
    It 'asks for the containers of Kubernetes' {
        Mock Invoke-NativeCommand { $ArgumentList -join ' ' }
        Get-ContainerdAnswer -Kind 'tasks' | Should -BeExactly '--namespace k8s.io tasks list'
    }
}

Describe 'Save-NodeText' {
    It 'leaves a file for each question, answered or not' {
        Mock Get-CimInstance { [pscustomobject]@{ Class = $ClassName } }
        Mock Invoke-NativeCommand { throw 'not there' }
        Mock Get-WinEvent { throw 'no events' }
        Mock Get-HnsNetwork { [pscustomobject]@{ Name = 'External' } }
        Mock Get-HnsEndpoint { return }
        Mock Get-HnsPolicyList { throw 'no HNS' }
        Mock Get-NetFirewallRule { return }
        Mock Get-MpPreference { return }
        $folder = Join-Path $TestDrive 'texts'
        $null = New-Item -Path $folder -ItemType Directory -Force
        $dump = Join-Path $TestDrive 'kubelet.exe.1234.dmp'
        Set-Content -LiteralPath $dump -Value 'a secret in memory'
        $CrashFiles = @((Join-Path $TestDrive '*.dmp'), (Join-Path $TestDrive 'nothing/*'))
        Save-NodeText -Folder $folder
        Get-Content -LiteralPath (Join-Path $folder 'os.txt') -Raw | Should -BeLike '*Win32_OperatingSystem*'
        Get-Content -LiteralPath (Join-Path $folder 'routes.txt') -Raw | Should -BeExactly 'could not be had: not there'
        Get-Content -LiteralPath (Join-Path $folder 'events-hns.txt') -Raw | Should -BeLike '*no events'
        Get-Content -LiteralPath (Join-Path $folder 'hns-networks.json') -Raw | Should -BeLike '*External*'
        $crashes = Get-Content -LiteralPath (Join-Path $folder 'crashes.txt') -Raw
        $crashes | Should -BeLike '*kubelet.exe.1234.dmp*'
        $crashes | Should -Not -BeLike '*in memory*'
        @(Get-ChildItem -LiteralPath $folder).Count | Should -BeGreaterThan 20
    }
}
