# How a machine made from the image becomes the one it shall be, at its first boot.
BeforeAll {
    . "$PSScriptRoot/support/Image.ps1"
    $userData = Join-Path $TestDrive 'user-data'
    $hostKey = "-----BEGIN OPENSSH PRIVATE KEY-----`nhidden`n-----END OPENSSH PRIVATE KEY-----`n"
    $document = @{
        hostname            = 'win-1'
        ssh_keys            = @{ ed25519_private = $hostKey; ed25519_public = 'ssh-ed25519 AAAA win-1' }
        ssh_authorized_keys = @('ssh-ed25519 BBBB somebody')
    }
    $cidata = [pscustomobject]@{ Drive = 'E:'; VolumeName = 'cidata'; PNPDeviceID = 'SCSI\CDROM\1' }
    Mock Write-SerialLine { return }
}

Describe 'Get-IdentityDisc' {
    It 'finds the drive by the name of its disc, not by its letter' {
        Mock Get-CimInstance {
            [pscustomobject]@{ Drive = 'D:'; VolumeName = $null; PNPDeviceID = 'IDE\CDROM\0' }
            $cidata
        }
        (Get-IdentityDisc -TimeoutSeconds 1).Drive | Should -BeExactly 'E:'
    }

    It 'waits for a drive that is not there yet' {
        $seen = @{ Times = 0 }
        Mock Get-CimInstance {
            $seen.Times++
            if ($seen.Times -gt 2) { $cidata }
        }
        (Get-IdentityDisc -TimeoutSeconds 60).Drive | Should -BeExactly 'E:'
    }

    It 'gives up in time, with the drives there are' {
        Mock Get-CimInstance { [pscustomobject]@{ Drive = 'D:'; VolumeName = 'SSS_X64' } }
        $failure = Get-StepFailure { Get-IdentityDisc -TimeoutSeconds 0 }
        $failure.Code | Should -BeExactly 'MediumMissing'
        $failure.Message | Should -Match "D: 'SSS_X64'"
    }
}

Describe 'Read-Identity' {
    It 'reads what components/machine/identity.ts writes' {
        [IO.File]::WriteAllText($userData, "#cloud-config`n" + (ConvertTo-Json -InputObject $document -Depth 5))
        $identity = Read-Identity -Path $userData
        $identity.ComputerName | Should -BeExactly 'win-1'
        $identity.HostKey | Should -BeExactly $hostKey
        $identity.HostPublicKey | Should -BeExactly 'ssh-ed25519 AAAA win-1'
        $identity.AuthorizedKeys | Should -BeExactly @('ssh-ed25519 BBBB somebody')
    }

    It 'refuses <What>, and does not repeat it' -ForEach @(
        @{ What = 'no JSON'; Text = "#cloud-config`nhostname: hidden" }
        @{ What = 'another document'; Text = '{"hidden": true}' }
        @{ What = 'nothing'; Text = '' }
    ) {
        [IO.File]::WriteAllText($userData, $Text)
        $failure = Get-StepFailure { Read-Identity -Path $userData }
        $failure.Code | Should -BeExactly 'ConfigurationUnknown'
        $failure.Message | Should -Not -Match 'hidden'
    }

    It 'refuses <Field> that cannot be one' -ForEach @(
        @{ Field = 'hostname'; Change = @{ hostname = 'a-name-of-16-char' } }
        @{ Field = 'hostname'; Change = @{ hostname = '' } }
        @{ Field = 'ed25519_private'; Change = @{ ssh_keys = @{ ed25519_private = 'x'; ed25519_public = 'y' } } }
        @{ Field = 'ed25519_public'; Change = @{ ssh_keys = @{ ed25519_private = $null; ed25519_public = 'y' } } }
        @{ Field = 'ssh_authorized_keys'; Change = @{ ssh_authorized_keys = @() } }
    ) {
        $changed = $document.Clone()
        foreach ($key in $Change.Keys) {
            $changed[$key] = $Change[$key]
        }
        [IO.File]::WriteAllText($userData, "#cloud-config`n" + (ConvertTo-Json -InputObject $changed -Depth 5))
        $failure = Get-StepFailure { Read-Identity -Path $userData }
        $failure.Code | Should -BeExactly 'ConfigurationUnknown'
        $failure.Message | Should -Match $Field
        $failure.Message | Should -Not -Match 'hidden'
    }
}

Describe 'Disable-IdentityDisc' {
    It 'takes the drive away' {
        Mock Disable-PnpDevice { return }
        Disable-IdentityDisc -Disc $cidata
        Should -Invoke Disable-PnpDevice -Times 1 -Exactly -ParameterFilter { $InstanceId -eq 'SCSI\CDROM\1' }
    }

    It 'tells of a drive that stays, and goes on' {
        Mock Disable-PnpDevice { throw 'Generic failure' }
        Disable-IdentityDisc -Disc $cidata
        Should -Invoke Write-SerialLine -Times 1 -Exactly -ParameterFilter { $Message -like 'warning:*Generic failure' }
    }
}

