. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Show-Result -Command { Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\NoSuchKey' }
