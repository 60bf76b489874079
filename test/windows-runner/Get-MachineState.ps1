<#
.SYNOPSIS
Lists what a node's preparation changes on a machine, one line per thing: before the steps and after a reset it must be
the same.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

foreach ($name in 'containerd', 'kubelet', 'flanneld') {
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$name'"
    if ($null -ne $service) {
        "service $name ($($service.StartMode)): $($service.PathName)"
    }
}
foreach ($path in 'C:\k', 'C:\etc', 'C:\opt', 'C:\run', 'C:\var', "$env:ProgramFiles\containerd",
    "$env:ProgramData\containerd", 'C:\kindows\state') {
    if (Test-Path -LiteralPath $path) {
        "folder $path"
        Get-ChildItem -LiteralPath $path -Recurse -Force -Directory | ForEach-Object { "folder $($_.FullName)" }
    }
}
foreach ($rule in Get-NetFirewallRule | Where-Object { $_.Name -in 'kubelet', 'OverlayTraffic4789UDP' }) {
    "firewall rule $($rule.Name)"
}
foreach ($name in [Environment]::GetEnvironmentVariables('Machine').Keys | Sort-Object) {
    "variable $name=$([Environment]::GetEnvironmentVariable($name, 'Machine').TrimEnd(';'))"
}
foreach ($line in Get-Content -LiteralPath "$env:SystemRoot\System32\drivers\etc\hosts") {
    "hosts $line"
}
foreach ($rule in Get-DnsClientNrptRule) {
    "DNS rule for $($rule.Namespace): $($rule.NameServers -join ', ')"
}
foreach ($store in 'ActiveStore', 'PersistentStore') {
    Get-NetRoute -PolicyStore $store |
        Where-Object { $_.DestinationPrefix -eq '198.51.100.0/24' } |
        ForEach-Object { "route to $($_.DestinationPrefix) by way of $($_.NextHop) ($store)" }
}
# A disabled Defender returns nothing and accepts no exclusions.
$preference = Get-MpPreference -ErrorAction SilentlyContinue
if ($null -ne $preference) {
    $exclusions = @($preference.ExclusionPath) + @($preference.ExclusionProcess)
    foreach ($path in $exclusions | Where-Object { $_ } | Sort-Object) {
        "Defender's exclusion $path"
    }
}
if (Test-Path -LiteralPath 'HKLM:\Software\Tigera') {
    'registry key HKLM:\Software\Tigera'
}
foreach ($task in Get-ScheduledTask | Where-Object { $_.TaskName -like 'kindows*' }) {
    "task $($task.TaskName)"
}
foreach ($certificate in Get-ChildItem -LiteralPath 'Cert:\LocalMachine\Root' | Sort-Object -Property Thumbprint) {
    "trusted certificate $($certificate.Thumbprint)"
}
$updates = 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\WindowsUpdate\AU'
if (Test-Path -LiteralPath $updates) {
    foreach ($name in (Get-Item -LiteralPath $updates).Property | Sort-Object) {
        "policy on updates $name=$((Get-ItemProperty -LiteralPath $updates).$name)"
    }
}
if ($null -ne (Get-Command -Name Get-HnsNetwork -ErrorAction SilentlyContinue)) {
    foreach ($network in Get-HnsNetwork | Sort-Object -Property Name) {
        "network $($network.Name) ($($network.Type))"
    }
}
foreach ($process in Get-Process | Where-Object { $_.ProcessName -match '^(containerd|kubelet|kube-log-runner)' }) {
    "process $($process.ProcessName)"
}
