BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'NodeFolders', 'NodeImages', 'NodeNetworks', 'NodeTraces') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
}

Describe 'Remove-FolderTree' {
    It 'has cmd.exe do it, which does not go into links' {
        Mock Invoke-NativeCommand { return }
        Remove-FolderTree -Path 'C:\etc\cni'
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            ($ArgumentList -join ' ') -ceq '/d /c rd /s /q C:\etc\cni' -and
            $SuccessExitCodes -contains 3 -and $SuccessExitCodes -contains 206
        }
    }
}

Describe 'Remove-NodeFolder' {
    BeforeEach {
        $var = Join-Path $TestDrive 'var'
        $NodeFolders = @((Join-Path $var 'kubelet'), (Join-Path $var 'pods'))
        $NodeParentFolders = @($var)
        Mock Invoke-NativeCommand { return }
        Mock Remove-FolderTree { Remove-Item -LiteralPath $Path -Recurse -Force }
    }

    It 'has nothing to do where nothing is' {
        Remove-NodeFolder | Should -BeNullOrEmpty
    }

    It 'removes the folders there are, and the empty one above them' {
        $null = New-Item -Path $NodeFolders[1] -ItemType Directory -Force
        Remove-NodeFolder | Should -Be @("folder $($NodeFolders[1])")
        $var | Should -Not -Exist
    }

    It 'leaves a folder above them that holds something else' {
        $null = New-Item -Path $NodeFolders[0] -ItemType Directory -Force
        Set-Content -LiteralPath (Join-Path $var 'mine') -Value 'x'
        $null = Remove-NodeFolder
        Join-Path $var 'mine' | Should -Exist
    }

    It 'takes ownership of what it may not remove, and tries again' {
        $null = New-Item -Path $NodeFolders[0] -ItemType Directory -Force
        $tries = @{ Count = 0 }
        Mock Remove-FolderTree { if ((++$tries.Count) -eq 2) { Remove-Item -LiteralPath $Path -Recurse -Force } }
        Remove-NodeFolder | Should -Be @("folder $($NodeFolders[0])")
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter { $FilePath -match 'takeown\.exe$' }
    }

    It 'names what stays, after it has removed the rest' {
        foreach ($path in $NodeFolders) { $null = New-Item -Path $path -ItemType Directory -Force }
        Mock Remove-FolderTree { if ($Path -match 'pods') { Remove-Item -LiteralPath $Path -Recurse -Force } }
        $failure = Get-StepFailure { Remove-NodeFolder }
        $failure.Code | Should -BeExactly 'ResetFailed'
        $failure.Message | Should -Match 'kubelet$'
        $NodeFolders[1] | Should -Not -Exist
    }
}

Describe 'Remove-NodeImage' {
    BeforeEach {
        $folder = $TestDrive
        Set-Content -LiteralPath (Join-Path $folder 'ctr.exe') -Value 'x'
        Mock Get-Process { return }
        Mock Get-Service { New-FakeService -Status 'Running' }
    }

    It 'removes all images, fifty at a time' {
        Mock Invoke-NativeCommand {
            if ($ArgumentList -contains 'list') { (1..120 | ForEach-Object { "i$_" }) -join "`n" }
        }
        Remove-NodeImage -Folder $folder | Should -BeExactly '120 container images'
        Should -Invoke Invoke-NativeCommand -Times 3 -Exactly -ParameterFilter { $ArgumentList -contains 'remove' }
    }

    It 'has nothing to do without images' {
        Mock Invoke-NativeCommand { '' }
        Remove-NodeImage -Folder $folder | Should -BeNullOrEmpty
    }

    It 'asks nothing of a containerd that does not run' {
        Mock Get-Service { New-FakeService -Status 'Stopped' }
        Mock Invoke-NativeCommand { throw 'not to be called' }
        Remove-NodeImage -Folder $folder | Should -BeNullOrEmpty
    }

    It 'ends shims that outlive containerd, and no other process' {
        Mock Get-Service { return }
        $killed = @{ Names = @() }
        Mock Get-Process {
            foreach ($name in 'containerd-shim-runhcs-v1', 'notepad') {
                $process = [pscustomobject]@{ ProcessName = $name; Id = 7 }
                $process | Add-Member -MemberType ScriptMethod -Name Kill -Value { $killed.Names += $this.ProcessName }
                $process
            }
        }
        Remove-NodeImage -Folder $folder | Should -BeExactly 'process containerd-shim-runhcs-v1 (7)'
        $killed.Names | Should -Be @('containerd-shim-runhcs-v1')
    }
}

