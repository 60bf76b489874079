# Machines on a Windows host with Hyper-V.
BeforeAll {
    . "$PSScriptRoot/support/HyperV.ps1"
    $folder = Join-Path $TestDrive 'machines'
    $spot = Join-Path $folder 'win-1'
    $ownMark = "kindows owner=$own making=$first"
}

Describe 'Assert-HyperV' {
    BeforeAll {
        Mock Get-Command { 'New-VM' }
    }

    It 'lets a host pass whose service runs' {
        Mock Get-Service { [pscustomobject]@{ Status = 'Running' } }
        { Assert-HyperV } | Should -Not -Throw
    }

    It 'says how Hyper-V is installed where it is not' {
        Mock Get-Service { return }
        $failure = Get-StepFailure { Assert-HyperV }
        $failure.Code | Should -BeExactly 'FeatureMissing'
        $failure.Remedy | Should -Match 'Install-WindowsFeature -Name Hyper-V '
    }

    It 'says so where its module is missing' {
        Mock Get-Service { [pscustomobject]@{ Status = 'Running' } }
        Mock Get-Command { return }
        (Get-StepFailure { Assert-HyperV }).Message | Should -Match 'PowerShell module'
    }

    It 'says so where its service stands' {
        Mock Get-Service { [pscustomobject]@{ Status = 'Stopped' } }
        (Get-StepFailure { Assert-HyperV }).Code | Should -BeExactly 'ServiceNotRunning'
    }
}

Describe 'what keeps a host from running machines' {
    BeforeAll {
        $image = Join-Path $TestDrive 'image.vhdx'
        [IO.File]::WriteAllText($image, 'x')
        Mock Get-VM { return }
        Mock Get-VHD { [pscustomobject]@{ VhdFormat = 'VHDX'; Size = 40gb } }
        Mock Get-VMSwitch { [pscustomobject]@{ Name = 'Lab'; SwitchType = 'External' } }
        Mock Get-CimInstance { [pscustomobject]@{ FreeSpace = 90gb; FreePhysicalMemory = 8mb } }
        Mock Get-VMHost { [pscustomobject]@{ LogicalProcessorCount = 8 } }
    }

    It 'Get-HyperVHostProblem finds nothing on a good one' {
        Get-HyperVHostProblem -SwitchName 'Lab' -BaseDisk $image -Folder 'D:\vms' | Should -BeNullOrEmpty
    }

    It 'Get-HyperVHostProblem tells everything at once' {
        Mock Get-VMSwitch { [pscustomobject]@{ Name = 'Other'; SwitchType = 'External' } }
        Mock Get-VHD { [pscustomobject]@{ VhdFormat = 'VHD'; Size = 40gb } }
        Mock Get-CimInstance { [pscustomobject]@{ FreeSpace = 3gb } }
        $found = @(Get-HyperVHostProblem -SwitchName 'Lab' -BaseDisk $image -Folder 'D:\vms')
        $found.Count | Should -Be 3
        $found[0] | Should -Match 'no virtual switch Lab \(there are: Other\)'
        $found[1] | Should -Match 'is a VHD, not a VHDX'
        $found[2] | Should -Match 'drive D: has 3 GiB free'
    }

    It 'Get-HyperVHostProblem refuses a switch that leads nowhere, and an image that is not there' {
        Mock Get-VMSwitch { [pscustomobject]@{ Name = 'Lab'; SwitchType = 'Private' } }
        Mock Get-CimInstance { return }
        $found = @(Get-HyperVHostProblem -SwitchName 'Lab' -BaseDisk "$image.none" -Folder 'D:\vms')
        $found[0] | Should -Match 'Lab is Private'
        $found[1] | Should -Match 'there is no disk'
        $found[2] | Should -Match 'there is no drive D:'
    }

    It 'Get-HyperVHostProblem refuses an image that is a machine''s own disk' {
        Mock Get-VM { New-FakeMachine -Name 'golden' }
        Mock Get-VMHardDiskDrive { [pscustomobject]@{ Path = $image } }
        Get-HyperVHostProblem -SwitchName 'Lab' -BaseDisk $image -Folder 'D:\vms' |
            Should -Match 'is the disk of the machine golden'
    }

    It 'Get-MachineSizeProblem finds nothing where it fits, and tells all that does not' {
        Get-MachineSizeProblem -BaseDisk $image -Cpus 8 -MemoryMiB 8192 -DiskGiB 40 | Should -BeNullOrEmpty
        $found = @(Get-MachineSizeProblem -BaseDisk $image -Cpus 9 -MemoryMiB 8193 -DiskGiB 39)
        $found[0] | Should -Match '8192 MiB of memory are free'
        $found[1] | Should -Match '8 logical processors'
        $found[2] | Should -Match 'is 40 GiB large'
    }

    It 'Assert-NoProblem stops with all of them, and not at none' {
        { Assert-NoProblem -Problem @() } | Should -Not -Throw
        $failure = Get-StepFailure { Assert-NoProblem -Problem 'one', 'two' }
        $failure.Code | Should -BeExactly 'HostUnsuitable'
        $failure.Message | Should -Match 'one; two'
    }
}

