# Tasks of Windows' Task Scheduler, which outlive the session that starts them.

. (Join-Path $PSScriptRoot 'PowerShellCall.ps1')

# Windows' defaults are for work that can wait: a low priority of processor, disk and memory, an end after three days,
# and none of it on a battery, which a virtual machine may claim to have.
function New-TaskSetting {
    New-ScheduledTaskSettingsSet -Priority 4 -ExecutionTimeLimit '00:00:00' -AllowStartIfOnBatteries `
        -DontStopIfGoingOnBatteries -ErrorAction Stop
}

# $Line is a line of PowerShell without double quotes. The task runs outside this session, and continues when the
# session is cut: as $Account, which has a Name and, unless it is SYSTEM, a Password, which only the Task Scheduler gets
# to see. The disk is flushed first, so that the session has little left to do when the task cuts it.
function Start-DetachedTask {
    param([string] $Name, [string] $Line, [hashtable] $Account = @{ Name = 'SYSTEM' })
    Write-DriveCache
    $action = New-ScheduledTaskAction -Execute $PowerShellPath -ErrorAction Stop `
        -Argument (Join-CallArgument -Argument (Get-LineCall -Line $Line))
    $login = @{ User = $Account.Name; RunLevel = 'Highest' }
    if ($Account.ContainsKey('Password')) { $login.Password = $Account.Password }
    $null = Register-ScheduledTask -TaskName $Name -Action $action -Settings (New-TaskSetting) @login -Force `
        -ErrorAction Stop
    Start-ScheduledTask -TaskName $Name -ErrorAction Stop
}
