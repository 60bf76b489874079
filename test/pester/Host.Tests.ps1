BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
    $OnDesktop = $PSVersionTable.PSEdition -eq 'Desktop'
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'HostsFile', 'MachinePath', 'MachineProxy', 'PendingReboot',
        'EvaluationLicence', 'DefenderExclusion', 'ContainersFeature', 'ContainerdConfig', 'RegistryMirror',
        'ApiServer', 'Clock', 'KubernetesFolders') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
}

Describe 'Merge-HostsLine' {
    BeforeAll {
        $foreign = @('# a comment', '127.0.0.1 localhost')
        $wanted = @(@{ Address = '192.168.150.128'; Name = 'control-plane' })
        $ours = '192.168.150.128 control-plane # kindows'
    }

    It 'adds what is wanted behind what is there' {
        Merge-HostsLine -Line $foreign -Wanted $wanted | Should -Be ($foreign + $ours)
    }

    It 'changes nothing the second time' {
        Merge-HostsLine -Line ($foreign + $ours) -Wanted $wanted | Should -Be ($foreign + $ours)
    }

    It 'replaces its own earlier address' {
        Merge-HostsLine -Line ($foreign + '10.0.0.9 control-plane # kindows') -Wanted $wanted |
            Should -Be ($foreign + $ours)
    }

    It 'takes its own lines away, and nobody else''s' {
        Merge-HostsLine -Line ($foreign + $ours) -Wanted @() | Should -Be $foreign
    }

    It 'does not mind a foreign line that says the same' {
        $line = '192.168.150.128 control-plane'
        Merge-HostsLine -Line @($line) -Wanted $wanted | Should -Be @($line, $ours)
    }

    It 'refuses a foreign line that says another address: <Line>' -ForEach @(
        @{ Line = '10.0.0.9 control-plane' }
        @{ Line = "10.0.0.9`tother control-plane # mine" }
    ) {
        $failure = Get-StepFailure { Merge-HostsLine -Line @($Line) -Wanted $wanted }
        $failure.Code | Should -BeExactly 'ForeignHostsEntry'
        $failure.Message | Should -Match 'control-plane must be 192\.168\.150\.128'
    }

    It 'does not mind a name in a comment' {
        { Merge-HostsLine -Line @('# 10.0.0.9 control-plane') -Wanted $wanted } | Should -Not -Throw
    }
}

Describe 'Save-HostsFile' {
    It 'writes the lines' {
        $path = Join-Path $TestDrive 'hosts'
        Save-HostsFile -Path $path -Line 'a', '', 'b'
        [IO.File]::ReadAllLines($path) | Should -Be @('a', '', 'b')
    }

    It 'gives up on a file that stays busy after ten tries' {
        # A path below a folder that is not there is an IOException as well.
        $failure = Get-StepFailure { Save-HostsFile -Path (Join-Path $TestDrive 'no/such/hosts') -Line 'a' }
        $failure.Code | Should -BeExactly 'HostsFileBusy'
        Should -Invoke Start-Sleep -Times 10 -Exactly
    }
}

Describe 'Remove-HostsLine' {
    BeforeEach {
        $path = Join-Path $TestDrive 'hosts'
        Mock Clear-DnsClientCache { return }
    }

    It 'takes our lines away and says how many' {
        [IO.File]::WriteAllLines($path, @('127.0.0.1 localhost', '10.0.0.1 a # kindows', '10.0.0.2 b # kindows'))
        Remove-HostsLine -Path $path | Should -BeExactly '2 hosts entries'
        [IO.File]::ReadAllLines($path) | Should -Be @('127.0.0.1 localhost')
        Should -Invoke Clear-DnsClientCache -Times 1 -Exactly
    }

    It 'has nothing to do the second time' {
        [IO.File]::WriteAllLines($path, @('127.0.0.1 localhost'))
        Remove-HostsLine -Path $path | Should -BeNullOrEmpty
        Should -Invoke Clear-DnsClientCache -Times 0 -Exactly
    }
}

