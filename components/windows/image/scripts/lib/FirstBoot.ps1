# What a sealed image carries for the first boot of each machine made from it, and what that boot takes away again.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$FirstBootFolder = 'C:\kindows\image'
# Windows runs it as SYSTEM at the end of its setup, before anybody can log on.
$SetupCompletePath = 'C:\Windows\Setup\Scripts\SetupComplete.cmd'
$FirstBootLog = 'C:\kindows\state\identity.log'
# Runs the same once more, after the reboot that names the machine; and in the first boot, where Windows skipped that.
$FirstBootTaskName = 'kindows-first-boot'
# Not the same file: that one's being there says that Windows did not skip it.
$FirstBootTaskLog = 'C:\kindows\state\identity-task.log'
# Says that the machine was renamed, and reboots once.
$FirstBootMark = 'C:\kindows\state\first-boot'

# The script, the file by which Windows starts it, and a task for when it does not.
function Install-FirstBoot {
    param([string] $Source)
    Protect-Folder -Path $FirstBootFolder
    $null = New-Item -Path "$FirstBootFolder\lib" -ItemType Directory -Force
    Copy-Item -LiteralPath (Join-Path $Source 'Set-MachineIdentity.ps1') -Destination $FirstBootFolder -Force
    foreach ($file in Get-ChildItem -LiteralPath (Join-Path $Source 'lib') -Filter '*.ps1' -File) {
        Copy-Item -LiteralPath $file.FullName -Destination "$FirstBootFolder\lib" -Force
    }
    foreach ($path in $SetupCompletePath, $FirstBootLog) {
        $null = New-Item -Path (Split-Path -Path $path) -ItemType Directory -Force
    }
    $script = "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass " +
    "-File $FirstBootFolder\Set-MachineIdentity.ps1"
    Write-WholeText -Path $SetupCompletePath -Text "@$script >>$FirstBootLog 2>&1`r`n"
    $action = New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\cmd.exe" `
        -Argument "/c $script -AfterSetup 1 >>$FirstBootTaskLog 2>&1" -ErrorAction Stop
    $principal = New-ScheduledTaskPrincipal -UserId 'SYSTEM' -LogonType ServiceAccount -RunLevel Highest `
        -ErrorAction Stop
    $trigger = New-ScheduledTaskTrigger -AtStartup -ErrorAction Stop
    $null = Register-ScheduledTask -TaskName $FirstBootTaskName -Action $action -Principal $principal `
        -Trigger $trigger -Force -ErrorAction Stop
}

# Whether it is the task's turn: after the reboot that named the machine, or where Windows' setup has ended without
# SetupComplete.cmd, which it skips with some product keys.
function Test-FirstBootDue {
    param([int] $TimeoutSeconds)
    if (Test-Path -LiteralPath $FirstBootMark) {
        return $true
    }
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while ((Get-ItemProperty -LiteralPath $WindowsStateKey).ImageState -ne 'IMAGE_STATE_COMPLETE') {
        if ($clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            return $false
        }
        Start-Sleep -Seconds 5
    }
    Start-Sleep -Seconds 60
    -not (Test-Path -LiteralPath $FirstBootLog)
}

# One more start is enough for everything: where another one is asked for, something is wrong.
function Suspend-FirstBoot {
    if (Test-Path -LiteralPath $FirstBootMark) {
        Stop-Step -Code 'CommandFailed' -Message 'After a reboot the computer is not called as its disc says.' `
            -Remedy 'See the System event log on the machine, then replace it.'
    }
    Write-WholeText -Path $FirstBootMark -Text 'renamed'
}

# Works also while the script runs.
function Remove-FirstBoot {
    # What runs goes on without its task; and a task that is left finds no script.
    Unregister-ScheduledTask -TaskName $FirstBootTaskName -Confirm:$false -ErrorAction Continue
    foreach ($path in $FirstBootMark, $SetupCompletePath, $FirstBootFolder) {
        if (Test-Path -LiteralPath $path) {
            Remove-Item -LiteralPath $path -Recurse -Force
        }
    }
}
