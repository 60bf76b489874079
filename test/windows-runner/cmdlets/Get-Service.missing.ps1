. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Show-Result -Command { Get-Service -Name 'no-such-service' }
