# The scripts of the hosted Windows runners, with stand-ins for what only Windows has.

BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
}

BeforeAll {
    $script:runner = [IO.Path]::GetFullPath("$PSScriptRoot/../windows-runner")
    $script:project = [IO.Path]::GetFullPath("$PSScriptRoot/../..")
}

Describe 'Disable-Shutdown' {
    BeforeEach {
        $disc = Join-Path $TestDrive ([Guid]::NewGuid())
        $null = New-Item -Path $disc -ItemType Directory
        Copy-Item -LiteralPath "$project/components/windows/steps/lib" -Destination $disc -Recurse
        Copy-Item -Path "$project/images/windows/scripts/lib/*" -Destination "$disc/lib"
        $record = Join-Path $TestDrive 'sealing.json'
    }

    It 'leaves no reboot in the scripts' {
        & "$runner/Disable-Shutdown.ps1" -Disc $disc -Record $record
        . "$disc/lib/PendingReboot.ps1"
        @(Get-PendingRebootReason).Count | Should -Be 0
        { Start-Reboot -DelaySeconds 5 -Comment 'x' } | Should -Throw 'a reboot would end this job'
    }

    It 'has the task record as whom it runs, whatever it is called with' -Skip:(-not $OnWindows) {
        & "$runner/Disable-Shutdown.ps1" -Disc $disc -Record $record
        $file = "$disc/lib/Sealing.ps1"
        . "$disc/lib/Step.ps1"
        . $file
        Invoke-Sysprep -DelaySeconds 5 -User 'Administrator'
        (Get-Content -LiteralPath $record -Raw | ConvertFrom-Json).sid | Should -BeLike 'S-1-*'
    }

    It 'refuses scripts in which it does not find what it replaces' {
        $text = [IO.File]::ReadAllText("$disc/lib/Sealing.ps1") -replace 'function Invoke-Sysprep', 'function Other'
        [IO.File]::WriteAllText("$disc/lib/Sealing.ps1", $text)
        { & "$runner/Disable-Shutdown.ps1" -Disc $disc -Record $record } |
            Should -Throw '*Sealing.ps1 has no function Invoke-Sysprep: *'
    }
}

Describe 'Show-Sealing' {
    It 'fails for <name>: <fails>' -ForEach @(
        @{ name = 'an administrator'; sid = 'S-1-5-21-1-2-3-500'; fails = $false }
        @{ name = 'SYSTEM'; sid = 'S-1-5-18'; fails = $true }
    ) {
        $record = Join-Path $TestDrive 'sealing.json'
        $found = @{ account = 'x'; sid = $sid; session = 0; priority = 'Normal' }
        [IO.File]::WriteAllText($record, (ConvertTo-Json -InputObject $found))
        $run = { & "$runner/Show-Sealing.ps1" -Record $record }
        if ($fails) { $run | Should -Throw 'sysprep would run as SYSTEM*' } else { $run | Should -Not -Throw }
    }

    It 'does not wait without end' {
        { & "$runner/Show-Sealing.ps1" -Record (Join-Path $TestDrive 'none.json') -TimeoutSeconds 1 } |
            Should -Throw '*has not run within 1 s'
    }
}

Describe 'Show-Finding' {
    BeforeAll {
        # Functions go before cmdlets, so nothing here touches a machine that has them.
        $script:asked = New-Object -TypeName 'Collections.Generic.List[string]'
        function Get-ItemProperty {
            [pscustomobject]@{ ProductName = 'Windows Server'; CurrentBuildNumber = 1; UBR = 2; InstallationType = 'Server' }
        }
        $facts = Join-Path $TestDrive 'facts.json'
        [IO.File]::WriteAllText($facts, '{ "sshdBefore": "none" }')
        function Get-CimInstance {
            [pscustomobject]@{ PathName = '"C:\OpenSSH\sshd.exe"'; StartMode = 'Auto'; State = 'Running' }
        }
        function Split-Path { 'C:\OpenSSH' }
        function Get-Acl { [pscustomobject]@{ Access = @() } }
        function Stop-Service { $asked.Add('stop') }
        function Set-Service { param($Name, $StartupType) $null = $Name; $asked.Add("set $StartupType") }
        function Start-Service { $asked.Add('start') }
        function Get-WindowsFeature { throw 'WinRM is needed' }
        function Get-WindowsOptionalFeature { [pscustomobject]@{ State = 'Enabled' } }
        function Install-WindowsFeature { [pscustomobject]@{ ExitCode = 'NoChangeNeeded' } }
        function Get-AppxProvisionedPackage { [pscustomobject]@{ DisplayName = 'A' } }
        function Get-AppxPackage {
            [pscustomobject]@{ Name = 'A'; NonRemovable = $false }
            [pscustomobject]@{ Name = 'B'; NonRemovable = $false }
            [pscustomobject]@{ Name = 'C'; NonRemovable = $true }
        }
        function Test-Path { $true }
        $writer = New-Object -TypeName IO.StringWriter
        $out = [Console]::Out
        [Console]::SetOut($writer)
        try { & "$runner/Show-Finding.ps1" -Facts $facts } finally { [Console]::SetOut($out) }
        $script:answers = $writer.ToString()
    }

    It 'answers: <_>' -ForEach @(
        'Windows: Windows Server 1.2, Server; PowerShell *'
        'Which sshd is there*: before: none; now: "C:\OpenSSH\sshd.exe", Auto, Running (*'
        'Does sshd accept logins*: this ran over SSH; Users have in C:\OpenSSH: nothing (*'
        'What do progress bars do over SSH: $global:ProgressPreference Continue: *'
        'What do progress bars do over SSH: $global:ProgressPreference SilentlyContinue: *'
        'Without WinRM, Get-WindowsFeature: fails: WinRM is needed (*'
        'Without WinRM, Get-WindowsOptionalFeature: Containers is Enabled (*'
        'Without WinRM, Install-WindowsFeature: NoChangeNeeded (*'
        'Firmware of this runner: UEFI (*'
        'Packages of this account*: 1: B (*'
    ) {
        $wanted = $_
        @($answers -split "`r?`n" | Where-Object { $_ -like $wanted }).Count | Should -Be 1 -Because $answers
    }

    It 'gives WinRM back what it had' {
        $asked -join ', ' | Should -Be 'stop, set Disabled, set Automatic, start'
    }
}