Describe 'marks' {
    BeforeEach {
        $null = New-Item -ItemType Directory -Path $spot -Force
    }
    AfterEach {
        Remove-Item -LiteralPath $folder -Recurse -Force
    }

    It 'Read-LabMark reads owner and making, among other lines as well' {
        (Read-LabMark -Text $ownMark).Making | Should -BeExactly $first
        (Read-LabMark -Text "hands off`r`n$ownMark`r`n").Owner | Should -BeExactly $own
        Read-LabMark -Text '' | Should -BeNullOrEmpty
        Read-LabMark -Text 'kindows owner=me making=it' | Should -BeNullOrEmpty
    }

    It 'Read-SiteMark reads that of a folder' {
        Read-SiteMark -Site $spot | Should -BeNullOrEmpty
        [IO.File]::WriteAllText((Join-Path $spot 'kindows.txt'), $ownMark)
        (Read-SiteMark -Site $spot).Owner | Should -BeExactly $own
    }

    It 'Get-NamedMachine tells whole, half and foreign ones apart' {
        Mock Get-VM {
            New-FakeMachine -Notes $ownMark
            New-FakeMachine -Notes 'mine'
            New-FakeMachine
            New-FakeMachine -Name 'win-2' -Notes $ownMark
        }
        Mock Get-VMHardDiskDrive { [pscustomobject]@{ Path = (Join-Path $spot 'disk.vhdx') } }
        $kinds = { (Get-NamedMachine -MachineName 'win-1' -Site $spot -Owner $own).Kind -join ' ' }
        & $kinds | Should -BeExactly 'whole foreign foreign'
        [IO.File]::WriteAllText((Join-Path $spot 'kindows.txt'), $ownMark)
        & $kinds | Should -BeExactly 'whole foreign half'
        Mock Get-VMHardDiskDrive { [pscustomobject]@{ Path = 'C:\else.vhdx' } }
        & $kinds | Should -BeExactly 'whole foreign foreign'
    }

    It 'Get-NameProblem tells of foreign machines and folders, and of no own ones' {
        $foreign = [pscustomobject]@{ Machine = New-FakeMachine; Kind = 'foreign'; Making = '' }
        Get-NameProblem -Found @() -Site $spot -Owner $own | Should -BeNullOrEmpty
        Get-NameProblem -Found @($foreign) -Site $spot -Owner $own | Should -Match 'id of win-1'
        [IO.File]::WriteAllText((Join-Path $spot 'thesis.txt'), 'x')
        Get-NameProblem -Found @() -Site $spot -Owner $own | Should -Match 'has not made'
        [IO.File]::WriteAllText((Join-Path $spot 'kindows.txt'), $ownMark)
        Get-NameProblem -Found @() -Site $spot -Owner $own | Should -BeNullOrEmpty
        Get-NameProblem -Found @() -Site $spot -Owner $strange | Should -Match 'has not made'
    }

    It 'Remove-MachineSite removes a folder of the owner''s, and no other' {
        Remove-MachineSite -Site $spot -Owner $own | Should -BeFalse
        [IO.File]::WriteAllText((Join-Path $spot 'kindows.txt'), $ownMark)
        [IO.File]::WriteAllText((Join-Path $spot 'disk.vhdx'), 'x')
        Remove-MachineSite -Site $spot -Owner $strange | Should -BeFalse
        Remove-MachineSite -Site $spot -Owner $own | Should -BeTrue
        Test-Path -LiteralPath $spot | Should -BeFalse
        $null = New-Item -ItemType Directory -Path $folder -Force
    }
}

Describe 'the identity disc' {
    It 'Read-IdentityText takes an ISO image in base64, and nothing else' {
        $disc = New-Object -TypeName byte[] -ArgumentList 40000
        [Text.Encoding]::ASCII.GetBytes('CD001').CopyTo($disc, 32769)
        (Read-IdentityText -Text ([Convert]::ToBase64String($disc))).Length | Should -Be 40000
        (Get-StepFailure { Read-IdentityText -Text 'hidden!' }).Message | Should -Not -Match 'hidden'
        (Get-StepFailure { Read-IdentityText -Text '' }).Message | Should -Match 'no disc image \(0 bytes\)'
    }

    It 'Read-IdentityDisc reads it off standard input' {
        # Of this process: nothing, or a console.
        Mock Read-IdentityText { 'read' }
        Mock New-Object {
            $reader = [pscustomobject]@{ Text = 'text' }
            $read = { [Threading.Tasks.Task]::FromResult($this.Text) }
            $reader | Add-Member -MemberType ScriptMethod -Name ReadToEndAsync -Value $read
            $reader
        }
        Read-IdentityDisc | Should -BeExactly 'read'
        Should -Invoke Read-IdentityText -ParameterFilter { $Text -eq 'text' }
    }
}

