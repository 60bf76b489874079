# What in the scripts that make an image only a real PowerShell shows: folders that are copied and moved, secure
# strings, random numbers, other encodings, the serial port. All else of them is run by
# test/unit/images/windows/scripts-run.test.ts.
BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    # As on the CD: the scripts that make an image, with the steps' library in theirs.
    $ImageFolder = Join-Path $TestDrive 'cd'
    Copy-Item -LiteralPath "$LibFolder/../../../../images/windows/scripts" -Destination $ImageFolder -Recurse
    Copy-Item -Path "$LibFolder/*" -Include '*.ps1', '*.json' -Destination (Join-Path $ImageFolder 'lib')
    foreach ($lib in Get-ChildItem -LiteralPath (Join-Path $ImageFolder 'lib') -Filter '*.ps1' -File) {
        . $lib.FullName
    }
    Mock Write-StepProgress { return }
}

Describe 'programs of the CD' {
    BeforeEach {
        $MediaFolder = Join-Path $TestDrive 'media'
        $source = Join-Path $TestDrive 'programs'
        $null = New-Item -Path (Join-Path $source 'abc') -ItemType Directory -Force
        [IO.File]::WriteAllText((Join-Path $source 'abc/kubelet.exe'), 'kubelet')
        # Has a test of its own, in Windows PowerShell only.
        Mock Protect-Folder { $null = New-Item -Path $Path -ItemType Directory -Force }
    }

    It 'Copy-Program brings them to where the steps look, twice in a row too' {
        Copy-Program -Source $source
        Copy-Program -Source $source
        (Get-ChildItem -LiteralPath $MediaFolder -Recurse -File).FullName |
            Should -BeExactly @(Join-Path $MediaFolder 'abc/kubelet.exe')
    }

    It 'Copy-Program has nothing to do where the CD has none' {
        Copy-Program -Source (Join-Path $TestDrive 'gone')
        Test-Path -LiteralPath $MediaFolder | Should -BeTrue
    }
}

Describe 'the script of the first boot' {
    It 'is put into the image with its library, twice in a row too' {
        $FirstBootFolder = Join-Path $TestDrive 'image'
        $SetupCompletePath = Join-Path $TestDrive 'Scripts/SetupComplete.cmd'
        $FirstBootLog = Join-Path $TestDrive 'state/identity.log'
        Mock Protect-Folder { $null = New-Item -Path $Path -ItemType Directory -Force }
        Mock New-ScheduledTaskAction { return }
        Mock New-ScheduledTaskSettingsSet { return }
        Mock New-ScheduledTaskTrigger { return }
        # The real cmdlet takes objects of Windows' own only.
        Mock Register-ScheduledTask { return } -RemoveParameterType 'Action', 'Settings', 'Trigger'
        Install-FirstBoot -Source $ImageFolder
        Install-FirstBoot -Source $ImageFolder
        Test-Path -LiteralPath (Join-Path $FirstBootFolder 'Set-MachineIdentity.ps1') | Should -BeTrue
        Test-Path -LiteralPath (Join-Path $FirstBootFolder 'lib/Step.ps1') | Should -BeTrue
        [IO.File]::ReadAllText($SetupCompletePath) |
            Should -Match '^@\S+powershell\.exe .*Set-MachineIdentity\.ps1 >>.*\r\n$'
    }
}

Describe 'the password of Administrator' {
    It 'New-RandomPassword meets the rules of complexity, and is another one each time' {
        $password = New-RandomPassword
        $password.Length | Should -BeGreaterThan 40
        $password | Should -MatchExactly '^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).*-$'
        New-RandomPassword | Should -Not -BeExactly $password
    }

    It 'Reset-AdministratorPassword finds the account whatever it is called' {
        $accounts = @(
            [pscustomobject]@{ Name = 'Gast'; SID = [pscustomobject]@{ Value = 'S-1-5-21-1-2-3-501' } }
            [pscustomobject]@{ Name = 'Administrateur'; SID = [pscustomobject]@{ Value = 'S-1-5-21-1-2-3-500' } }
        )
        Mock Get-LocalUser { $accounts }
        Mock Set-LocalUser { return } -RemoveParameterType 'InputObject'
        $administrator = Reset-AdministratorPassword
        $administrator.Name | Should -BeExactly 'Administrateur'
        $administrator.Password.Length | Should -BeGreaterThan 40
        Should -Invoke Set-LocalUser -Times 1 -Exactly -ParameterFilter {
            $InputObject.Name -eq 'Administrateur' -and $Password.Length -gt 40
        }
    }
}

