BeforeAll {
    . "$PSScriptRoot/support/Steps.ps1"
}

Describe 'Join-Node' {
    BeforeEach {
        $state = @{ Record = $null; Remains = $false }
        Mock Read-JoinSecret { [pscustomobject]@{ token = 'abcdef.0123456789abcdef'; caCertHashes = @("sha256:$sha") } }
        Mock Test-Path { $true }
        Mock Get-Service { New-FakeService -Status 'Running' -StartType 'Automatic' }
        Mock Update-ProcessPath { return }
        Mock Assert-NodeAddress { return }
        Mock Assert-KubeletArgument { return }
        Mock Wait-ApiServer { return }
        Mock Sync-Clock { 0 }
        Mock Get-JoinRecord { $state.Record }
        Mock Test-NodeCredentials { $null -ne $state.Record }
        Mock Test-JoinRemains { $state.Remains }
        Mock Reset-Membership { return }
        Mock Join-Cluster { return }
        Mock Set-KubeletService { $false }
        Mock Stop-ServiceInTime { return }
        Mock Start-ServiceInTime { return }
        Mock Stop-UsedFlanneld { return }
        Mock Start-UsedFlanneld { return }
        Mock Write-DriveCache { return }
        $given = @{ NodeName = 'win-1'; ApiServerEndpoint = 'cp:6443'; NodeIp = '10.0.0.1'; NodeLabels = 'a=b' }
    }

    It 'joins a fresh machine, without a reset' {
        $result = & "$StepsFolder/Join-Node.ps1" @given
        $result.Changed | Should -BeTrue
        $result.Facts['alreadyJoined'] | Should -BeFalse
        $result.Facts['wasReset'] | Should -BeFalse
        Should -Invoke Join-Cluster -Times 1 -Exactly -ParameterFilter { $CommandLine -match '--node-labels=a=b' }
        Should -Invoke Reset-Membership -Times 0 -Exactly
    }

    It 'has the join on the disk before it says so' {
        $null = & "$StepsFolder/Join-Node.ps1" @given
        Should -Invoke Write-DriveCache -Times 1 -Exactly
    }

    It 'has flanneld learn of the cluster that is joined now' {
        $null = & "$StepsFolder/Join-Node.ps1" @given
        Should -Invoke Stop-UsedFlanneld -Times 1 -Exactly
        Should -Invoke Start-UsedFlanneld -Times 1 -Exactly
    }

    It 'leaves one alone that has joined this cluster' {
        $state.Record = "cp:6443 sha256:$sha"
        $state.Remains = $true
        $result = & "$StepsFolder/Join-Node.ps1" @given
        $result.Changed | Should -BeFalse
        $result.Facts['alreadyJoined'] | Should -BeTrue
        Should -Invoke Join-Cluster -Times 0 -Exactly
        Should -Invoke Write-DriveCache -Times 0 -Exactly
    }

    It 'resets and joins one that <What>' -ForEach @(
        @{ What = 'has joined another cluster'; Record = 'other:6443 sha256:00' }
        @{ What = 'has half joined'; Record = $null }
    ) {
        $state.Record = $Record
        $state.Remains = $true
        $result = & "$StepsFolder/Join-Node.ps1" @given
        $result.Facts['wasReset'] | Should -BeTrue
        Should -Invoke Reset-Membership -Times 1 -Exactly
        Should -Invoke Join-Cluster -Times 1 -Exactly
    }

    It 'gives a node that has joined other labels, kubelet stopped for it' {
        $state.Record = "cp:6443 sha256:$sha"
        Mock Set-KubeletService { $true }
        (& "$StepsFolder/Join-Node.ps1" @given).Changed | Should -BeTrue
        Should -Invoke Stop-ServiceInTime -Times 1 -Exactly
    }

    It 'has kubelet read extra arguments before anything else' {
        $null = & "$StepsFolder/Join-Node.ps1" @given -KubeletArgs 'v=4'
        Should -Invoke Assert-KubeletArgument -Times 1 -Exactly -ParameterFilter { $Argument -contains '--v=4' }
    }

    It 'wants Kubernetes first' {
        Mock Get-Service { return }
        (Get-StepFailure { & "$StepsFolder/Join-Node.ps1" @given }).Code | Should -BeExactly 'KubernetesMissing'
    }

    It 'wants the address on the machine before it asks the cluster for anything' {
        Mock Assert-NodeAddress { Stop-Step -Code 'NodeIpMissing' -Message 'x' -Remedy 'y' }
        (Get-StepFailure { & "$StepsFolder/Join-Node.ps1" @given }).Code | Should -BeExactly 'NodeIpMissing'
        Should -Invoke Wait-ApiServer -Times 0 -Exactly
        Should -Invoke Join-Cluster -Times 0 -Exactly
    }

    It 'counts a clock that was set as a change' {
        $state.Record = "cp:6443 sha256:$sha"
        Mock Sync-Clock { 7200 }
        $result = & "$StepsFolder/Join-Node.ps1" @given
        $result.Changed | Should -BeTrue
        $result.Facts['clockMovedSeconds'] | Should -Be 7200
    }
}