Describe 'making, starting and removing' {
    BeforeEach {
        Mock New-VHD { return }
        Mock Set-VM { return }
        Mock Set-VMNetworkAdapter { return }
        Mock Set-VMDvdDrive { return }
        Mock Add-VMDvdDrive { return }
        Mock Set-VMFirmware { return }
        Mock Get-VMHardDiskDrive { 'the disk' }
        Mock Get-VMDvdDrive { return }
        Mock New-VM { New-FakeMachine }
        $spec = @{
            MachineName = 'win-1'; Folder = $folder; Note = $ownMark; SwitchName = 'Lab'
            MacAddress = '525400ABCDEF'; Cpus = 4; MemoryMiB = 4096
        }
    }

    It 'New-MachineSite marks the folder and puts the disk on the image' {
        New-MachineSite -Site $spot -Owner $own -Making $first -BaseDisk 'D:\image.vhdx' -DiskGiB 60 `
            -Identity ([byte[]](1, 2, 3))
        (Read-SiteMark -Site $spot).Making | Should -BeExactly $first
        [IO.File]::ReadAllBytes((Join-Path $spot 'identity.iso')).Length | Should -Be 3
        Should -Invoke New-VHD -ParameterFilter {
            $Differencing -and $ParentPath -eq 'D:\image.vhdx' -and $SizeBytes -eq 60gb
        }
    }

    It 'New-OwnMachine makes one of generation 2 with Secure Boot, and gives it its notes last' {
        New-OwnMachine @spec -Generation 2 -SecureBoot $true
        Should -Invoke New-VM -ParameterFilter { $Generation -eq 2 -and $MemoryStartupBytes -eq 4096mb }
        Should -Invoke Set-VMFirmware -ParameterFilter { $EnableSecureBoot -eq 'On' }
        Should -Invoke Add-VMDvdDrive -Times 1 -Exactly
        Should -Invoke Set-VMNetworkAdapter -ParameterFilter { $StaticMacAddress -eq '525400ABCDEF' }
        Should -Invoke Set-VM -ParameterFilter { $Notes -eq $ownMark } -Times 1 -Exactly
    }

    It 'New-OwnMachine uses the drive that generation 1 comes with, and leaves firmware alone' {
        Mock Get-VMDvdDrive { 'a drive' }
        New-OwnMachine @spec -Generation 1 -SecureBoot $false
        Should -Invoke Set-VMDvdDrive -Times 1 -Exactly
        Should -Invoke Add-VMDvdDrive -Times 0 -Exactly
        Should -Invoke Set-VMFirmware -Times 0 -Exactly
    }

    It 'Start-OwnMachine starts one that is <State>: <Starts>' -ForEach @(
        @{ State = 'Off'; Starts = $true }
        @{ State = 'Saved'; Starts = $true }
        @{ State = 'Running'; Starts = $false }
        @{ State = 'Paused'; Starts = $false }
    ) {
        Mock Start-VM { return }
        Start-OwnMachine -Machine (New-FakeMachine -State $State) | Should -Be $Starts
        Should -Invoke Start-VM -Times ([int]$Starts) -Exactly
    }

    It 'Remove-OwnMachine turns one off that runs, and removes it' {
        Mock Stop-VM { return }
        Mock Remove-VM { return }
        Remove-OwnMachine -Machine (New-FakeMachine -State 'Running')
        Remove-OwnMachine -Machine (New-FakeMachine -State 'Off')
        Should -Invoke Stop-VM -ParameterFilter { $TurnOff } -Times 1 -Exactly
        Should -Invoke Remove-VM -Times 2 -Exactly
    }
}

Describe 'the scripts' {
    BeforeEach {
        Mock Assert-HyperV { return }
        Mock Get-VMHost { [pscustomobject]@{ LogicalProcessorCount = 8 } }
        Mock Read-IdentityDisc { , [byte[]](1, 2, 3) }
        Mock Get-HyperVHostProblem { return }
        Mock Get-MachineSizeProblem { return }
        Mock Get-NameProblem { return }
        Mock New-MachineSite { return }
        Mock New-OwnMachine { return }
        Mock Remove-OwnMachine { return }
        Mock Remove-MachineSite { $true }
        Mock Start-OwnMachine { $true }
        Mock Get-NamedMachine { [pscustomobject]@{ Machine = New-FakeMachine; Kind = 'whole'; Making = '0a' * 6 } }
        $spec = @{
            MachineName = 'win-1'; Folder = 'D:\vms'; Owner = '0f' * 6; BaseDisk = 'D:\image.vhdx'; Generation = 2
            SecureBoot = 1; SwitchName = 'Lab'; MacAddress = '525400ABCDEF'; Cpus = 4; MemoryMiB = 4096; DiskGiB = 60
        }
    }

    It 'Test-HyperVHost changes nothing, and stops at a problem' {
        $good = @{ SwitchName = 'Lab'; Folder = 'D:\vms'; BaseDisk = 'D:\image.vhdx' }
        (& "$HyperVFolder/Test-HyperVHost.ps1" @good).Changed | Should -BeFalse
        Mock Get-HyperVHostProblem { 'no switch' }
        (Get-StepFailure { & "$HyperVFolder/Test-HyperVHost.ps1" @good }).Message | Should -Match 'no switch'
    }

    It 'New-LabMachine only starts one of the same making' {
        $result = & "$HyperVFolder/New-LabMachine.ps1" @spec -Making ('0a' * 6)
        $result.Facts.id | Should -BeExactly 'id of win-1'
        Should -Invoke New-OwnMachine -Times 0 -Exactly
        Should -Invoke Start-OwnMachine -Times 1 -Exactly
    }

    It 'New-LabMachine removes one of another making, and makes it' {
        $seen = @{ Times = 0 }
        Mock Get-NamedMachine {
            $seen.Times++
            $known = if ($seen.Times -eq 1) { '0a' * 6 } else { '0b' * 6 }
            [pscustomobject]@{ Machine = New-FakeMachine; Kind = 'whole'; Making = $known }
        }
        (& "$HyperVFolder/New-LabMachine.ps1" @spec -Making ('0b' * 6)).Changed | Should -BeTrue
        Should -Invoke Remove-OwnMachine -Times 1 -Exactly
        Should -Invoke New-OwnMachine -Times 1 -Exactly
        Should -Invoke Get-MachineSizeProblem -Times 1 -Exactly -ParameterFilter { $MemoryMiB -eq 3072 }
    }

    It 'New-LabMachine makes and removes nothing where anything is in the way' {
        Mock Get-NamedMachine { [pscustomobject]@{ Machine = New-FakeMachine; Kind = 'foreign'; Making = '' } }
        Mock Get-NameProblem { 'somebody has it' }
        $failure = Get-StepFailure { & "$HyperVFolder/New-LabMachine.ps1" @spec -Making ('0a' * 6) }
        $failure.Message | Should -Match 'somebody has it'
        Should -Invoke Remove-OwnMachine -Times 0 -Exactly
        Should -Invoke New-MachineSite -Times 0 -Exactly
    }

    It 'Get-LabMachine tells the owner''s machines with their addresses, and no others' {
        Mock Get-VM {
            New-FakeMachine -Notes "kindows owner=$('0f' * 6) making=$('0a' * 6)" -State 'Running'
            New-FakeMachine -Name 'golden' -Notes 'mine'
        }
        Mock Get-VMNetworkAdapter { [pscustomobject]@{ IPAddresses = @('192.0.2.10', 'fe80::1') } }
        $result = & "$HyperVFolder/Get-LabMachine.ps1" -Owner ('0f' * 6)
        @($result.Facts.machines).Count | Should -Be 1
        $result.Facts.machines[0].addresses | Should -Contain '192.0.2.10'
    }

    It 'Remove-LabMachine removes one by its name, and tells when there was none' {
        $result = & "$HyperVFolder/Remove-LabMachine.ps1" -MachineName 'win-1' -Folder 'D:\vms' -Owner ('0f' * 6)
        $result.Facts.removed | Should -BeExactly 'win-1'
        Mock Get-NamedMachine { return }
        Mock Remove-MachineSite { $false }
        $result = & "$HyperVFolder/Remove-LabMachine.ps1" -MachineName 'win-1' -Folder 'D:\vms' -Owner ('0f' * 6)
        $result.Changed | Should -BeFalse
    }

    It 'Remove-LabMachine leaves a foreign machine of that name alone' {
        Mock Get-NamedMachine { [pscustomobject]@{ Machine = New-FakeMachine; Kind = 'foreign'; Making = '' } }
        Mock Remove-MachineSite { $false }
        $null = & "$HyperVFolder/Remove-LabMachine.ps1" -MachineName 'win-1' -Folder 'D:\vms' -Owner ('0f' * 6)
        Should -Invoke Remove-OwnMachine -Times 0 -Exactly
    }
}