Describe 'Remove-NodeNetwork' {
    BeforeEach {
        $removed = @{ Networks = @(); Endpoints = @() }
        Mock Get-HnsNetwork {
            [pscustomobject]@{ ID = '1'; Name = 'External' }
            [pscustomobject]@{ ID = '2'; Name = 'Calico' }
            [pscustomobject]@{ ID = '3'; Name = 'nat' }
        }
        Mock Get-HnsEndpoint {
            [pscustomobject]@{ Name = 'Calico_ep'; VirtualNetwork = '2' }
            [pscustomobject]@{ Name = 'mine'; VirtualNetwork = '3' }
        }
        Mock Remove-HnsNetwork { return }
        Mock Remove-HnsEndpoint { return }
    }

    It 'removes a node''s networks, the one that holds the adapter last, and leaves nat' {
        Remove-NodeNetwork | Should -Be @('network Calico', 'network External')
        Should -Invoke Remove-HnsNetwork -Times 2 -Exactly
        Should -Invoke Remove-HnsEndpoint -Times 1 -Exactly
    }

    It 'has nothing to do where only others'' networks are' {
        Mock Get-HnsNetwork { [pscustomobject]@{ ID = '3'; Name = 'nat' } }
        Remove-NodeNetwork | Should -BeNullOrEmpty
    }

    It 'has nothing to do where there is no HNS' {
        Mock Get-Command { return }
        Remove-NodeNetwork | Should -BeNullOrEmpty
        Should -Invoke Remove-HnsNetwork -Times 0 -Exactly
    }
}

Describe 'Remove-NodeVariable' {
    It 'knows Calico''s variables from others: <Name>' -ForEach @(
        @{ Name = 'CALICO_NETWORKING_BACKEND'; Ours = $true }
        @{ Name = 'FELIX_LOGSEVERITYSCREEN'; Ours = $true }
        @{ Name = 'KUBE_NETWORK'; Ours = $true }
        @{ Name = 'KUBECONFIG'; Ours = $false }
        @{ Name = 'Path'; Ours = $false }
    ) {
        $Name -match $NodeVariablePattern | Should -Be $Ours
    }

    It 'has nothing to do on a machine without them' {
        Remove-NodeVariable | Should -BeNullOrEmpty
    }
}

Describe 'Remove-CalicoRegistryKey' {
    It 'removes the key, and does not mind that there is none' {
        Mock Remove-Item { return }
        Mock Test-Path { $true }
        Remove-CalicoRegistryKey | Should -Match '^registry key '
        Mock Test-Path { $false }
        Remove-CalicoRegistryKey | Should -BeNullOrEmpty
        Should -Invoke Remove-Item -Times 1 -Exactly
    }
}

Describe 'Remove-NodeFirewallRule' {
    BeforeEach {
        Mock Remove-NetFirewallRule { return }
    }

    It 'removes the rules there are' {
        Mock Get-NetFirewallRule { if ($Name -eq 'kubelet') { [pscustomobject]@{ Name = 'kubelet' } } }
        Remove-NodeFirewallRule | Should -Be @('firewall rule kubelet')
        Should -Invoke Remove-NetFirewallRule -Times 1 -Exactly -ParameterFilter { $Name -eq 'kubelet' }
    }

    It 'has nothing to do the second time' {
        Mock Get-NetFirewallRule { return }
        Remove-NodeFirewallRule | Should -BeNullOrEmpty
    }
}

Describe 'Remove-NodeExclusion' {
    BeforeEach {
        Mock Remove-MpPreference { return }
    }

    It 'removes what lies in a node''s folders, and leaves the owner''s' {
        Mock Get-MpPreference {
            [pscustomobject]@{
                ExclusionPath    = @('C:\k', 'C:\kit', 'D:\mine')
                ExclusionProcess = @('C:\Program Files\containerd\ctr.exe')
            }
        }
        $said = @(Remove-NodeExclusion -Folder 'C:\k', 'C:\Program Files\containerd')
        $said.Count | Should -Be 2
        Should -Invoke Remove-MpPreference -Times 1 -Exactly -ParameterFilter { $ExclusionPath -eq 'C:\k' }
        Should -Invoke Remove-MpPreference -Times 1 -Exactly -ParameterFilter { $ExclusionProcess -match 'ctr\.exe$' }
    }

    It 'has nothing to do without any' {
        Mock Get-MpPreference { [pscustomobject]@{ ExclusionPath = $null; ExclusionProcess = $null } }
        Remove-NodeExclusion -Folder 'C:\k' | Should -BeNullOrEmpty
    }

    It 'has nothing to do where Defender does not answer: switched off, it is no reason to fail' {
        Mock Get-MpPreference { throw 'The service cannot be started.' }
        Remove-NodeExclusion -Folder 'C:\k' | Should -BeNullOrEmpty
        Should -Invoke Remove-MpPreference -Times 0 -Exactly
    }

    It 'has nothing to do where Defender is not' {
        Mock Get-Command { return }
        Remove-NodeExclusion -Folder 'C:\k' | Should -BeNullOrEmpty
    }
}
