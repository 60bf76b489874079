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

<#
.SYNOPSIS
Runs a command and writes what it gave as one line of JSON.

.PARAMETER Command
The command. What it gives is written as text, so it gives what is the same on every machine.
#>
function Show-Result {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [scriptblock] $Command
    )

    $result = [ordered]@{ count = 0; values = @(); error = $null }
    try {
        $values = @(& $Command)
        $result.count = $values.Count
        $result.values = @($values | ForEach-Object { "$_" })
    }
    catch {
        $result.error = $_.FullyQualifiedErrorId
    }
    [Console]::Out.WriteLine((ConvertTo-Json -InputObject $result -Depth 4 -Compress))
}

$key = 'HKLM:\SOFTWARE\Recording'
$null = New-Item -Path $key -Force
if ($Case -ceq 'Add-DnsClientNrptRule.returns') {
    Show-Result -Command { Add-DnsClientNrptRule -Namespace '.' -NameServers '192.0.2.1' -Comment 'recording' -ErrorAction Stop }
    foreach ($rule in @(Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' })) {
        Remove-DnsClientNrptRule -Name $rule.Name -Force
    }
}
elseif ($Case -ceq 'Clear-DnsClientCache.returns') {
    Show-Result -Command { Clear-DnsClientCache }
}
elseif ($Case -ceq 'Get-CimInstance.none') {
    Show-Result -Command { Get-CimInstance -ClassName Win32_Service -Filter "Name='no-such-service'" }
}
elseif ($Case -ceq 'Get-CimInstance.one') {
    Show-Result -Command {
        Get-CimInstance -ClassName Win32_Service -Filter "Name='sshd'" | ForEach-Object { "$($_.Name) $($_.StartMode) $($_.State)" }
    }
}
elseif ($Case -ceq 'Get-DnsClientNrptRule.none') {
    Show-Result -Command { Get-DnsClientNrptRule -ErrorAction Stop }
}
elseif ($Case -ceq 'Get-DnsClientNrptRule.one') {
    Add-DnsClientNrptRule -Namespace '.' -NameServers '192.0.2.1', '192.0.2.2' -Comment 'recording' -ErrorAction Stop
    Show-Result -Command {
        Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' } | ForEach-Object { "$($_.Namespace) $($_.NameServers) $($_.Comment)" }
    }
    foreach ($rule in @(Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' })) {
        Remove-DnsClientNrptRule -Name $rule.Name -Force
    }
}
elseif ($Case -ceq 'Get-ItemProperty.missing') {
    Show-Result -Command { Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\NoSuchKey' }
}
elseif ($Case -ceq 'Get-Service.missing-silent') {
    Show-Result -Command { Get-Service -Name 'no-such-service' -ErrorAction SilentlyContinue }
}
elseif ($Case -ceq 'Get-Service.missing') {
    Show-Result -Command { Get-Service -Name 'no-such-service' }
}
elseif ($Case -ceq 'Get-Service.one') {
    Show-Result -Command {
        Get-Service -Name 'sshd' | ForEach-Object { "$($_.Name) $($_.Status) $($_.StartType)" }
    }
}
elseif ($Case -ceq 'Get-ItemProperty.empty-key') {
    Show-Result -Command { Get-ItemProperty -LiteralPath $key }
}
elseif ($Case -ceq 'New-ItemProperty.there') {
    $null = New-ItemProperty -LiteralPath $key -Name 'A' -PropertyType MultiString -Value @('x', 'y') -Force
    Show-Result -Command { New-ItemProperty -LiteralPath $key -Name 'A' -PropertyType MultiString -Value @('z') }
}
elseif ($Case -ceq 'Remove-ItemProperty.missing') {
    Show-Result -Command { Remove-ItemProperty -LiteralPath $key -Name 'None' }
}
elseif ($Case -ceq 'Set-ItemProperty.kind') {
    Set-ItemProperty -LiteralPath $key -Name 'N' -Value 1
    Set-ItemProperty -LiteralPath $key -Name 'T' -Value 'x'
    Show-Result -Command {
        Get-ItemProperty -LiteralPath $key | ForEach-Object { "$($_.N) $($_.T)" }
    }
}
Remove-Item -LiteralPath $key -Recurse -Force
