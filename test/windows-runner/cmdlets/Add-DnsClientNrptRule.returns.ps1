. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Show-Result -Command { Add-DnsClientNrptRule -Namespace '.' -NameServers '192.0.2.1' -Comment 'recording' -ErrorAction Stop }

foreach ($rule in @(Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' })) {
    Remove-DnsClientNrptRule -Name $rule.Name -Force
}
