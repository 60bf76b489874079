. (Join-Path $PSScriptRoot 'Show-Result.ps1')

$key = 'HKLM:\SOFTWARE\Recording'
$null = New-Item -Path $key -Force
$null = New-ItemProperty -LiteralPath $key -Name 'A' -PropertyType MultiString -Value @('x', 'y') -Force
Show-Result -Command { New-ItemProperty -LiteralPath $key -Name 'A' -PropertyType MultiString -Value @('z') }

Remove-Item -LiteralPath $key -Recurse -Force
