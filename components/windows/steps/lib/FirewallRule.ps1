# What the firewall lets in.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# In every profile: an unknown network counts as public. Returns whether the rule was missing.
function Add-FirewallRule {
    param([string] $Name, [string] $DisplayName, [string] $Protocol, [int] $Port)
    if ($null -ne (Get-NetFirewallRule -Name $Name -ErrorAction SilentlyContinue)) {
        return $false
    }
    $null = New-NetFirewallRule -Name $Name -DisplayName $DisplayName -Enabled True -Direction Inbound `
        -Protocol $Protocol -LocalPort $Port -Profile Any -Action Allow -ErrorAction Stop
    $true
}
