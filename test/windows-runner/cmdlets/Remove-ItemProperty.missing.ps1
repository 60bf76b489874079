. (Join-Path $PSScriptRoot 'Show-Result.ps1')

$key = 'HKLM:\SOFTWARE\Recording'
$null = New-Item -Path $key -Force
Show-Result -Command { Remove-ItemProperty -LiteralPath $key -Name 'None' }

Remove-Item -LiteralPath $key -Recurse -Force
