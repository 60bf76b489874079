# How the machine resolves names: the hosts file, and which DNS servers it asks.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$HostsPath = "$env:SystemRoot\System32\drivers\etc\hosts"
# Lines in it that end with this are ours; everybody else's stay as they are.
$HostsMark = '# kindows'

# Returns the lines of others, then the wanted ones: tables with Address and Name.
function Merge-HostsLine {
    param([string[]] $Line, [System.Collections.IDictionary[]] $Wanted)
    $foreign = @($Line | Where-Object { -not $_.TrimEnd().EndsWith($HostsMark) })
    foreach ($entry in $Wanted) {
        foreach ($other in $foreign) {
            $words = @(($other -replace '#.*$', '').Trim() -split '\s+')
            # Windows takes the first line that names a host: a foreign one with another address would win.
            $names = @($words | Select-Object -Skip 1)
            if ($names -contains $entry.Name -and $words[0] -ne $entry.Address) {
                Stop-Step -Code 'ForeignHostsEntry' `
                    -Message "The hosts file says '$($other.Trim())', but $($entry.Name) must be $($entry.Address)." `
                    -Remedy 'Remove that line from C:\Windows\System32\drivers\etc\hosts on the machine.'
            }
        }
    }
    $foreign
    foreach ($entry in $Wanted) { "$($entry.Address) $($entry.Name) $HostsMark" }
}

function Invoke-HostsFile {
    param([scriptblock] $Body)
    $lastError = ''
    for ($try = 1; $try -le 10; $try++) {
        try {
            return (& $Body)
        }
        catch [System.IO.IOException] {
            $lastError = $_.Exception.Message
            Start-Sleep -Seconds 1
        }
    }
    Stop-Step -Code 'HostsFileBusy' -Message "$HostsPath could not be had in 10 s: $lastError" `
        -Remedy 'Find what holds the file (a virus scanner, an editor), then run again.'
}

function Get-HostsLine {
    if (Test-Path -LiteralPath $HostsPath) {
        Invoke-HostsFile -Body { [IO.File]::ReadAllLines($HostsPath, [Text.Encoding]::Default) }
    }
}

function Save-HostsFile {
    param([string[]] $Line)
    $text = (@($Line) + '') -join "`r`n"
    $bytes = [Text.Encoding]::Default.GetBytes($text)
    Invoke-HostsFile -Body { Write-WholeFile -Path $HostsPath -Bytes $bytes }
    Clear-DnsClientCache -ErrorAction Continue
}

function Remove-HostsLine {
    $before = @(Get-HostsLine)
    $after = @(Merge-HostsLine -Line $before -Wanted @())
    if ($after.Count -lt $before.Count) {
        Save-HostsFile -Line $after
        "$($before.Count - $after.Count) hosts entries"
    }
}

# The DNS servers are one rule of our own in Windows' Name Resolution Policy Table, for all names. Unlike an adapter's
# servers it stays when HNS makes its switch out of that adapter, and when DHCP gives it others.
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
    if ($rules.Count -eq 1 -and (@($rules[0].NameServers) -join ',') -ceq ($Server -join ',')) { return $false }
    foreach ($rule in $rules) { Remove-DnsClientNrptRule -Name $rule.Name -Force -ErrorAction Stop }
    if ($Server.Count -gt 0) {
        Add-DnsClientNrptRule -Namespace '.' -NameServers $Server -Comment $DnsRuleMark -ErrorAction Stop
    }
    Clear-DnsClientCache -ErrorAction Continue
    $true
}
