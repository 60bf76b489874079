<#
.SYNOPSIS
Prints what only a Windows Server shows about questions that reading leaves open, one line each. Run over SSH, without a
terminal, as the steps are.

.PARAMETER Facts
What Initialize-Runner.ps1 has recorded.
#>
[CmdletBinding()]
param(
    [string] $Facts = 'C:\kindows\runner\facts.json'
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

function Write-Answer {
    param([string] $Question, [scriptblock] $Answer)
    $clock = [Diagnostics.Stopwatch]::StartNew()
    try {
        $text = @(& $Answer) -join '; '
    }
    catch {
        $text = "fails: $($_.Exception.Message) ($($_.FullyQualifiedErrorId))"
    }
    $seconds = $clock.Elapsed.TotalSeconds.ToString('0.0', [Globalization.CultureInfo]::InvariantCulture)
    [Console]::Out.WriteLine("$($Question): $(($text -replace '\s+', ' ').Trim()) ($seconds s)")
}

$version = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
Write-Answer 'Windows' {
    "$($version.ProductName) $($version.CurrentBuildNumber).$($version.UBR), $($version.InstallationType)"
    "PowerShell $($PSVersionTable.PSVersion), language $($PSUICulture)"
}

Write-Answer 'Which sshd is there before the image is prepared, and which answers now?' {
    "before: $((ConvertFrom-Json -InputObject ([IO.File]::ReadAllText($Facts))).sshdBefore)"
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='sshd'"
    "now: $($service.PathName), $($service.StartMode), $($service.State)"
}

Write-Answer 'Does sshd accept logins although Users may read its folder?' {
    $program = (Get-CimInstance -ClassName Win32_Service -Filter "Name='sshd'").PathName.Trim('"')
    $folder = Split-Path -Path $program
    $rights = @((Get-Acl -LiteralPath $folder).Access | Where-Object {
            $_.IdentityReference.Translate([Security.Principal.SecurityIdentifier]).Value -eq 'S-1-5-32-545'
        } | ForEach-Object { "$($_.FileSystemRights)" })
    "this ran over SSH; Users have in $($folder): $(if ($rights.Count -eq 0) { 'nothing' } else { $rights -join ', ' })"
}

# Each in a process of its own, because a terminal is what is missing.
foreach ($preference in 'Continue', 'SilentlyContinue') {
    Write-Answer "What do progress bars do over SSH: `$global:ProgressPreference $preference" {
        $command = "`$global:ProgressPreference = '$preference'; `$ErrorActionPreference = 'Stop'; " +
        'Write-Progress -Activity a -Status b; $null = Get-NetFirewallRule; $null = Get-Partition; ' +
        'Write-VolumeCache -DriveLetter C; Write-Output done'
        # In 5.1, an error stream that is redirected becomes errors, which would end this.
        $ErrorActionPreference = 'Continue'
        $output = @(& "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" -NoProfile -NonInteractive `
                -Command $command 2>&1)
        "exit code $LASTEXITCODE, $((@($output | ForEach-Object { "$_" }) -join ' ' -replace '\s+', ' '))"
    }
}

# As on a machine from an image, where the service is disabled.
$winRm = Get-CimInstance -ClassName Win32_Service -Filter "Name='WinRM'"
Stop-Service -Name 'WinRM' -Force
Set-Service -Name 'WinRM' -StartupType Disabled
try {
    Write-Answer 'Without WinRM, Get-WindowsFeature' {
        "Containers is $((Get-WindowsFeature -Name 'Containers').InstallState)"
    }
    Write-Answer 'Without WinRM, Get-WindowsOptionalFeature' {
        "Containers is $((Get-WindowsOptionalFeature -Online -FeatureName 'Containers').State)"
    }
    # Already installed on a runner, so this only asks.
    Write-Answer 'Without WinRM, Install-WindowsFeature' {
        "$((Install-WindowsFeature -Name 'Containers').ExitCode)"
    }
}
finally {
    Set-Service -Name 'WinRM' -StartupType $(if ($winRm.StartMode -eq 'Auto') { 'Automatic' } else { $winRm.StartMode })
    if ($winRm.State -eq 'Running') { Start-Service -Name 'WinRM' }
}

Write-Answer 'Firmware of this runner' {
    if (Test-Path -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control\SecureBoot\State') { 'UEFI' } else { 'BIOS' }
}

Write-Answer 'Packages of this account that are not provisioned for all, at which sysprep stops' {
    if ($null -eq (Get-Command -Name 'Get-AppxPackage' -ErrorAction SilentlyContinue)) {
        return 'this Windows has no packages'
    }
    $provisioned = @(Get-AppxProvisionedPackage -Online | ForEach-Object { $_.DisplayName })
    $left = @(Get-AppxPackage | Where-Object { -not $_.NonRemovable -and $_.Name -notin $provisioned })
    "$($left.Count): $(($left | ForEach-Object { $_.Name }) -join ', ')"
}
