. (Join-Path $PSScriptRoot 'Show-Result.ps1')

Show-Result -Property 'Name', 'Status', 'StartType' -Command { Get-Service -Name 'sshd' }
