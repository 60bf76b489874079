. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Add-DnsClientNrptRule -Namespace '.' -NameServers '192.0.2.1', '192.0.2.2' -Comment 'recording' -ErrorAction Stop
Show-Result -Property 'Namespace', 'NameServers', 'Comment' -Command { Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' } }

foreach ($rule in @(Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' })) {
    Remove-DnsClientNrptRule -Name $rule.Name -Force
}
