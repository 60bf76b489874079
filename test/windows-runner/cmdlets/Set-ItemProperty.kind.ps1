. (Join-Path $PSScriptRoot 'Show-Result.ps1')

$key = 'HKLM:\SOFTWARE\Recording'
$null = New-Item -Path $key -Force
Set-ItemProperty -LiteralPath $key -Name 'N' -Value 1
Set-ItemProperty -LiteralPath $key -Name 'T' -Value 'x'
Show-Result -Property 'N', 'T' -Command { Get-ItemProperty -LiteralPath $key }

Remove-Item -LiteralPath $key -Recurse -Force
