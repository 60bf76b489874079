. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Show-Result -Command {
    Get-Service -Name 'sshd' | ForEach-Object { "$($_.Name) $($_.Status) $($_.StartType)" }
}
