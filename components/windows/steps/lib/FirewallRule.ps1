# Inbound firewall rules.

# For all profiles, because an unknown network counts as public. Returns whether the rule was missing.
function Add-FirewallRule {
    param([string] $Name, [string] $DisplayName, [string] $Protocol, [int] $Port)
    if ($null -ne (Get-NetFirewallRule -Name $Name -ErrorAction SilentlyContinue)) { return $false }
    $null = New-NetFirewallRule -Name $Name -DisplayName $DisplayName -Enabled True -Direction Inbound `
        -Protocol $Protocol -LocalPort $Port -Profile Any -Action Allow -ErrorAction Stop
    $true
}

function Remove-FirewallRule {
    param([string[]] $Name)
    foreach ($each in $Name) {
        if ($null -ne (Get-NetFirewallRule -Name $each -ErrorAction SilentlyContinue)) {
            Remove-NetFirewallRule -Name $each -ErrorAction Stop
            "firewall rule $each"
        }
    }
}