Describe 'the PATH of the machine' -Skip:(-not $OnWindows) {
    BeforeAll {
        $machinePath = [Environment]::GetEnvironmentVariable('Path', 'Machine')
        $processPath = $env:Path
    }
    AfterAll {
        [Environment]::SetEnvironmentVariable('Path', $machinePath, 'Machine')
        $env:Path = $processPath
    }

    It 'Add-MachinePath adds a folder once, whatever its last character' {
        Add-MachinePath -Folder 'C:\kindows-test' | Should -BeTrue
        Add-MachinePath -Folder 'C:\kindows-test\' | Should -BeFalse
        $env:Path -split ';' | Should -Contain 'C:\kindows-test'
    }

    It 'Update-ProcessPath takes the machine''s' {
        $env:Path = 'C:\nothing'
        Update-ProcessPath
        $env:Path | Should -BeExactly ([Environment]::GetEnvironmentVariable('Path', 'Machine'))
    }

    It 'Remove-MachinePath removes it once, and nothing else' {
        Remove-MachinePath -Folder 'C:\kindows-test' | Should -BeExactly 'C:\kindows-test on the PATH'
        Remove-MachinePath -Folder 'C:\kindows-test' | Should -BeNullOrEmpty
        [Environment]::GetEnvironmentVariable('Path', 'Machine') | Should -BeExactly $machinePath.TrimEnd(';')
    }
}

Describe 'the proxy of the machine' -Skip:(-not $OnWindows) {
    BeforeAll {
        $before = @{}
        foreach ($name in $ProxyVariables) {
            $before[$name] = [Environment]::GetEnvironmentVariable($name, 'Machine')
            [Environment]::SetEnvironmentVariable($name, $null, 'Machine')
        }
        $ProxyRecordPath = Join-Path $TestDrive 'state\proxy.json'
    }
    AfterAll {
        foreach ($name in $ProxyVariables) {
            [Environment]::SetEnvironmentVariable($name, $before[$name], 'Machine')
        }
    }

    It 'Get-MachineProxy and Get-ProxyRecord find none where none is' {
        Get-MachineProxy | Should -BeNullOrEmpty
        Get-ProxyRecord | Should -BeNullOrEmpty
        Restore-MachineProxy | Should -BeNullOrEmpty
    }

    It 'Save-ProxyRecord keeps what was there before, and not what comes later' {
        [Environment]::SetEnvironmentVariable('NO_PROXY', 'mine', 'Machine')
        Save-ProxyRecord
        $lab = @{ HTTP_PROXY = ''; HTTPS_PROXY = 'http://p.test:1'; NO_PROXY = 'lab' }
        Set-MachineProxy -Variable $lab | Should -BeTrue
        Set-MachineProxy -Variable $lab | Should -BeFalse
        Get-MachineProxy | Should -Be @('HTTPS_PROXY=http://p.test:1', 'NO_PROXY=lab')
        Save-ProxyRecord
        (Get-ProxyRecord).NO_PROXY | Should -BeExactly 'mine'
    }

    It 'Restore-MachineProxy brings it back' {
        Restore-MachineProxy | Should -BeExactly "the machine's proxy"
        Get-MachineProxy | Should -Be @('NO_PROXY=mine')
        Restore-MachineProxy | Should -BeNullOrEmpty
    }

    It 'Remove-ProxyRecord forgets it, twice in a row too' {
        Remove-ProxyRecord
        { Remove-ProxyRecord } | Should -Not -Throw
        Get-ProxyRecord | Should -BeNullOrEmpty
    }
}