Describe 'Initialize-Runner' {
    It 'records what the steps need, before it prepares anything' -Skip:$OnWindows {
        function Get-NetRoute { [pscustomobject]@{ RouteMetric = 0; InterfaceMetric = 1; InterfaceIndex = 3; NextHop = '10.1.0.1' } }
        function Get-NetIPAddress { [pscustomobject]@{ IPAddress = '10.1.0.4' } }
        function Get-Service { }
        function New-Item { throw 'and no further' }
        { & "$runner/Initialize-Runner.ps1" -Packed $TestDrive } | Should -Throw 'and no further'
        $facts = [IO.File]::ReadAllText((Join-Path $TestDrive 'facts.json')) | ConvertFrom-Json
        $facts.address, $facts.gateway, $facts.sshdBefore | Should -Be '10.1.0.4', '10.1.0.1', 'none'
        $facts.computer | Should -Be ([Net.Dns]::GetHostName())
    }
}

Describe 'Get-MachineState' {
    It 'lists everything that a node leaves on a machine, and nothing else' {
        function Get-CimInstance {
            param($ClassName, $Filter)
            if ("$ClassName $Filter" -eq "Win32_Service Name='kubelet'") {
                [pscustomobject]@{ StartMode = 'Auto'; PathName = 'C:\k\kubelet.exe' }
            }
        }
        function Test-Path { param($LiteralPath) $LiteralPath -in 'C:\k', 'HKLM:\Software\Tigera' }
        function Get-ChildItem {
            if ("$args" -like '*Cert:*') { [pscustomobject]@{ Thumbprint = 'AB12' } }
            else { [pscustomobject]@{ FullName = 'C:\k\cni' } }
        }
        function Get-NetFirewallRule { foreach ($name in 'kubelet', 'other') { [pscustomobject]@{ Name = $name } } }
        function Get-Content { '127.0.0.1 localhost' }
        function Get-DnsClientNrptRule { [pscustomobject]@{ Namespace = '.'; NameServers = @('192.0.2.1', '192.0.2.2') } }
        function Get-NetRoute {
            param($PolicyStore)
            if ($PolicyStore -eq 'ActiveStore') {
                foreach ($prefix in '198.51.100.0/24', '0.0.0.0/0') {
                    [pscustomobject]@{ DestinationPrefix = $prefix; NextHop = '192.0.2.9' }
                }
            }
        }
        function Get-MpPreference { [pscustomobject]@{ ExclusionPath = 'C:\k'; ExclusionProcess = $null } }
        function Get-ScheduledTask { foreach ($name in 'kindows-seal', 'other') { [pscustomobject]@{ TaskName = $name } } }
        function Get-Process { foreach ($name in 'kubelet', 'pwsh') { [pscustomobject]@{ ProcessName = $name } } }
        function Get-HnsNetwork { [pscustomobject]@{ Name = 'Calico'; Type = 'L2Bridge' } }
        $lines = @(& "$runner/Get-MachineState.ps1" | Where-Object { $_ -notlike 'variable *' })
        $lines | Should -Be @(
            'service kubelet (Auto): C:\k\kubelet.exe'
            'folder C:\k'
            'folder C:\k\cni'
            'firewall rule kubelet'
            'hosts 127.0.0.1 localhost'
            'DNS rule for .: 192.0.2.1, 192.0.2.2'
            'route to 198.51.100.0/24 by way of 192.0.2.9 (ActiveStore)'
            "Defender's exclusion C:\k"
            'registry key HKLM:\Software\Tigera'
            'task kindows-seal'
            'trusted certificate AB12'
            'network Calico (L2Bridge)'
            'process kubelet'
        )
    }
}