Describe 'Set-MachineName' {
    BeforeEach {
        $pending = @{ Name = '' }
        Mock Get-ItemProperty { [pscustomobject]@{ ComputerName = 'WIN-1' } }
        Mock Get-PendingComputerName { $pending.Name }
        Mock Rename-Computer { $pending.Name = $NewName }
    }

    It 'leaves a machine alone that has the name, in whatever letters' {
        Set-MachineName -Name 'win-1' | Should -BeFalse
        Should -Invoke Rename-Computer -Times 0 -Exactly
    }

    It 'names one with another, for after a reboot' {
        Set-MachineName -Name 'win-2' | Should -BeTrue
    }

    It 'asks for the reboot of an earlier run' {
        $pending.Name = 'win-1'
        Set-MachineName -Name 'win-1' | Should -BeTrue
        Should -Invoke Rename-Computer -Times 0 -Exactly
    }
}

Describe 'the script of the first boot' {
    BeforeEach {
        $folder = Join-Path $TestDrive 'first-boot'
        $FirstBootFolder = Join-Path $folder 'image'
        $SetupCompletePath = Join-Path $folder 'Scripts/SetupComplete.cmd'
        $FirstBootLog = Join-Path $folder 'state/identity.log'
        $FirstBootMark = Join-Path $folder 'state/first-boot'
        $tasks = New-Object -TypeName System.Collections.Generic.List[string]
        Mock Protect-Folder { $null = New-Item -Path $Path -ItemType Directory -Force }
        Mock Unregister-ScheduledTask { $null = $tasks.Remove($TaskName) }
        Mock New-ScheduledTaskAction { [pscustomobject]@{ Argument = $Argument } }
        Mock New-ScheduledTaskPrincipal { [pscustomobject]@{ UserId = $UserId } }
        Mock New-ScheduledTaskTrigger { [pscustomobject]@{ AtStartup = $AtStartup } }
        # The real cmdlet takes objects of Windows' own only.
        Mock Register-ScheduledTask { $tasks.Add($TaskName) } -RemoveParameterType 'Action', 'Principal', 'Trigger'
        Install-FirstBoot -Source $ImageFolder
    }

    AfterEach {
        Remove-Item -LiteralPath $folder -Recurse -Force
    }

    It 'is put into the image with its library, twice in a row too' {
        Install-FirstBoot -Source $ImageFolder
        Test-Path -LiteralPath (Join-Path $FirstBootFolder 'Set-MachineIdentity.ps1') | Should -BeTrue
        Test-Path -LiteralPath (Join-Path $FirstBootFolder 'lib/Step.ps1') | Should -BeTrue
        Should -Invoke Protect-Folder -Times 1 -ParameterFilter { $Path -eq $FirstBootFolder }
    }

    It 'is started by Windows'' setup' {
        [IO.File]::ReadAllText($SetupCompletePath) |
            Should -Match '^@powershell\.exe .*Set-MachineIdentity\.ps1 >>.*\r\n$'
    }

    It 'is not started a third time' {
        Suspend-FirstBoot
        (Get-StepFailure { Suspend-FirstBoot }).Code | Should -BeExactly 'CommandFailed'
    }

    It 'goes again, and may be gone' {
        Suspend-FirstBoot
        Remove-FirstBoot
        Remove-FirstBoot
        Test-Path -LiteralPath $FirstBootFolder | Should -BeFalse
        Test-Path -LiteralPath $SetupCompletePath | Should -BeFalse
        $tasks | Should -BeNullOrEmpty
    }
}

Describe 'Set-MachineIdentity' {
    BeforeEach {
        $calls = New-Object -TypeName System.Collections.Generic.List[string]
        $reboot = @{ Required = $false }
        Mock Get-IdentityDisc { $cidata }
        Mock Read-Identity {
            [pscustomobject]@{
                ComputerName = 'win-1'; HostKey = $hostKey; HostPublicKey = 'ssh-ed25519 A'; AuthorizedKeys = @('k A')
            }
        }
        Mock Set-MachineName { $reboot.Required }
        Mock Set-SshIdentity { $calls.Add('keys') }
        Mock Reset-AdministratorPassword { $calls.Add('password') }
        Mock Remove-AnswerFile { $calls.Add('answer files') }
        Mock Disable-IdentityDisc { $calls.Add('disc') }
        Mock Remove-FirstBoot { $calls.Add('scripts') }
        Mock Enable-SshServer { $calls.Add('enabled') }
        Mock Start-SshServer { $calls.Add('started') }
        Mock Suspend-FirstBoot { $calls.Add('suspended') }
        Mock Start-Reboot { $calls.Add('reboot') }
    }

    It 'opens the machine last' {
        $result = & "$ImageFolder/Set-MachineIdentity.ps1"
        $result.RebootRequired | Should -BeFalse
        $calls -join ', ' | Should -BeExactly 'keys, password, answer files, disc, scripts, enabled, started'
        Should -Invoke Write-SerialLine -Times 1 -Exactly -ParameterFilter { $Message -eq 'ready' }
    }

    It 'reboots a machine that is not called so yet, closed' {
        $reboot.Required = $true
        (& "$ImageFolder/Set-MachineIdentity.ps1").RebootRequired | Should -BeTrue
        $calls | Should -BeExactly @('suspended', 'reboot')
    }

    It 'stays closed where something fails, and says why' {
        Mock Reset-AdministratorPassword { throw 'No such account.' }
        (Get-StepFailure { & "$ImageFolder/Set-MachineIdentity.ps1" }).Message | Should -Match 'No such account'
        $calls | Should -Not -Contain 'enabled'
        Should -Invoke Write-SerialLine -Times 1 -Exactly -ParameterFilter { $Message -match '^failed: No such' }
    }
}