Describe 'the record of a reboot' {
    BeforeEach {
        $RebootRecordPath = Join-Path (Join-Path $TestDrive 'state') 'reboot.json'
        $booted = [DateTime]::SpecifyKind([DateTime]'2026-11-21T10:00:00', [DateTimeKind]::Utc)
        Mock Get-CimInstance { [pscustomobject]@{ LastBootUpTime = $booted } }
    }

    It 'Get-LastBootUpTime gives UTC to the second' {
        Get-LastBootUpTime | Should -BeExactly '2026-11-21T10:00:00Z'
    }

    It 'Save-RebootRecord writes what Get-RebootRecord reads' {
        Save-RebootRecord
        Get-RebootRecord | ForEach-Object { ([DateTime]$_).ToUniversalTime() } | Should -Be $booted
    }

    It 'Remove-RebootRecord removes it, twice in a row too' {
        Save-RebootRecord
        Remove-RebootRecord
        { Remove-RebootRecord } | Should -Not -Throw
        Get-RebootRecord | Should -BeNullOrEmpty
    }
}

Describe 'Start-Reboot' {
    BeforeEach {
        $sshd = New-FakeService -Status 'Running'
        Mock Get-Service { $sshd }
        Mock Invoke-NativeCommand { return }
    }

    It 'orders the reboot, also where one is ordered already, and closes the SSH port' {
        Start-Reboot -DelaySeconds 5 -Comment 'kindows: test'
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter {
            $FilePath -match 'shutdown\.exe$' -and ($ArgumentList -join '|') -match '^/r\|/f\|/t\|5\|' -and
            $SuccessExitCodes -contains 1115 -and $SuccessExitCodes -contains 1190
        }
        $sshd.Status | Should -BeExactly 'Stopped'
    }

    It 'leaves the port open when the reboot can not be ordered' {
        Mock Invoke-NativeCommand { Stop-Step -Code 'CommandFailed' -Message 'no' -Remedy 'x' }
        (Get-StepFailure { Start-Reboot -DelaySeconds 5 -Comment 'x' }).Code | Should -BeExactly 'CommandFailed'
        $sshd.Status | Should -BeExactly 'Running'
    }
}

Describe 'Get-PendingRebootReason' {
    It 'names <Reasons> for <Pattern>' -ForEach @(
        @{ Pattern = 'nothing'; Reasons = @() }
        @{ Pattern = 'RebootPending'; Reasons = @('Component Based Servicing') }
        @{ Pattern = 'RebootRequired'; Reasons = @('Windows Update') }
        @{ Pattern = 'Reboot'; Reasons = @('Component Based Servicing', 'Windows Update') }
    ) {
        Mock Test-Path { $LiteralPath -match $Pattern }
        @(Get-PendingRebootReason) | Should -Be $Reasons
    }
}

Describe 'Get-PendingComputerName' {
    It 'gives <Expected> where <Next> follows <Active>' -ForEach @(
        @{ Active = 'WIN-1'; Next = 'WIN-1'; Expected = '' }
        @{ Active = 'WIN-ABC'; Next = 'WIN-1'; Expected = 'WIN-1' }
    ) {
        Mock Get-ItemProperty {
            [pscustomobject]@{ ComputerName = $(if ($LiteralPath -match 'Active') { $Active } else { $Next }) }
        }
        Get-PendingComputerName | Should -BeExactly $Expected
    }
}

Describe 'Get-EvaluationLicence' {
    It 'is no matter for a licence that does not end' {
        Mock Get-CimInstance { [pscustomobject]@{ Description = 'VOLUME_KMSCLIENT channel' } }
        (Get-EvaluationLicence).Ends | Should -BeExactly ''
        Mock Get-CimInstance { return }
        (Get-EvaluationLicence).IsExpired | Should -BeFalse
    }

    It 'says when an evaluation ends' {
        Mock Get-CimInstance {
            [pscustomobject]@{ Description = 'TIMEBASED_EVAL channel'; GracePeriodRemaining = 1440; LicenseStatus = 1 }
        }
        $licence = Get-EvaluationLicence
        $licence.Ends | Should -Match '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$'
        $left = ([DateTime]$licence.Ends).ToUniversalTime() - [DateTime]::UtcNow
        [math]::Abs($left.TotalHours - 24) | Should -BeLessThan 0.1
        $licence.IsExpired | Should -BeFalse
    }

    It 'knows one that has ended' {
        Mock Get-CimInstance {
            [pscustomobject]@{ Description = 'TIMEBASED_EVAL channel'; GracePeriodRemaining = 0; LicenseStatus = 5 }
        }
        (Get-EvaluationLicence).IsExpired | Should -BeTrue
    }
}

