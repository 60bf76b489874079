. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Show-Result -Command { Clear-DnsClientCache }
