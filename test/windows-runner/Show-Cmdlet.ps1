<#
.SYNOPSIS
Writes what one of Windows' cmdlets gives in a case, in one line of JSON: how many values, each as a text, and the id of the
error it ends with.

.PARAMETER Case
One of those below, `<cmdlet>.<case>`.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [string] $Case
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$key = 'HKLM:\SOFTWARE\Recording'
$null = New-Item -Path $key -Force

# Results are recorded as text, so each cmdlet outputs only what is the same on every machine.
$cases = @{
    'Add-DnsClientNrptRule.returns' = {
        Add-DnsClientNrptRule -Namespace '.' -NameServers '192.0.2.1' -Comment 'recording' -ErrorAction Stop
    }
    'Clear-DnsClientCache.returns'  = { Clear-DnsClientCache }
    'Get-CimInstance.none'          = { Get-CimInstance -ClassName Win32_Service -Filter "Name='no-such-service'" }
    'Get-CimInstance.one'           = {
        Get-CimInstance -ClassName Win32_Service -Filter "Name='sshd'" | ForEach-Object { "$($_.Name) $($_.StartMode) $($_.State)" }
    }
    'Get-DnsClientNrptRule.none'    = { Get-DnsClientNrptRule -ErrorAction Stop }
    'Get-DnsClientNrptRule.one'     = {
        $null = Add-DnsClientNrptRule -Namespace '.' -NameServers '192.0.2.1', '192.0.2.2' -Comment 'recording' -ErrorAction Stop
        Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' } | ForEach-Object { "$($_.Namespace) $($_.NameServers) $($_.Comment)" }
    }
    'Get-ItemProperty.missing'      = { Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\NoSuchKey' }
    'Get-Service.missing-silent'    = { Get-Service -Name 'no-such-service' -ErrorAction SilentlyContinue }
    'Get-Service.missing'           = { Get-Service -Name 'no-such-service' }
    'Get-Service.one'               = { Get-Service -Name 'sshd' | ForEach-Object { "$($_.Name) $($_.Status) $($_.StartType)" } }
    'Get-ItemProperty.empty-key'    = { Get-ItemProperty -LiteralPath $key }
    'New-ItemProperty.there'        = {
        $null = New-ItemProperty -LiteralPath $key -Name 'A' -PropertyType MultiString -Value @('x', 'y') -Force
        New-ItemProperty -LiteralPath $key -Name 'A' -PropertyType MultiString -Value @('z')
    }
    'Remove-ItemProperty.missing'   = { Remove-ItemProperty -LiteralPath $key -Name 'None' }
    'Set-ItemProperty.kind'         = {
        Set-ItemProperty -LiteralPath $key -Name 'N' -Value 1
        Set-ItemProperty -LiteralPath $key -Name 'T' -Value 'x'
        Get-ItemProperty -LiteralPath $key | ForEach-Object { "$($_.N) $($_.T)" }
    }
}

$result = [ordered]@{ count = 0; values = @(); error = $null }
try {
    $values = @(& $cases[$Case])
    $result.count = $values.Count
    $result.values = @($values | ForEach-Object { "$_" })
}
catch {
    $result.error = $_.FullyQualifiedErrorId
}
[Console]::Out.WriteLine((ConvertTo-Json -InputObject $result -Depth 4 -Compress))
foreach ($rule in @(Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' })) {
    Remove-DnsClientNrptRule -Name $rule.Name -Force
}
Remove-Item -LiteralPath $key -Recurse -Force