Describe 'Set-DefenderExclusion' {
    BeforeEach {
        $preference = [pscustomobject]@{ ExclusionPath = @('D:\mine'); ExclusionProcess = $null }
        Mock Get-MpPreference { $preference }
        Mock Add-MpPreference { return }
        Mock Remove-MpPreference { return }
        $asked = @{ Folder = @('C:\a'); Program = @('C:\a\a.exe') }
    }

    It 'sets what is missing' {
        $result = Set-DefenderExclusion -Enabled $true @asked
        $result.Changed | Should -BeTrue
        $result.State | Should -BeExactly 'set'
        Should -Invoke Add-MpPreference -Times 1 -Exactly
    }

    It 'changes nothing the second time' {
        $preference.ExclusionPath = @('D:\mine', 'C:\a')
        $preference.ExclusionProcess = @('C:\a\a.exe')
        (Set-DefenderExclusion -Enabled $true @asked).Changed | Should -BeFalse
        Should -Invoke Add-MpPreference -Times 0 -Exactly
    }

    It 'finishes what was half done' {
        $preference.ExclusionPath = @('C:\a')
        (Set-DefenderExclusion -Enabled $true @asked).Changed | Should -BeTrue
    }

    It 'takes its own back when it is switched off, and only if they are there' {
        (Set-DefenderExclusion -Enabled $false @asked).Changed | Should -BeFalse
        Should -Invoke Remove-MpPreference -Times 0 -Exactly
        $preference.ExclusionPath = @('C:\a')
        $result = Set-DefenderExclusion -Enabled $false @asked
        $result.Changed | Should -BeTrue
        $result.State | Should -BeExactly 'off'
    }

    It 'is no failure where Defender is not, or does not answer' {
        Mock Get-Command { return }
        (Set-DefenderExclusion -Enabled $true @asked).State | Should -BeExactly 'unavailable'
    }

    It 'is no failure where a policy forbids it' {
        Mock Add-MpPreference { throw 'Access denied.' }
        (Set-DefenderExclusion -Enabled $true @asked).State | Should -BeExactly 'unavailable'
    }
}

Describe 'Get-ContainersFeatureState' {
    It 'gives the state as text' {
        Mock Get-WindowsFeature { [pscustomobject]@{ InstallState = 'InstallPending' } }
        Get-ContainersFeatureState | Should -BeExactly 'InstallPending'
        Should -Invoke Get-WindowsFeature -Times 1 -Exactly -ParameterFilter { $Name -eq 'Containers' }
    }
}

Describe 'Edit-ContainerdConfig' {
    BeforeAll {
        # The sections of `containerd config default` of 2.3 that count, and one that only looks alike.
        $default = @(
            'version = 4'
            "  [plugins.'io.containerd.cri.v1.images']"
            "    [plugins.'io.containerd.cri.v1.images'.pinned_images]"
            "      sandbox = 'registry.k8s.io/pause:3.10.2'"
            "    [plugins.'io.containerd.cri.v1.images'.registry]"
            "      config_path = ''"
            "    [plugins.'io.containerd.cri.v1.runtime'.cni]"
            "      bin_dirs = ['C:\\Program Files\\containerd\\cni\\bin']"
            "      conf_dir = 'C:\\Program Files\\containerd\\cni\\conf'"
            "  [plugins.'io.containerd.image-verifier.v1.bindir']"
            "    bin_dir = 'C:\\verifiers'"
        ) -join "`n"
        $wanted = @{ PauseImage = 'p:1'; CniBinDirectory = 'C:/opt/cni/bin'; CniConfDirectory = 'C:/etc/cni/net.d' }
    }

    It 'changes these values, and leaves the image verifier''s folder alone' {
        $text = Edit-ContainerdConfig -Text $default @wanted
        $text | Should -Match "(?m)^ +sandbox = 'p:1'$"
        $text | Should -Match "(?m)^ +bin_dirs = \['C:/opt/cni/bin'\]$"
        $text | Should -Match "(?m)^ +conf_dir = 'C:/etc/cni/net\.d'$"
        $text | Should -Match "(?m)^ +bin_dir = 'C:\\\\verifiers'$"
        $text | Should -Match "(?m)^ +config_path = ''$"
    }

    It 'has the same result the second time' {
        $text = Edit-ContainerdConfig -Text $default @wanted
        Edit-ContainerdConfig -Text $text @wanted | Should -BeExactly $text
    }

    It 'names the folder of the mirrors where there are any' {
        Edit-ContainerdConfig -Text $default @wanted -RegistryFolder 'C:/certs.d' |
            Should -Match "(?m)^ +config_path = 'C:/certs\.d'$"
    }

    It 'refuses a configuration it does not know' {
        $failure = Get-StepFailure { Edit-ContainerdConfig -Text 'version = 9' @wanted }
        $failure.Code | Should -BeExactly 'ConfigurationUnknown'
        $failure.Message | Should -Match 'sandbox'
    }
}

