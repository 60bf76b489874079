. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Show-Result -Command { Get-DnsClientNrptRule -ErrorAction Stop }
