BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    # The script runs kube-proxy until that ends: only its functions are taken.
    $file = Join-Path $PSScriptRoot '../../components/kubeproxy/start.ps1'
    $tree = [System.Management.Automation.Language.Parser]::ParseFile($file, [ref] $null, [ref] $null)
    $isFunction = { $args[0] -is [System.Management.Automation.Language.FunctionDefinitionAst] }
    foreach ($function in $tree.FindAll($isFunction, $true)) {
        . ([scriptblock]::Create($function.Extent.Text))
    }
    Mock Start-Sleep { return }
}

Describe 'Wait-HnsObject' {
    BeforeEach {
        $TimeoutSeconds = 1
    }

    It 'returns what it finds' {
        Wait-HnsObject -Description 'network' -Look { 'found' } | Should -Be 'found'
    }

    It 'ends, and says what it waited for' {
        { Wait-HnsObject -Description 'HNS network Calico' -Look { $null } } |
            Should -Throw 'waited 1 s for the HNS network Calico*'
    }
}

Describe 'Assert-ServerName' {
    BeforeEach {
        $kubeconfig = Join-Path $TestDrive 'kubeconfig.conf'
    }

    It 'takes a server whose name resolves' {
        Set-Content -LiteralPath $kubeconfig -Value "clusters:`n- cluster:`n    server: https://127.0.0.1:6443"
        { Assert-ServerName -Kubeconfig $kubeconfig } | Should -Not -Throw
    }

    It 'names the one that does not, and the file it belongs into' {
        Set-Content -LiteralPath $kubeconfig -Value '    server: https://nowhere.invalid:6443'
        { Assert-ServerName -Kubeconfig $kubeconfig } |
            Should -Throw "*nowhere.invalid does not resolve on this node*hosts"
    }

    It 'says that there is none' {
        Set-Content -LiteralPath $kubeconfig -Value 'clusters: []'
        { Assert-ServerName -Kubeconfig $kubeconfig } | Should -Throw '*names no server*'
    }
}

Describe 'Get-ReservedAddress' {
    BeforeEach {
        $records = Join-Path $TestDrive ([Guid]::NewGuid())
        $plugin = Join-Path $TestDrive 'host-local.ps1'
        # Stands for host-local.exe: says what it was asked, and answers as that does.
        Set-Content -LiteralPath $plugin -Value @(
            "`@(`$input) | Set-Content -LiteralPath '$TestDrive/request.json'"
            "Set-Content -LiteralPath '$TestDrive/command' -Value `$env:CNI_COMMAND"
            "'{""cniVersion"":""1.0.0"",""ips"":[{""address"":""10.244.1.2/24""}]}'"
            'exit 0'
        )
        $given = @{ Name = 'flannel.4096'; Subnet = '10.244.1.0/24'; Plugin = $plugin; RecordFolder = $records }
    }

    It 'asks host-local for an address of the node''s range' {
        Get-ReservedAddress @given | Should -BeExactly '10.244.1.2'
        $asked = Get-Content -LiteralPath "$TestDrive/request.json" -Raw | ConvertFrom-Json
        $asked.name | Should -BeExactly 'flannel.4096'
        $asked.ipam.ranges[0][0].subnet | Should -BeExactly '10.244.1.0/24'
        Get-Content -LiteralPath "$TestDrive/command" | Should -BeExactly 'ADD'
        $env:CNI_COMMAND | Should -BeNullOrEmpty
    }

    It 'takes the one it has: host-local gives nobody a second' {
        $null = New-Item -Path "$records/flannel.4096" -ItemType Directory -Force
        [IO.File]::WriteAllText("$records/flannel.4096/10.244.1.3", "pod`r`neth0")
        [IO.File]::WriteAllText("$records/flannel.4096/10.244.1.9", "kindows-source-vip`r`neth0")
        Get-ReservedAddress @given | Should -BeExactly '10.244.1.9'
        "$TestDrive/request.json" | Should -Not -Exist
    }

    It 'says what host-local answers' {
        Set-Content -LiteralPath $plugin -Value "'no IP addresses available'; exit 1"
        { Get-ReservedAddress @given } | Should -Throw '*10.244.1.0/24*no IP addresses available'
    }
}
