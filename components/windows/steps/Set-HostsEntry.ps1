<#
.SYNOPSIS
Writes the given names to the hosts file and sets DNS servers for all others. Names and servers of an earlier run are
removed.

.DESCRIPTION
This step's lines end with the comment "# kindows". All other lines stay as they are. The DNS servers are set with a
rule for all names in Windows' Name Resolution Policy Table, with the comment "kindows". The adapters keep their
servers, which apply again when the rule is removed. The hosts file takes precedence over both.

.PARAMETER Entry
The names, as address=name pairs separated by semicolons, e.g. 192.168.150.128=kindows-dev-control-plane. Empty: no
names. Default: none, mandatory. Source: ControlPlane.hostsEntries.

.PARAMETER DnsServers
IPv4 addresses of DNS servers, separated by commas, in the order they are queried. Empty: the adapters' servers.
Default: empty. Source: settings, windows.dnsServers.

.OUTPUTS
Facts of the result (lib/Step.ps1): entries, dnsServers.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 16 DiskFull; 22
ForeignHostsEntry; 23 HostsFileBusy; 27 ForeignDnsRule.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [AllowEmptyString()] [ValidatePattern('^([0-9]{1,3}(\.[0-9]{1,3}){3}=[-.0-9A-Za-z]+(;[0-9]{1,3}(\.[0-9]{1,3}){3}=[-.0-9A-Za-z]+)*)?$')]
    [string] $Entry,
    [ValidatePattern('^([0-9]{1,3}(\.[0-9]{1,3}){3}(,[0-9]{1,3}(\.[0-9]{1,3}){3})*)?$')]
    [string] $DnsServers = ''
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NameResolution.ps1')

Invoke-Step -Name 'Set-HostsEntry' -Body {
    $wanted = @(
        foreach ($pair in $Entry -split ';' | Where-Object { $_ -ne '' }) {
            $address, $name = $pair -split '=', 2
            @{ Address = $address; Name = $name }
        }
    )
    $before = @(Get-HostsLine)
    $after = @(Merge-HostsLine -Line $before -Wanted $wanted)

    $changed = ($before -join "`n") -ne ($after -join "`n")
    if ($changed) { Save-HostsFile -Line $after }
    $changed = (Set-DnsServer -Server @($DnsServers -split ',' | Where-Object { $_ -ne '' })) -or $changed
    New-StepResult -Changed $changed -Facts ([ordered]@{ entries = $Entry; dnsServers = $DnsServers })
}
