# Which DNS servers the machine asks: one rule of our own in Windows' Name Resolution Policy Table, for all names.
# Unlike an adapter's servers it stays when HNS makes its switch out of that adapter, and when DHCP gives it others.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$DnsRuleMark = 'kindows'
# Rules that the domain sets here make Windows pass over those of the machine, all of them.
$DnsPolicyKey = 'HKLM:\SOFTWARE\Policies\Microsoft\Windows NT\DNSClient\DnsPolicyConfig'

function Get-DnsRule {
    Get-DnsClientNrptRule -ErrorAction Stop | Where-Object { [string]$_.Comment -ceq $DnsRuleMark }
}

# A rule of somebody else's would win over ours, or hide it.
function Assert-DnsRuleFree {
    if (Test-Path -LiteralPath $DnsPolicyKey) {
        Stop-Step -Code 'ForeignDnsRule' `
            -Message 'A group policy sets rules about DNS on this machine, and Windows passes over all others.' `
            -Remedy 'Set the DNS servers in that policy (gpresult /h), and leave windows.dnsServers out.'
    }
    $foreign = @(Get-DnsClientNrptRule -ErrorAction Stop | Where-Object {
            [string]$_.Comment -cne $DnsRuleMark -and @($_.Namespace) -contains '.'
        })
    if ($foreign.Count -gt 0) {
        $servers = @($foreign[0].NameServers) -join ', '
        Stop-Step -Code 'ForeignDnsRule' `
            -Message "The machine has a rule for all names already, with the DNS servers $servers." `
            -Remedy 'Remove it (Get-DnsClientNrptRule, Remove-DnsClientNrptRule), or leave windows.dnsServers out.'
    }
}

# The servers are asked in this order; without any, what the adapters have counts again. Returns whether anything
# differed.
function Set-DnsServer {
    param([string[]] $Server)
    $rules = @(Get-DnsRule)
    if ($Server.Count -gt 0) {
        Assert-DnsRuleFree
    }
    elseif ($rules.Count -eq 0) {
        return $false
    }
    if ($rules.Count -eq 1 -and (@($rules[0].NameServers) -join ',') -ceq ($Server -join ',')) {
        return $false
    }
    foreach ($rule in $rules) {
        Remove-DnsClientNrptRule -Name $rule.Name -Force -ErrorAction Stop
    }
    if ($Server.Count -gt 0) {
        Add-DnsClientNrptRule -Namespace '.' -NameServers $Server -Comment $DnsRuleMark -ErrorAction Stop
    }
    Clear-DnsClientCache -ErrorAction Continue
    $true
}

function Remove-DnsServer {
    if (Set-DnsServer -Server @()) {
        'the DNS servers'
    }
}
