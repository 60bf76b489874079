. (Join-Path $PSScriptRoot 'Show-Result.ps1')

$key = 'HKLM:\SOFTWARE\Recording'
$null = New-Item -Path $key -Force
Show-Result -Command { Get-ItemProperty -LiteralPath $key }

Remove-Item -LiteralPath $key -Recurse -Force
