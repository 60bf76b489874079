BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'ServiceState', 'KubernetesFolders', 'ServiceSettings',
        'KubeletService', 'Membership') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
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
            foreach ($name in 'Set-ServiceRecovery', 'Stop-ServiceInTime', 'Invoke-NativeCommand',
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
