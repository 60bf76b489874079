. (Join-Path $PSScriptRoot 'Show-Result.ps1')

$key = 'HKLM:\SOFTWARE\Recording'
$null = New-Item -Path $key -Force
Set-ItemProperty -LiteralPath $key -Name 'N' -Value 1
Set-ItemProperty -LiteralPath $key -Name 'T' -Value 'x'
Show-Result -Command {
    Get-ItemProperty -LiteralPath $key | ForEach-Object { "$($_.N) $($_.T)" }
}

Remove-Item -LiteralPath $key -Recurse -Force
