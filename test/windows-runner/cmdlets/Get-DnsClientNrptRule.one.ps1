. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Add-DnsClientNrptRule -Namespace '.' -NameServers '192.0.2.1', '192.0.2.2' -Comment 'recording' -ErrorAction Stop
Show-Result -Command {
    Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' } | ForEach-Object { "$($_.Namespace) $($_.NameServers) $($_.Comment)" }
}

foreach ($rule in @(Get-DnsClientNrptRule | Where-Object { $_.Comment -ceq 'recording' })) {
    Remove-DnsClientNrptRule -Name $rule.Name -Force
}