Describe 'Reset-Node' {
    BeforeEach {
        $parts = @(
            'Remove-ServiceInTime', 'Remove-NodeImage', 'Remove-NodeFirewallRule', 'Remove-NodeVariable'
            'Restore-MachineProxy', 'Remove-MachinePath', 'Remove-CalicoRegistryKey', 'Remove-NodeExclusion'
            'Restore-AutomaticUpdate', 'Remove-NodeRoute', 'Remove-DnsServer'
            'Remove-HostsLine', 'Remove-NodeFolder', 'Remove-NodeNetwork', 'Reset-Membership', 'Update-ProcessPath'
        )
        foreach ($part in $parts) {
            Mock $part { return }
        }
        Mock Test-JoinRemains { $true }
        Mock Test-Path { $true }
        Mock Get-Service { New-FakeService }
    }

    It 'leaves the cluster, then removes everything and names it' {
        Mock Remove-ServiceInTime { "service $Name" }
        $result = & "$StepsFolder/Reset-Node.ps1"
        $result.Changed | Should -BeTrue
        $result.Facts['wasJoined'] | Should -BeTrue
        $result.Facts['removed'] | Should -Be @('service kubelet', 'service flanneld', 'service containerd')
        Should -Invoke Reset-Membership -Times 1 -Exactly
        Should -Invoke Remove-NodeNetwork -Times 1 -Exactly
    }

    It 'changes nothing the second time' {
        Mock Test-JoinRemains { $false }
        $result = & "$StepsFolder/Reset-Node.ps1"
        $result.Changed | Should -BeFalse
        Should -Invoke Reset-Membership -Times 0 -Exactly
    }

    It 'removes the rest when kubeadm can not reset' {
        Mock Reset-Membership { throw 'containerd is gone' }
        { & "$StepsFolder/Reset-Node.ps1" } | Should -Not -Throw
        Should -Invoke Remove-NodeFolder -Times 1 -Exactly
    }

    It 'names what could not be removed, after it has tried everything' {
        Mock Remove-NodeFirewallRule { throw 'not allowed' }
        Mock Remove-NodeNetwork { throw 'in use' }
        $failure = Get-StepFailure { & "$StepsFolder/Reset-Node.ps1" }
        $failure.Code | Should -BeExactly 'ResetFailed'
        $failure.Message | Should -Match 'firewall: not allowed; networks: in use'
        Should -Invoke Remove-NodeFolder -Times 1 -Exactly
    }
}

Describe 'Export-NodeLog' {
    BeforeEach {
        Mock Protect-Folder { return }
        Mock New-Item { return }
        Mock Remove-Item { return }
        Mock Copy-NodeLog { return }
        Mock Save-NodeText { return }
        Mock Get-ChildItem { [pscustomobject]@{ FullName = 'C:\kindows\logs-0'; LastWriteTimeUtc = [DateTime]::UtcNow } }
    }

    It 'takes all away again where packing fails' {
        Mock Invoke-NativeCommand { throw 'no room' }
        (Get-StepFailure { & "$StepsFolder/Export-NodeLog.ps1" }).Message | Should -BeExactly 'no room'
        Should -Invoke Copy-NodeLog -Times 1 -Exactly -ParameterFilter { $TailKiB -eq 1024 }
        Should -Invoke Save-NodeText -Times 1 -Exactly
        Should -Invoke Remove-Item -Times 1 -Exactly -ParameterFilter { $LiteralPath -like 'C:\kindows\logs-?*' }
    }
}
