# Tasks that outlive the session that starts them.

# The task runs as SYSTEM, outside this session, and continues when the session is cut. $Command is one line without
# double quotes.
function Start-SystemTask {
    param([string] $Name, [string] $Command)
    $action = New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" `
        -Argument "-NoProfile -NonInteractive -ExecutionPolicy Bypass -Command `"$Command`"" -ErrorAction Stop
    $principal = New-ScheduledTaskPrincipal -UserId 'SYSTEM' -LogonType ServiceAccount -RunLevel Highest `
        -ErrorAction Stop
    $null = Register-ScheduledTask -TaskName $Name -Action $action -Principal $principal -Force -ErrorAction Stop
    Start-ScheduledTask -TaskName $Name -ErrorAction Stop
}