Describe 'Write-SealedAnswerFile' {
    BeforeEach {
        $written = @{ Text = '' }
        $template = Join-Path $TestDrive 'sealed.xml'
        Mock Write-ProtectedFile { $written.Text = $Text }
    }

    It 'puts a password into the mark''s place' {
        [IO.File]::WriteAllText($template, '<Value>@ADMINISTRATOR-PASSWORD@</Value>')
        Write-SealedAnswerFile -Template $template
        $written.Text | Should -MatchExactly '^<Value>([A-Za-z0-9+/=]+)</Value>$'
        $encoded = $written.Text -replace '</?Value>', ''
        [Text.Encoding]::Unicode.GetString([Convert]::FromBase64String($encoded)) |
            Should -BeLike '*AdministratorPassword'
    }

    It 'refuses a file without the mark' {
        [IO.File]::WriteAllText($template, '<unattend/>')
        (Get-StepFailure { Write-SealedAnswerFile -Template $template }).Code |
            Should -BeExactly 'ConfigurationUnknown'
    }
}

Describe 'Write-SerialLine' {
    It 'goes on where nobody takes the line' {
        # A class: what .NET throws is wrapped once, and `catch` looks one deep; a ScriptMethod's error is wrapped twice.
        Add-Type -TypeDefinition @'
public class PortThatNobodyReads
{
    public int WriteTimeout;
    public bool Disposed;
    public void Open() { throw new System.IO.IOException("nobody is there"); }
    public void Dispose() { Disposed = true; }
}
'@
        $port = New-Object -TypeName PortThatNobodyReads
        Mock New-Object { $port } -ParameterFilter { $TypeName -eq 'System.IO.Ports.SerialPort' }
        Write-SerialLine -Message 'hello'
        $port.Disposed | Should -BeTrue
        Should -Invoke Write-StepProgress -Times 1 -Exactly -ParameterFilter { $Message -like '*nobody is there*' }
        Should -Invoke Write-StepProgress -Times 1 -Exactly -ParameterFilter { $Message -eq 'hello' }
    }

    It 'writes one line that says whose it is' {
        $lines = New-Object -TypeName System.Collections.Generic.List[string]
        $port = [pscustomobject]@{ WriteTimeout = 0 }
        foreach ($name in 'Open', 'Dispose') {
            $port | Add-Member -MemberType ScriptMethod -Name $name -Value { return }
        }
        $port | Add-Member -MemberType ScriptMethod -Name WriteLine -Value { $lines.Add($args[0]) }
        Mock New-Object { $port } -ParameterFilter { $TypeName -eq 'System.IO.Ports.SerialPort' }
        Write-SerialLine -Message 'sealing'
        $lines | Should -BeExactly @('kindows: sealing')
    }
}

Describe 'Install-SshServer' {
    It 'takes the archive''s folder, over what an earlier run left' {
        $SshProgramFolder = Join-Path $TestDrive 'OpenSSH'
        foreach ($left in $SshProgramFolder, "$SshProgramFolder.new") {
            $null = New-Item -Path (Join-Path $left 'left') -ItemType Directory -Force
        }
        Mock Test-Service { Test-Path -LiteralPath (Join-Path $SshProgramFolder 'new') }
        Mock Stop-ServiceIfPresent { return }
        Mock Invoke-NativeCommand { return }
        Mock Expand-Archive {
            $null = New-Item -Path (Join-Path $DestinationPath 'OpenSSH-Win64/new') -ItemType Directory -Force
        }
        Install-SshServer -Archive 'E:\kindows\media\OpenSSH-Win64.zip'
        Test-Path -LiteralPath (Join-Path $SshProgramFolder 'new') | Should -BeTrue
        Test-Path -LiteralPath (Join-Path $SshProgramFolder 'left') | Should -BeFalse
    }
}
