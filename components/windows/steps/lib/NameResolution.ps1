# The hosts file and the DNS servers of the machine.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$HostsPath = "$env:SystemRoot\System32\drivers\etc\hosts"
# Lines that end with this are kindows'. All others stay as they are.
$HostsMark = '# kindows'

# Returns the lines of others, then a line for each of $Wanted, which have Address and Name.
function Merge-HostsLine {
    param([string[]] $Line, [System.Collections.IDictionary[]] $Wanted)
    $foreign = @($Line | Where-Object { -not $_.TrimEnd().EndsWith($HostsMark) })
    foreach ($entry in $Wanted) {
        foreach ($other in $foreign) {
            $words = @(($other -replace '#.*$', '').Trim() -split '\s+')
            # Windows uses the first line with a name, so a line with another address would win.
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

# The DNS servers are one rule for all names in Windows' Name Resolution Policy Table. Unlike an adapter's servers, a
# rule persists when HNS puts a switch on the adapter, and when DHCP assigns other servers.
$DnsRuleMark = 'kindows'
# If a domain's policy has rules here, Windows ignores all rules of the machine.
$DnsPolicyKey = 'HKLM:\SOFTWARE\Policies\Microsoft\Windows NT\DNSClient\DnsPolicyConfig'

function Get-DnsRule {
    Get-DnsClientNrptRule -ErrorAction Stop | Where-Object { [string]$_.Comment -ceq $DnsRuleMark }
}

# Somebody else's rule would take precedence over kindows' rule, or disable it.
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

# The servers are queried in this order. Without any, the adapters' servers apply again. Returns whether anything
# changed.
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
