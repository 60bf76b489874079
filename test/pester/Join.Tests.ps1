BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'ServiceState', 'KubernetesFolders', 'KubeletService', 'JoinSecret',
        'JoinConfiguration', 'Membership', 'KubeadmJoin') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
    $token = 'abcdef.0123456789abcdef'
    $hash = 'sha256:' + ('0a' * 32)
}

Describe 'Read-JoinSecret' {
    BeforeAll {
        # Standard input is read as a stream of the process: each case is a process of its own.
        function Read-Given {
            param([AllowEmptyString()] [string] $Text)

            $script = Join-Path $TestDrive 'read.ps1'
            [IO.File]::WriteAllLines($script, @(
                    ". '$LibFolder/Step.ps1'"
                    ". '$LibFolder/JoinSecret.ps1'"
                    'try { $secret = Read-JoinSecret; "$($secret.token) $(@($secret.caCertHashes).Count)" }'
                    'catch { $_.Exception.Data[''StepCode'']; $_.Exception.Message }'
                ))
            @($Text | & (Get-Process -Id $PID).Path -NoProfile -NonInteractive -File $script 2>$null) -join ' '
        }
    }

    It 'reads token and hashes' {
        Read-Given "{`"token`":`"$token`",`"caCertHashes`":[`"$hash`"]}" | Should -BeExactly "$token 1"
    }

    It 'refuses <Text>' -ForEach @(
        @{ Text = '' }
        @{ Text = 'no json' }
        @{ Text = '{}' }
        @{ Text = '{"token":"ABCDEF.0123456789ABCDEF","caCertHashes":["sha256:00"]}' }
        @{ Text = '{"token":"abcdef.0123456789abcdef","caCertHashes":[]}' }
        @{ Text = '{"token":"abcdef.0123456789abcdef","caCertHashes":["sha256:00"]}' }
        @{ Text = '{"token":"abcdef.0123456789abcdef"}' }
    ) {
        $said = Read-Given $Text
        $said | Should -Match '^SecretMissing '
        $said | Should -Not -Match '0123456789abcdef'
    }
}

Describe 'ConvertTo-Taint' {
    It 'reads keys with and without values' {
        $taints = @(ConvertTo-Taint -Taints 'os=windows:NoSchedule,busy:NoExecute')
        $taints.Count | Should -Be 2
        $taints[0].key | Should -BeExactly 'os'
        $taints[0].value | Should -BeExactly 'windows'
        $taints[0].effect | Should -BeExactly 'NoSchedule'
        $taints[1].key | Should -BeExactly 'busy'
        $taints[1].value | Should -BeExactly ''
    }

    It 'is nothing for none' {
        @(ConvertTo-Taint -Taints '').Count | Should -Be 0
    }
}

Describe 'New-JoinConfiguration' {
    BeforeAll {
        $given = @{
            NodeName = 'win-1'; ApiServerEndpoint = 'cp:6443'; TimeoutSeconds = 300
            CriSocket = 'npipe:////./pipe/containerd-containerd'
            Secret = [pscustomobject]@{ token = $token; caCertHashes = @($hash) }
        }
    }

    It 'is what kubeadm reads, lists with a single entry being lists' {
        $text = New-JoinConfiguration @given -Taints 'os=windows:NoSchedule'
        $read = ConvertFrom-Json -InputObject $text
        $read.apiVersion | Should -BeExactly 'kubeadm.k8s.io/v1beta4'
        $read.discovery.bootstrapToken.apiServerEndpoint | Should -BeExactly 'cp:6443'
        $read.nodeRegistration.criSocket | Should -BeExactly 'npipe:////./pipe/containerd-containerd'
        $read.timeouts.discovery | Should -BeExactly '300s'
        $text -replace '\s', '' | Should -Match '"caCertHashes":\["sha256:'
        $text -replace '\s', '' | Should -Match '"taints":\[\{"key":"os"'
    }

    It 'has no taints as an empty list, which keeps kubeadm from adding its own' {
        (New-JoinConfiguration @given -Taints '') -replace '\s', '' | Should -Match '"taints":\[\]'
    }
}

Describe 'Invoke-KubeadmJoin' {
    BeforeEach {
        $JoinConfigurationPath = Join-Path $TestDrive 'join-configuration.json'
        Mock Protect-Folder { return }
        Mock Write-ProtectedFile { return }
        Mock Remove-SecretRemains { return }
        Mock Invoke-NativeCommand { return }
    }

    It 'gives kubeadm a file, never the token, and removes the file' {
        Invoke-KubeadmJoin -Configuration '{}' -Token $token -TimeoutSeconds 60
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            ($ArgumentList -join ' ') -notmatch 'abcdef' -and $Hidden -contains $token -and $TimeoutSeconds -eq 60
        }
        Should -Invoke Remove-SecretRemains -Times 1 -Exactly
    }

    It 'removes the file after a failure too, and says what to do about <Said>' -ForEach @(
        @{ Said = 'x509: certificate has expired or is not yet valid'; Remedy = 'clock' }
        @{ Said = 'none of the public keys "sha256:1" are pinned'; Remedy = 'CA hash' }
        @{ Said = 'could not find a JWS signature in the cluster-info ConfigMap'; Remedy = 'token has expired' }
        @{ Said = 'something else'; Remedy = 'kubeadm''s last lines' }
    ) {
        Mock Invoke-NativeCommand { Stop-Step -Code 'JoinFailed' -Message $Said -Remedy $Remedy }
        $failure = Get-StepFailure { Invoke-KubeadmJoin -Configuration '{}' -Token $token -TimeoutSeconds 60 }
        $failure.Code | Should -BeExactly 'JoinFailed'
        $failure.Remedy | Should -Match $Remedy
        Should -Invoke Remove-SecretRemains -Times 1 -Exactly
    }
}

Describe 'Get-JoinRemedy' {
    It 'has the default for what it does not know' {
        Get-JoinRemedy -Message 'no such words' -Default 'Look.' | Should -BeExactly 'Look.'
    }

    It 'knows an expired token' {
        Get-JoinRemedy -Message 'token id "abcdef" is invalid' -Default 'Look.' | Should -Match 'tokenTtlMinutes'
    }
}

Describe 'Join-Cluster' {
    BeforeEach {
        foreach ($name in 'Stop-ServiceInTime', 'Set-KubeletRecovery', 'Save-JoinRecord', 'Reset-Membership') {
            Mock $name { return }
        }
        Mock Set-KubeletService { $true }
        $given = @{
            Configuration = '{}'; Token = $token; CriSocket = 'npipe:////./pipe/c'; Cluster = 'cp:6443 x'
            CommandLine = 'kubelet'; TimeoutSeconds = 120
        }
    }

    It 'joins once, and records before that it is about to, and after that it has' {
        Mock Invoke-KubeadmJoin { return }
        Join-Cluster @given
        Should -Invoke Invoke-KubeadmJoin -Times 1 -Exactly
        Should -Invoke Save-JoinRecord -Times 1 -Exactly -ParameterFilter { $Joining }
        Should -Invoke Save-JoinRecord -Times 1 -Exactly -ParameterFilter { -not $Joining }
        Should -Invoke Reset-Membership -Times 0 -Exactly
    }

    It 'waits for an old node of its name to go, reset in between' {
        $runs = @{ Count = 0 }
        Mock Invoke-KubeadmJoin {
            if ((++$runs.Count) -lt 3) {
                Stop-Step -Code 'JoinFailed' -Message 'a Node "win-1" already exists in the cluster' -Remedy 'x'
            }
        }
        Join-Cluster @given
        Should -Invoke Reset-Membership -Times 2 -Exactly
    }

    It 'fails at once for another reason' {
        Mock Invoke-KubeadmJoin { Stop-Step -Code 'JoinFailed' -Message 'no' -Remedy 'x' }
        (Get-StepFailure { Join-Cluster @given }).Code | Should -BeExactly 'JoinFailed'
        Should -Invoke Invoke-KubeadmJoin -Times 1 -Exactly
        Should -Invoke Save-JoinRecord -Times 0 -Exactly -ParameterFilter { -not $Joining }
    }

    It 'gives up on an old node when there is no time left' {
        $given.TimeoutSeconds = 10
        Mock Invoke-KubeadmJoin { Stop-Step -Code 'JoinFailed' -Message 'already exists in the cluster' -Remedy 'x' }
        (Get-StepFailure { Join-Cluster @given }).Message | Should -Match 'already exists'
        Should -Invoke Invoke-KubeadmJoin -Times 1 -Exactly
    }
}

Describe 'membership of a cluster' {
    BeforeEach {
        $folder = Join-Path $TestDrive ([Guid]::NewGuid())
        $null = New-Item -Path $folder -ItemType Directory
        $KubeletConfigPath = Join-Path $folder 'kubelet.conf'
        $KubeletKeyFolder = Join-Path $folder 'pki'
        $JoinRemains = @($KubeletConfigPath, (Join-Path $folder 'config.yaml'))
        $JoinRecordPath = Join-Path (Join-Path $folder 'state') 'join.json'
    }

    It 'Test-JoinRemains knows any of what a join leaves' {
        Test-JoinRemains | Should -BeFalse
        foreach ($path in $JoinRemains) {
            Set-Content -LiteralPath $path -Value 'x'
            Test-JoinRemains | Should -BeTrue
            Remove-Item -LiteralPath $path
        }
    }

    It 'Test-NodeCredentials wants both the configuration and a key' {
        Test-NodeCredentials | Should -BeFalse
        Set-Content -LiteralPath $KubeletConfigPath -Value 'x'
        Test-NodeCredentials | Should -BeFalse
        $null = New-Item -Path $KubeletKeyFolder -ItemType Directory
        Set-Content -LiteralPath (Join-Path $KubeletKeyFolder 'kubelet-client-2026-11-21.pem') -Value 'x'
        Test-NodeCredentials | Should -BeTrue
    }

    It 'Get-ClusterIdentity is the same for hashes in any order' {
        $one = Get-ClusterIdentity -ApiServerEndpoint 'cp:6443' -CaCertHashes 'sha256:b', 'sha256:a'
        $one | Should -BeExactly (Get-ClusterIdentity -ApiServerEndpoint 'cp:6443' -CaCertHashes 'sha256:a', 'sha256:b')
        $one | Should -Not -Be (Get-ClusterIdentity -ApiServerEndpoint 'cp:6443' -CaCertHashes 'sha256:a')
    }

    It 'Save-JoinRecord counts as joined only when the join is done' {
        Get-JoinRecord | Should -BeNullOrEmpty
        Save-JoinRecord -Cluster 'cp:6443 sha256:a' -Joining $true
        Get-JoinRecord | Should -BeNullOrEmpty
        Save-JoinRecord -Cluster 'cp:6443 sha256:a' -Joining $false
        Get-JoinRecord | Should -BeExactly 'cp:6443 sha256:a'
    }

    It 'Get-JoinRecord takes a file for none that a power cut left as: <Text>' -ForEach @(
        @{ Text = '' }
        @{ Text = '{"cluster":"cp' }
        @{ Text = 'no json' }
    ) {
        $null = New-Item -Path (Split-Path -Path $JoinRecordPath) -ItemType Directory -Force
        [IO.File]::WriteAllText($JoinRecordPath, $Text)
        Get-JoinRecord | Should -BeNullOrEmpty
    }

    Context 'Reset-Membership' {
        BeforeEach {
            Mock Set-KubeletService { $true }
            foreach ($name in 'Set-KubeletRecovery', 'Stop-ServiceInTime', 'Invoke-NativeCommand',
                'Initialize-KubernetesFolder') {
                Mock $name { return }
            }
            $null = New-Item -Path $KubeletKeyFolder -ItemType Directory
            $null = New-Item -Path (Split-Path -Path $JoinRecordPath) -ItemType Directory
            foreach ($path in $JoinRemains + $JoinRecordPath) {
                Set-Content -LiteralPath $path -Value 'x'
            }
        }

        It 'removes all a join leaves, kubelet being manual and stopped before' {
            Reset-Membership -CriSocket 'npipe:////./pipe/c' -TimeoutSeconds 60
            foreach ($path in $JoinRemains + $JoinRecordPath + $KubeletKeyFolder) {
                $path | Should -Not -Exist
            }
            Should -Invoke Set-KubeletService -Times 1 -Exactly -ParameterFilter { $StartMode -eq 'Manual' }
            Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
                ($ArgumentList -join ' ') -ceq 'reset --force --cri-socket npipe:////./pipe/c' -and
                $FailureCode -eq 'ResetFailed'
            }
        }

        It 'works twice in a row' {
            Reset-Membership -CriSocket 'npipe:////./pipe/c' -TimeoutSeconds 60
            { Reset-Membership -CriSocket 'npipe:////./pipe/c' -TimeoutSeconds 60 } | Should -Not -Throw
        }

        It 'removes nothing by itself when kubeadm fails' {
            Mock Invoke-NativeCommand { Stop-Step -Code 'ResetFailed' -Message 'no' -Remedy 'x' }
            (Get-StepFailure { Reset-Membership -CriSocket 'npipe:////./pipe/c' -TimeoutSeconds 60 }).Code |
                Should -BeExactly 'ResetFailed'
            $JoinRecordPath | Should -Exist
        }
    }
}
