. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Show-Result -Command {
    Get-CimInstance -ClassName Win32_Service -Filter "Name='sshd'" | ForEach-Object { "$($_.Name) $($_.StartMode) $($_.State)" }
}