Describe 'Get-RegistryHostsFile' {
    It 'lists the mirrors in their order, under our mark' {
        $text = Get-RegistryHostsFile -Mirror 'https://a.test', 'https://b.test'
        $text | Should -Match "^$([regex]::Escape($RegistryMirrorMark))\n"
        $text.IndexOf('[host."https://a.test"]') | Should -BeLessThan $text.IndexOf('[host."https://b.test"]')
        $text | Should -Not -Match "`r"
    }
}

Describe 'Set-RegistryMirror' -Skip:(-not $OnWindows) {
    BeforeEach {
        $folder = Join-Path $TestDrive ([Guid]::NewGuid())
    }

    It 'writes a file per registry, once' {
        Set-RegistryMirror -Folder $folder -Mirrors 'docker.io=https://a.test;r.test:5000=https://b.test' |
            Should -BeTrue
        "$folder\docker.io\hosts.toml" | Should -Exist
        "$folder\r.test_5000_\hosts.toml" | Should -Exist
        Set-RegistryMirror -Folder $folder -Mirrors 'docker.io=https://a.test;r.test:5000=https://b.test' |
            Should -BeFalse
    }

    It 'takes its own away again, and nobody else''s' {
        $null = Set-RegistryMirror -Folder $folder -Mirrors 'docker.io=https://a.test'
        $null = New-Item -Path "$folder\mine" -ItemType Directory
        [IO.File]::WriteAllText("$folder\mine\hosts.toml", 'server = "https://mine.test"')
        Set-RegistryMirror -Folder $folder -Mirrors '' | Should -BeTrue
        "$folder\docker.io\hosts.toml" | Should -Not -Exist
        "$folder\mine\hosts.toml" | Should -Exist
        Set-RegistryMirror -Folder $folder -Mirrors '' | Should -BeFalse
    }
}

Describe 'Wait-ApiServer' {
    It 'ends as soon as somebody answers' {
        $listener = New-Object -TypeName System.Net.Sockets.TcpListener -ArgumentList ([Net.IPAddress]::Loopback), 0
        $listener.Start()
        try {
            { Wait-ApiServer -Endpoint "127.0.0.1:$($listener.LocalEndpoint.Port)" -TimeoutSeconds 10 } |
                Should -Not -Throw
        }
        finally {
            $listener.Stop()
        }
    }

    It 'gives up in time where nobody listens' {
        $failure = Get-StepFailure { Wait-ApiServer -Endpoint '127.0.0.1:1' -TimeoutSeconds 1 }
        $failure.Code | Should -BeExactly 'ApiServerUnreachable'
        $failure.Message | Should -Match '127\.0\.0\.1:1 could not be reached in 1 s; last seen: .+'
    }
}

