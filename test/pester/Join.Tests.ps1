BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'ServiceState', 'KubernetesFolders', 'ServiceSettings',
        'KubeletService', 'JoinSecret', 'JoinConfiguration', 'Membership', 'KubeadmJoin') {
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

            # Windows PowerShell 5.1 ends at what a program writes to a standard error that is redirected.
            $ErrorActionPreference = 'Continue'
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
        $read.timeouts.discovery | Should -BeExactly '100s'
        $read.timeouts.tlsBootstrap | Should -BeExactly '300s'
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
        foreach ($name in 'Stop-ServiceInTime', 'Set-ServiceRecovery', 'Save-JoinRecord', 'Reset-Membership') {
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
