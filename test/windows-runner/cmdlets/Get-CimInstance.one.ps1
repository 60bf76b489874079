. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Show-Result -Property 'Name', 'StartMode', 'State' -Command { Get-CimInstance -ClassName Win32_Service -Filter "Name='sshd'" }