Describe 'Get-ApiServerTime' {
    It 'reads the time of the answer' {
        Mock Invoke-NativeCommand { "HTTP/1.1 401 Unauthorized`r`nDate: Sat, 21 Nov 2026 10:00:00 GMT`r`n`r`n" }
        $time = Get-ApiServerTime -Endpoint 'cp:6443'
        $time.Kind | Should -Be ([DateTimeKind]::Utc)
        $time.ToString('yyyy-MM-ddTHH:mm:ss') | Should -BeExactly '2026-11-21T10:00:00'
    }

    It 'is nothing where the answer has none, or there is none' {
        Mock Invoke-NativeCommand { 'HTTP/1.1 200 OK' }
        Get-ApiServerTime -Endpoint 'cp:6443' | Should -BeNullOrEmpty
        Mock Invoke-NativeCommand { throw 'no answer' }
        Get-ApiServerTime -Endpoint 'cp:6443' | Should -BeNullOrEmpty
    }
}

Describe 'Sync-Clock' {
    BeforeEach {
        Mock Set-Date { return }
    }

    It 'sets a clock that is off by <Seconds> s: <Sets> times' -ForEach @(
        @{ Seconds = 0; Sets = 0 }
        @{ Seconds = 20; Sets = 0 }
        @{ Seconds = 7200; Sets = 1 }
        @{ Seconds = -86400; Sets = 1 }
    ) {
        Mock Get-ApiServerTime { [DateTime]::UtcNow.AddSeconds($Seconds) }
        $moved = Sync-Clock -Endpoint 'cp:6443'
        Should -Invoke Set-Date -Times $Sets -Exactly
        [math]::Abs($moved - $(if ($Sets -eq 0) { 0 } else { $Seconds })) | Should -BeLessThan 3
    }

    It 'leaves it alone where nobody tells the time' {
        Mock Get-ApiServerTime { return }
        Sync-Clock -Endpoint 'cp:6443' | Should -Be 0
        Should -Invoke Set-Date -Times 0 -Exactly
    }
}

Describe 'Initialize-KubernetesFolder' {
    It 'makes all folders, and those with keys for administrators only' {
        Mock New-Item { return }
        Mock Protect-Folder { return }
        Initialize-KubernetesFolder
        Should -Invoke Protect-Folder -Times 2 -Exactly -ParameterFilter {
            $Path -in 'C:\etc\kubernetes', 'C:\var\lib\kubelet\pki'
        }
        foreach ($folder in 'C:\k', 'C:\var\log\kubelet', 'C:\etc\kubernetes\pki', 'C:\etc\kubernetes\manifests') {
            Should -Invoke New-Item -Times 1 -Exactly -ParameterFilter { $Path -eq $folder }
        }
    }
}

# These classes are the .NET Framework's, hence Windows PowerShell's alone.
Describe 'files for administrators only' -Skip:(-not $OnDesktop) {
    It 'Protect-Folder lets SYSTEM and Administrators in and nobody else, twice in a row too' {
        $path = Join-Path $TestDrive 'keys'
        Protect-Folder -Path $path
        Protect-Folder -Path $path
        $acl = [IO.Directory]::GetAccessControl($path)
        $acl.AreAccessRulesProtected | Should -BeTrue
        $rules = $acl.GetAccessRules($true, $true, [Security.Principal.SecurityIdentifier])
        @($rules | ForEach-Object { $_.IdentityReference.Value } | Sort-Object) |
            Should -Be ($ProtectedIdentities | Sort-Object)
    }

    It 'Write-ProtectedFile writes a file of the same kind, over an earlier one too' {
        $path = Join-Path $TestDrive 'join.json'
        Write-ProtectedFile -Path $path -Text 'old'
        Write-ProtectedFile -Path $path -Text 'new'
        [IO.File]::ReadAllText($path) | Should -BeExactly 'new'
        $acl = [IO.File]::GetAccessControl($path)
        $acl.AreAccessRulesProtected | Should -BeTrue
        @($acl.GetAccessRules($true, $true, [Security.Principal.SecurityIdentifier])).Count | Should -Be 2
    }
}
